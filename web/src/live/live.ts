import { useEffect, useRef } from 'react';
import { parseExact } from '../../../src/json/index.ts';
import { currentConnection, proxyAnswers, setConnection } from './connection.ts';

/** Events as the proxy sends them; the data is what the REST reference says of /events. */
export type LiveName = 'activity' | 'approval' | 'server' | 'tools' | 'config' | 'reset';
type Listener = (data: unknown) => void;

const NAMES: readonly LiveName[] = ['activity', 'approval', 'server', 'tools', 'config', 'reset'];
/** A proxy that is stopping still answers for a moment. */
const RETRY_MS = 1000;
const listeners = new Map<LiveName, Set<Listener>>(NAMES.map((name) => [name, new Set()]));

function emit(name: LiveName, data: unknown): void {
  for (const listener of listeners.get(name)!) listener(data);
}

/**
 * One stream for the whole page. After a broken connection the browser reconnects by itself and says where it was; after an answer that is
 * no stream (an error of a reverse proxy) it does not, so a new stream is opened here. `onMissed` is called when events may have been
 * missed.
 */
export function startLive(onMissed: () => void): () => void {
  let source = open();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isChecking = false;
  let hasEnded = false;

  function open(): EventSource {
    const opened = new EventSource('/api/v1/events');
    opened.addEventListener('open', () => answered('live'));
    opened.addEventListener('error', () => {
      if (currentConnection() === 'live') setConnection('connecting');
      void check();
    });
    for (const name of NAMES)
      opened.addEventListener(name, (event) => emit(name, parseExact((event as MessageEvent<string>).data)));
    return opened;
  }

  function answered(next: 'live' | 'connecting'): void {
    const wasLost = currentConnection() === 'lost';
    setConnection(next);
    if (wasLost) missed();
  }

  function missed(): void {
    emit('reset', {});
    onMissed();
  }

  /** Until the stream is open again: does the proxy answer at all? */
  async function check(): Promise<void> {
    if (isChecking || hasEnded) return;
    isChecking = true;
    clearTimeout(timer);
    const answers = await proxyAnswers();
    isChecking = false;
    if (hasEnded || source.readyState === EventSource.OPEN) return;
    if (!answers) setConnection('lost');
    else answered('connecting');
    if (answers && source.readyState === EventSource.CLOSED) {
      source = open();
      source.addEventListener('open', missed, { once: true });
    }
    timer = setTimeout(() => void check(), RETRY_MS);
  }

  return () => {
    hasEnded = true;
    clearTimeout(timer);
    source.close();
    setConnection('connecting');
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
