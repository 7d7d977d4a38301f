import { setTimeout as sleep } from 'node:timers/promises';
import { maskedAddress } from '../../config/index.ts';
import type { ConfiguredServer } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { ServerView } from '../../contract/status.ts';
import { isObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';

/** JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces. Neither input is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/**
 * The view of a server that is configured but does not run in this process: a command that only edits the configuration starts none.
 * Arguments, query and credentials may be secret and are left out.
 */
export function unstartedView(name: string, server: ConfiguredServer): ServerView {
  const isOn = server.enabled !== false;
  const lastError = server.problem ?? (isOn ? 'not started in this process' : undefined);
  return {
    name,
    title: server.title ?? name,
    ...(server.description !== undefined && { description: server.description }),
    transport: transportOf(server),
    target:
      server.url === undefined
        ? (server.command ?? '')
        : maskedAddress(server.url.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/, '')),
    state: server.problem !== undefined && isOn ? 'failed' : 'disabled',
    enabled: isOn,
    tool_count: 0,
    ...(lastError !== undefined && { last_error: visibleLine(lastError) }),
    ...(server.warnings && { warnings: server.warnings.map(visibleLine) }),
    since: new Date().toISOString(),
    restarts: 0,
    in_flight: 0,
    queued: 0,
    breaker: 'closed',
    retries: 0,
  };
}

function transportOf({ url, type }: ConfiguredServer): ServerView['transport'] {
  if (url === undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}

const WAIT_MS = 10_000;
const APPEAR_MS = 1_000;
const STEP_MS = 25;

/**
 * Waits until a server is ready or has failed after a change, up to a time-out, and returns its view. Undefined: it does not run in this
 * process.
 */
export async function waitUntilSettled(
  upstreams: { view(name: string): ServerView | undefined },
  name: string,
  signal: AbortSignal,
): Promise<ServerView | undefined> {
  const start = performance.now();
  for (;;) {
    const view = upstreams.view(name);
    if (view && view.state !== 'connecting') return view;
    const limit = view ? WAIT_MS : APPEAR_MS;
    if (signal.aborted || performance.now() - start >= limit) return view;
    await sleep(STEP_MS);
  }
}

const MASK = '***';

/**
 * Settings are shown with masks in place of secrets. A patch that has a masked value unchanged keeps the present one, so that a person can
 * edit what was shown. A mask at another place has no value behind it.
 */
export function keepMasked(patch: unknown, present: unknown, shown: unknown): unknown {
  if (Array.isArray(patch)) return keepMaskedItems(patch, listOf(present), listOf(shown));
  if (isObject(patch)) {
    const [was, seen] = [isObject(present) ? present : {}, isObject(shown) ? shown : {}];
    return Object.fromEntries(
      Object.entries(patch).map(([key, value]) => [key, keepMasked(value, was[key], seen[key])]),
    );
  }
  if (typeof patch !== 'string' || !patch.includes(MASK)) return patch;
  if (patch === shown) return present;
  throw new ProxyError(
    'INVALID_REQUEST',
    `A value contains ${MASK}, which stands for a hidden one. Write the whole value, or leave it as it was shown`,
  );
}

/** Items may have moved: each mask takes the next hidden item that looks the same. */
function keepMaskedItems(patch: unknown[], present: unknown[], shown: unknown[]): unknown[] {
  const left = shown.map((_, index) => index);
  return patch.map((item) => {
    const at = left.findIndex((index) => shown[index] === item);
    const [index] = at === -1 ? [] : left.splice(at, 1);
    return index === undefined ? keepMasked(item, undefined, undefined) : present[index];
  });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
