import type { Transport } from '@modelcontextprotocol/client';
import type { ConfiguredServer } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import { registerFinder } from './dispatch/finder.ts';
import type { Resolve } from './connection/secrets.ts';
import type { ToolsListener } from './connection/server-listing.ts';
import { Upstream, type UpstreamParts } from './connection/upstream.ts';
import type { Upstreams } from './upstream-set.ts';

export interface UpstreamsOptions {
  /** Servers inside this process, by name. */
  builtin: Record<string, () => Promise<Transport> | Transport>;
  callTimeoutMs: () => number;
  clock: Clock;
  events: EventBus;
  log: Log;
  /** Replaces secret references by what they refer to. */
  resolve: Resolve;
  /** How we introduce ourselves to servers. */
  version?: string;
  /** How long a server on a pipe may leave its first question unanswered before it is asked in the older way too; for tests. */
  patienceMs?: number;
}

const SETTLE_LIMIT_MS = 30_000;
const RESTART_LIMIT_MS = 15_000;

interface Entry {
  upstream: Upstream;
  /** What a change of means a new connection. */
  startKey: string;
}

export function createUpstreams(options: UpstreamsOptions): Upstreams {
  const listeners = new Set<ToolsListener>();
  const entries = new Map<string, Entry>();
  const parts: UpstreamParts = {
    ...options,
    clientInfo: { name: 'mcpproxy', version: options.version ?? '0.0.0' },
    onTools: (server, tools, info) => listeners.forEach((listener) => listener(server, tools, info)),
  };
  let closed = false;
  let turn: Promise<void> = Promise.resolve();

  const find = (name: string): Upstream => {
    const entry = entries.get(name);
    if (!entry)
      throw new ProxyError('NOT_FOUND', `There is no server '${name}'; the list of servers has the names`, {
        server: name,
      });
    return entry.upstream;
  };

  async function remove(name: string): Promise<void> {
    const { upstream } = entries.get(name)!;
    entries.delete(name);
    upstream.forgetTools();
    await upstream.stop();
  }

  async function applyOne(name: string, config: ConfiguredServer): Promise<void> {
    const builtin = Object.hasOwn(options.builtin, name) ? options.builtin[name] : undefined;
    const { problem } = config;
    const isOwn = config.command !== undefined || config.url !== undefined || problem !== undefined;
    const isBuiltin = builtin !== undefined && !isOwn;
    const startKey = isBuiltin ? 'builtin' : startKeyOf(config);
    const present = entries.get(name);
    const kept = present?.startKey === startKey ? present.upstream : undefined;
    const upstream = kept ?? new Upstream(name, config, parts, isBuiltin ? builtin : undefined);
    entries.set(name, { upstream, startKey });
    upstream.configure(config);
    // Until the new one has listed its tools, they are as they were last known; whether they are trusted is the catalogue's to say.
    const ended = kept ? undefined : present?.upstream.giveWay(upstream);
    if (config.enabled === false) await upstream.disable();
    else if (problem !== undefined) await upstream.fail(problem);
    else if (!closed) upstream.start(ended);
    await ended;
    // It is in this process, so it is there in a moment, and nobody should find it missing.
    if (isBuiltin && config.enabled !== false && !closed) await upstream.tried;
  }

  async function applyAll(servers: Record<string, ConfiguredServer>): Promise<void> {
    if (closed) return;
    const wanted = new Map([
      ...Object.keys(options.builtin).map((name) => [name, {}] as const),
      ...Object.entries(servers),
    ]);
    const gone = [...entries.keys()].filter((name) => !wanted.has(name));
    await Promise.all([...gone.map(remove), ...[...wanted].map(([name, config]) => applyOne(name, config))]);
  }

  const upstreams: Upstreams = {
    apply(servers) {
      // One after the other: two changes at once would each act on what the other is about to change.
      turn = turn.then(() => applyAll(servers));
      return turn;
    },
    views: () =>
      [...entries.values()].map(({ upstream }) => upstream.view()).sort((a, b) => (a.name < b.name ? -1 : 1)),
    has: (name) => entries.has(name),
    view: (name) => entries.get(name)?.upstream.view(),
    async restart(name) {
      const upstream = find(name);
      if (!upstream.view().enabled) {
        throw new ProxyError('CONFLICT', `Server '${name}' is switched off; enable it instead`, {
          server: name,
        });
      }
      const { problem } = upstream;
      if (problem !== undefined)
        throw new ProxyError('CONFLICT', `Server '${name}' cannot be started: ${problem}`, { server: name });
      await upstream.restart();
      await within(upstream.tried, RESTART_LIMIT_MS);
      return upstream.view();
    },
    logs: (name, tail) => find(name).logs(tail),
    onTools(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async settled(limitMs = SETTLE_LIMIT_MS) {
      await within(
        turn.then(() => Promise.all([...entries.values()].map(({ upstream }) => upstream.tried))),
        limitMs,
      );
    },
    async close() {
      closed = true;
      await turn.catch(() => undefined);
      await Promise.all([...entries.values()].map(({ upstream }) => upstream.stop()));
    },
  };
  registerFinder(upstreams, (name) => entries.get(name)?.upstream);
  return upstreams;
}

/** Tool verdicts, limits and switching on or off do not concern the connection. */
function startKeyOf(config: ConfiguredServer): string {
  const { command, args = [], env = {}, cwd, url, headers = {}, type } = config;
  const { connect_timeout: connect, idle_timeout: idle, env_file: file, problem } = config;
  const start = [command, args, sorted(env), file, cwd, url, sorted(headers), type, connect, idle, problem];
  return JSON.stringify(start);
}

function sorted(values: Record<string, string>): Array<[string, string]> {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((done) => (timer = setTimeout(done, limitMs)));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
