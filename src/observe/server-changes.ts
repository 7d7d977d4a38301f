import type { OpenRecord, RecordDraft } from '../log/index.ts';
import type { ServerView } from '../contract/status.ts';
import { type Clock, newId } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  events: EventBus;
  view: (server: string) => Pick<ServerView, 'state' | 'last_error'> | undefined;
  clock: Clock;
  log: Log;
}

interface Change {
  action: 'failed' | 'degraded' | 'needs_login' | 'lost' | 'ready';
  reason?: string | undefined;
}

interface Seen {
  state: string;
  /** It failed, was lost or is degraded, and has not been ready since. */
  isDown: boolean;
  recordedAt: number;
  /** The newest change that is not recorded yet, and the number of older ones that are left out. */
  waiting?: Change & { leftOut: number };
}

const MINUTE_MS = 60_000;

/** Records when a server fails, is lost, and is back: at most one record per server and minute, with the number of changes left out. */
export function createServerChanges({ activity, events, view, clock, log }: Parts): { close(): void } {
  const servers = new Map<string, Seen>();

  function write(server: string, { action, reason }: Change, leftOut: number): void {
    const failed = (error: unknown) =>
      log.error({ err: error, server }, 'could not record a change of a server');
    const draft: RecordDraft = {
      type: 'server_change',
      source: 'system',
      server_name: server,
      request_id: newId(),
      metadata: { action, ...(leftOut > 0 && { left_out: leftOut }) },
    };
    const why = { error_code: 'SERVER_UNAVAILABLE', error_message: reason ?? 'no reason is known' };
    try {
      const outcome =
        action === 'ready' ? { status: 'success' as const } : { status: 'error' as const, ...why };
      activity.open(draft).close(outcome).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  function flush(now: number): void {
    for (const [server, seen] of servers) {
      if (!seen.waiting || now - seen.recordedAt < MINUTE_MS) continue;
      write(server, seen.waiting, seen.waiting.leftOut);
      seen.recordedAt = now;
      delete seen.waiting;
    }
  }

  function record(server: string, seen: Seen, change: Change): void {
    seen.isDown = change.action !== 'ready';
    seen.waiting = { ...change, leftOut: seen.waiting ? seen.waiting.leftOut + 1 : 0 };
    flush(clock.now());
  }

  const stop = events.on(({ name, data }) => {
    if (name !== 'server' || !('state' in data)) return;
    const seen = servers.get(data.name) ?? { state: '', isDown: false, recordedAt: -Infinity };
    servers.set(data.name, seen);
    const change = changeOf(seen, data.state, view(data.name)?.last_error);
    seen.state = data.state;
    if (change) record(data.name, seen, change);
  });
  const timer = setInterval(() => flush(clock.now()), MINUTE_MS / 4).unref();
  return {
    close() {
      stop();
      clearInterval(timer);
      flush(Infinity);
    },
  };
}

/** The first connection of a server is not recorded, nor are the operator's changes, which have their own records. */
function changeOf({ state: before, isDown }: Seen, state: string, reason?: string): Change | undefined {
  if (state === before) return undefined;
  if (state === 'failed' || state === 'degraded' || state === 'needs_login') return { action: state, reason };
  if (state === 'connecting' && before === 'ready' && reason !== undefined) return { action: 'lost', reason };
  return state === 'ready' && isDown ? { action: 'ready' } : undefined;
}
