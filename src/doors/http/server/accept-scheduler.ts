import type { Socket } from 'node:net';

/** A request that waited longer than this is served although connections still come in. */
const MAX_WAIT_MS = 1_500;
/** Rejected connections rarely come alone: for so long after one, more are expected. */
const OVERLOAD_MS = 50;
const POLL_MS = 5;
/** Waiting requests are started for so long in one go; under overload connections then have the event loop for so much longer. */
const SLICE_MS = 10;
const ACCEPT_MS = 90;

export interface AcceptScheduler {
  accepted(): void;
  /** A connection was rejected: there are more than are served. */
  rejected(): void;
  /** Starts the request now; the first one of a connection as soon as no further connection comes in. */
  schedule(socket: Socket, start: () => void): void;
}

/**
 * Accepts connections before it serves those that were just accepted. One turn of the event loop accepts one connection and then does
 * everything that is ready. A rejection costs a twentieth of a call: with thousands of new connections, each would wait behind the calls
 * of all before it, only to be rejected. Connections that were served before do not wait.
 */
export function createAcceptScheduler(now: () => number = () => performance.now()): AcceptScheduler {
  const known = new WeakSet<Socket>();
  const waiting: Array<{ start: () => void; since: number }> = [];
  let isPolling = false;
  let hasAccepted = false;
  let overloadUntil = 0;
  let acceptUntil = 0;

  function poll(): void {
    const isOverloaded = now() < overloadUntil;
    if (hasAccepted || isOverloaded) startOverdue();
    else startSome();
    isPolling = hasAccepted || waiting.length > 0;
    const isQuiet = !hasAccepted;
    hasAccepted = false;
    if (!isPolling) return;
    if (isOverloaded && isQuiet) setTimeout(poll, POLL_MS);
    else setImmediate(poll);
  }

  function startOverdue(): void {
    const [oldest] = waiting;
    if (!oldest || now() < Math.max(oldest.since + MAX_WAIT_MS, acceptUntil)) return;
    startSome();
    acceptUntil = now() + ACCEPT_MS;
  }

  function startSome(): void {
    const end = now() + SLICE_MS;
    let started = 0;
    while (started < waiting.length && now() < end) waiting[started++]!.start();
    waiting.splice(0, started);
  }

  function pollSoon(): void {
    if (isPolling) return;
    isPolling = true;
    setImmediate(poll);
  }

  return {
    accepted() {
      hasAccepted = true;
      pollSoon();
    },
    rejected() {
      overloadUntil = now() + OVERLOAD_MS;
    },
    schedule(socket, start) {
      const isFree = known.has(socket) || (!isPolling && now() >= overloadUntil);
      known.add(socket);
      if (isFree) return start();
      waiting.push({ start, since: now() });
      pollSoon();
    },
  };
}
