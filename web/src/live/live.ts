import { useEffect, useRef, useSyncExternalStore } from 'react';
import { parseExact } from '../../../src/lib/exact-json.ts';

/** Events as the proxy sends them; the data is what the REST reference says of /events. */
export type LiveName = 'activity' | 'approval' | 'server' | 'tools' | 'config' | 'reset';
type Listener = (data: unknown) => void;

const NAMES: readonly LiveName[] = ['activity', 'approval', 'server', 'tools', 'config', 'reset'];
const listeners = new Map<LiveName, Set<Listener>>(NAMES.map((name) => [name, new Set()]));
const watchers = new Set<() => void>();
let source: EventSource | undefined;
let connected = false;

function setConnected(next: boolean): void {
  if (connected === next) return;
  connected = next;
  for (const watcher of watchers) watcher();
}

/** One stream for the whole page. The browser reconnects by itself and says where it was. */
export function startLive(): () => void {
  source = new EventSource('/api/v1/events');
  source.addEventListener('open', () => setConnected(true));
  source.addEventListener('error', () => setConnected(false));
  for (const name of NAMES)
    source.addEventListener(name, (event) => {
      const data = parseExact((event as MessageEvent<string>).data);
      for (const listener of listeners.get(name)!) listener(data);
    });
  return () => {
    source?.close();
    setConnected(false);
  };
}

/** Calls the newest `listener` for each event while the component is shown. */
export function useLive(name: LiveName, listener: Listener): void {
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const call: Listener = (data) => latest.current(data);
    listeners.get(name)!.add(call);
    return () => void listeners.get(name)!.delete(call);
  }, [name]);
}

export function useConnected(): boolean {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    () => connected,
  );
}
