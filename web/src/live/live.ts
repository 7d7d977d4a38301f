import { useEffect, useRef } from 'react';
import { parseExact } from '../../../src/json/index.ts';
import { BASE } from '../session/base.ts';
import { currentConnection, proxyAnswers, setConnection } from './connection.ts';

/** Events as the proxy sends them; the data is what the REST reference says of /events. */
export type LiveName = 'activity' | 'approval' | 'server' | 'tools' | 'config' | 'reset';
type Listener = (data: unknown) => void;

const NAMES: readonly LiveName[] = ['activity', 'approval', 'server', 'tools', 'config', 'reset'];
/** Between two attempts to reach the stream; each failed attempt doubles the time. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 10_000;
const listeners = new Map<LiveName, Set<Listener>>(NAMES.map((name) => [name, new Set()]));

function emit(name: LiveName, data: unknown): void {
  for (const listener of listeners.get(name)!) listener(data);
}

interface LiveOptions {
  /** Events may have been missed. */
  onMissed: () => void;
  hasSession: () => Promise<boolean>;
  /** The proxy refuses the stream because the session has ended. No events follow. */
  onSessionEnd: () => void;
}

/**
 * One event stream for the whole page. After a broken connection the browser reconnects and sends the last event id. After a response that
 * is not a stream (an error of a reverse proxy, an ended session) it does not, so this opens a new stream as long as there is a session.
 */
export function startLive({ onMissed, hasSession, onSessionEnd }: LiveOptions): () => void {
  let source = open();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isChecking = false;
  let hasEnded = false;

  function open(): EventSource {
    const opened = new EventSource(`${BASE}/api/v1/events`);
    opened.addEventListener('open', () => {
      stopTimer();
      retryMs = FIRST_RETRY_MS;
      answered('live');
    });
    opened.addEventListener('error', () => {
      if (currentConnection() === 'live') setConnection('connecting');
      if (timer === undefined) void check();
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

  function stopTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  /** Repeats until the stream is open again: checks that the proxy answers and that the session still exists. */
  async function check(reopens = false): Promise<void> {
    if (isChecking || hasEnded) return;
    isChecking = true;
    stopTimer();
    const answers = await proxyAnswers();
    const hasNoSession = answers && !(await hasSession().catch(() => true));
    isChecking = false;
    if (hasEnded || source.readyState === EventSource.OPEN) return;
    if (hasNoSession) {
      stop();
      onSessionEnd();
      return;
    }
    if (!answers) setConnection('lost');
    else answered('connecting');
    if (answers && reopens && source.readyState === EventSource.CLOSED) reopen();
    timer = setTimeout(() => void check(true), retryMs);
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
  }

  function reopen(): void {
    source = open();
    source.addEventListener('open', missed, { once: true });
  }

  function stop(): void {
    hasEnded = true;
    stopTimer();
    source.close();
    setConnection('connecting');
  }

  return stop;
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
