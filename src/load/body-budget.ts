import { FairQueue } from './fair-queue.ts';

export interface BodyBudgetLimits {
  /** Bytes that are read at the same time, of all clients. */
  activeBytes: number;
  /** Bytes that may wait unread. */
  queuedBytes: number;
  /** A body that waits longer is rejected. */
  waitMs: number;
  /** A body that takes longer to arrive uses little of anything; its reservation ends, so that others need not wait for it. */
  slowMs: number;
}

/** Reading a body is only a part of the work that it causes: its bytes stay reserved for so many times as long as reading took. */
const WORK_PER_READ = 3;

const MB = 1024 * 1024;
const LIMITS: BodyBudgetLimits = { activeBytes: 4 * MB, queuedBytes: 64 * MB, waitMs: 5_000, slowMs: 1_000 };

/** The reservation of one long body. */
export interface Reservation {
  /** True as soon as the body may be read; false where there is no room in time. */
  readonly granted: Promise<boolean>;
  /** The whole body has arrived. */
  arrived(): void;
  /** The body has been processed, or never will be. */
  release: () => void;
}

/** Reserves bytes for a body; Infinity where its length was not announced. */
export type ReserveBody = (bytes: number) => Reservation;

interface Waiting {
  readonly client: string;
  readonly size: number;
  settle(isGranted: boolean): void;
}

/**
 * Budget for long bodies. Bytes are reserved before anything of a body is read, so that a waiting body costs no more than its connection.
 * Clients are served round-robin: a client that sends many bodies waits behind its own, and is the one rejected where too much waits.
 */
export function createBodyBudget(
  limits: Partial<BodyBudgetLimits> = {},
): (client: string, bytes: number) => Reservation {
  const { activeBytes, queuedBytes, waitMs, slowMs } = { ...LIMITS, ...limits };
  const queue = new FairQueue<Waiting>();
  /** The next one to be granted, as soon as there is enough room. */
  let first: Waiting | undefined;
  let reserved = 0;
  let queued = 0;

  const fits = (size: number) => reserved === 0 || reserved + size <= activeBytes;

  function grantWaiting(): void {
    for (first ??= queue.next(); first && fits(first.size); first = queue.next()) settle(first, true);
  }

  function settle(waiting: Waiting, isGranted: boolean): void {
    queued -= waiting.size;
    waiting.settle(isGranted);
  }

  function remove(waiting: Waiting): void {
    if (waiting === first) first = undefined;
    else if (!queue.delete(waiting)) return;
    settle(waiting, false);
    grantWaiting();
  }

  /** False: there is no room to wait either. */
  function enqueue(waiting: Waiting): boolean {
    while (queued > 0 && queued + waiting.size > queuedBytes) {
      const displaced = queue.displaceFor(waiting.client);
      if (!displaced) return false;
      settle(displaced, false);
    }
    queued += waiting.size;
    queue.add(waiting);
    return true;
  }

  return function reserve(client, bytes) {
    const size = Math.min(bytes, activeBytes);
    let isGranted = false;
    let since = 0;
    let timer: NodeJS.Timeout | undefined;
    let resolve!: (isGranted: boolean) => void;
    const granted = new Promise<boolean>((resolveGranted) => (resolve = resolveGranted));
    const waiting: Waiting = {
      client,
      size,
      settle(mayRead) {
        clearTimeout(timer);
        isGranted = mayRead;
        if (isGranted) {
          reserved += size;
          since = performance.now();
          timer = setTimeout(release, slowMs).unref();
        }
        resolve(isGranted);
      },
    };
    function release(): void {
      clearTimeout(timer);
      if (!isGranted) return remove(waiting);
      isGranted = false;
      setTimeout(free, Math.min(WORK_PER_READ * (performance.now() - since), slowMs)).unref();
    }
    function free(): void {
      reserved -= size;
      grantWaiting();
    }
    if (!first && queue.size === 0 && fits(size)) waiting.settle(true);
    else if (enqueue(waiting)) timer = setTimeout(release, waitMs).unref();
    else waiting.settle(false);
    return { granted, arrived: () => void (isGranted && clearTimeout(timer)), release };
  };
}
