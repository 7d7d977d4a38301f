import { useSyncExternalStore } from 'react';
import { BASE } from '../session/base.ts';

/** live: events arrive. connecting: no events yet, as far as is known the proxy answers. lost: the proxy does not answer. */
export type Connection = 'connecting' | 'live' | 'lost';

const PROBE_TIMEOUT_MS = 5000;
const watchers = new Set<() => void>();
let connection: Connection = 'connecting';
/** When the stream of events broke, or the first request got no answer. */
let lostAt: number | undefined;

export const currentConnection = (): Connection => connection;

export function setConnection(next: Connection): void {
  if (connection === next) return;
  if (next === 'live' || connection === 'lost') lostAt = undefined;
  else lostAt ??= Date.now();
  connection = next;
  for (const watcher of watchers) watcher();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    () => connection,
  );
}

/** Since when the proxy has not answered, in milliseconds. What is shown is at least as old. */
export const lostSince = (): number => lostAt ?? Date.now();

/** While true, the data shown may be out of date, and an empty list proves nothing. */
export const useIsLost = (): boolean => useConnection() === 'lost';

/** Checks for 200: a reverse proxy in front of a stopped mcpproxy answers too, but with an error. */
export async function proxyAnswers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    return (await fetch(`${BASE}/healthz`, { method: 'HEAD', cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}
