import type { Log } from '../lib/log.ts';
import type { HoldStore } from './store/hold-store.ts';
import type { Waiters } from './waiters.ts';

/**
 * How proxies on one database tell each other. The payload names the proxy that speaks and the approval; undefined: something may have
 * been missed.
 */
export interface Channel {
  notify(payload: string): Promise<void>;
  onNotify(listener: (payload: string | undefined) => void): () => void;
}

export interface FollowParts {
  store: Pick<HoldStore, 'statuses'>;
  waiters: Waiters;
  channel?: Channel | undefined;
  /** Of this proxy, which hears itself too. */
  instance: string;
  /** Told by another proxy. */
  onRemote: (id: string) => void;
  log: Log;
  everyMs?: number;
}

const CHUNK = 500;

/**
 * A decision may be made at another proxy. It says so where the database can carry a message; that may get lost, so whoever waits looks at
 * the table once a second all the same.
 */
export function followOthers({
  store,
  waiters,
  channel,
  instance,
  onRemote,
  log,
  everyMs = 1000,
}: FollowParts): () => void {
  let looking = false;

  async function look(): Promise<void> {
    const ids = waiters.ids();
    for (let at = 0; at < ids.length; at += CHUNK) {
      const rows = await store.statuses(ids.slice(at, at + CHUNK));
      for (const { id, status } of rows) if (status !== 'pending') waiters.wake(id);
    }
  }

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'approvals could not be looked up'))
      .finally(() => (looking = false));
  }, everyMs);
  timer.unref();
  const stopListening = channel?.onNotify((payload) => {
    if (payload === undefined) return waiters.wakeAll();
    const space = payload.lastIndexOf(' ');
    if (payload.slice(0, space) === instance) return;
    const id = payload.slice(space + 1);
    waiters.wake(id);
    onRemote(id);
  });
  return () => {
    clearInterval(timer);
    stopListening?.();
  };
}
