import { ProxyError } from '../contract/errors.ts';

/**
 * Collects operations and commits them together, so that many callers share one fsync. It knows no SQL: `commit` runs all of the
 * operations in one transaction, at once or asynchronously, and a server-side database can give its own.
 */
export interface GroupCommit<Op> {
  /**
   * Committed as soon as the event loop brings nothing more to go with it, in milliseconds. The promise settles with the transaction that
   * holds the operation. All operations of a transaction share it.
   */
  add(op: Op): Promise<void>;
  /** Committed at most `maxDelayMs` later, or with the next commit after `hasten`: until then the operation may still change. */
  defer(op: Op): Deferred<Op>;
  /** Adds a deferred operation to the queue, if it is not there yet. */
  hasten(deferred: Deferred<Op>): Promise<void>;
  /** Commits all without further delay, and waits for it. */
  flush(): Promise<void>;
  /** Hears how long each commit took, also one that failed. */
  onGroup(listener: (ms: number) => void): void;
  /** Commits what is queued and accepts nothing more. */
  close(): Promise<void>;
}

/** An operation that waits for what comes with it. */
export interface Deferred<Op> {
  readonly op: Op;
  /** Of its transaction, once it is in the queue. */
  done: Promise<void> | undefined;
}

export interface GroupCommitParts<Op> {
  commit: (ops: readonly Op[]) => void | Promise<void>;
  /** The queue is full or closed: this operation will not be committed. */
  onRejected?: (op: Op) => void;
  maxDelayMs?: number;
  /** How long a commit is put off at most while each turn of the event loop brings more. */
  gatherMs?: number;
  /** Per transaction, so that none holds the event loop for long. */
  maxOps?: number;
  maxQueued?: number;
}

interface Batch<Op> {
  ops: Op[];
  done: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const SLOW_MS = 20;

export function createGroupCommit<Op>(parts: GroupCommitParts<Op>): GroupCommit<Op> {
  const { commit, onRejected, maxDelayMs = 10, gatherMs = 2, maxOps = 1000, maxQueued = 100_000 } = parts;
  const batches: Batch<Op>[] = [];
  let queued = 0;
  let deferring = 0;
  /** Deferred operations, many of them hastened meanwhile: since the last tick of the timer, and since the tick before. */
  let young: Deferred<Op>[] = [];
  let old: Deferred<Op>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let running = false;
  /** Taken out of the queue, and not yet known to be on disk. */
  let underway: Batch<Op> | undefined;
  let closed = false;
  /** How long the last commit took. Where the disk is slow, a quarter of a burst's time is spent waiting for it. */
  let lastMs = 0;
  const listeners: Array<(ms: number) => void> = [];

  function lastBatch(): Batch<Op> {
    const last = batches.at(-1);
    if (last && last.ops.length < maxOps) return last;
    const batch = newBatch<Op>();
    batches.push(batch);
    return batch;
  }

  function schedule(): void {
    if (running || immediate) return;
    gather(performance.now() + Math.max(gatherMs, Math.min(3 * lastMs, SLOW_MS)));
  }

  function enqueue(op: Op): Promise<void> {
    const batch = lastBatch();
    batch.ops.push(op);
    queued++;
    schedule();
    return batch.done;
  }

  function hasten(deferred: Deferred<Op>): Promise<void> {
    deferring--;
    return (deferred.done = enqueue(deferred.op));
  }

  function enqueueDeferred(list: readonly Deferred<Op>[]): void {
    for (const deferred of list) if (!deferred.done) void hasten(deferred);
  }

  /** Nearly all are hastened before their time, so there is one timer for all of them, and it looks twice per delay. */
  function tick(): void {
    enqueueDeferred(old);
    old = young;
    young = [];
    timer = old.length > 0 ? setTimeout(tick, maxDelayMs / 2) : undefined;
  }

  function enqueueAll(): void {
    enqueueDeferred(old);
    enqueueDeferred(young);
    old = [];
    young = [];
  }

  /** Why nothing more is accepted. */
  function isUnable(): string | false {
    if (closed) return 'it is closed';
    return queued + deferring >= maxQueued && `${maxQueued} operations are already waiting`;
  }

  function reject(op: Op, problem: string): Promise<never> {
    onRejected?.(op);
    return unavailable(problem);
  }

  /**
   * The system hands over one new connection per turn, so that in a burst every turn brings one more call. Committed turn by turn, each
   * would pay for a sync of its own, and everybody behind it in the queue with it. A single caller pays for one empty turn.
   */
  function gather(until: number, seen = -1): void {
    immediate = setImmediate(() => {
      if (queued > seen && queued < maxOps && performance.now() < until) gather(until, queued);
      else void drain();
    });
  }

  async function drain(): Promise<void> {
    clearImmediate(immediate);
    immediate = undefined;
    if (running) return;
    running = true;
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      queued -= batch.ops.length;
      underway = batch;
      const began = performance.now();
      try {
        const pending = commit(batch.ops);
        if (pending) await pending;
        batch.resolve();
      } catch (error) {
        batch.reject(error);
      }
      lastMs = performance.now() - began;
      underway = undefined;
      for (const listener of listeners) listener(lastMs);
      // The callers of this batch go first; what they add meanwhile is the next one.
      if (batches.length > 0) await new Promise(setImmediate);
    }
    running = false;
  }

  return {
    add(op) {
      const problem = isUnable();
      return problem ? reject(op, problem) : enqueue(op);
    },
    defer(op) {
      const problem = isUnable();
      const deferred: Deferred<Op> = { op, done: problem ? reject(op, problem) : undefined };
      if (problem) return deferred;
      deferring++;
      young.push(deferred);
      timer ??= setTimeout(tick, maxDelayMs / 2);
      return deferred;
    },
    hasten: (deferred) => deferred.done ?? hasten(deferred),
    async flush() {
      enqueueAll();
      const last = batches.at(-1) ?? underway;
      if (!last) return;
      schedule();
      await last.done;
    },
    onGroup: (listener) => void listeners.push(listener),
    async close() {
      closed = true;
      clearTimeout(timer);
      enqueueAll();
      const rest = underway ? [underway, ...batches] : batches;
      schedule();
      await Promise.allSettled(rest.map((batch) => batch.done));
    },
  };
}

function newBatch<Op>(): Batch<Op> {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Somebody who does not wait for the disk must not bring the process down when it fails.
  done.catch(() => {});
  return { ops: [], done, resolve, reject };
}

function unavailable(why: string): Promise<never> {
  const promise = Promise.reject(
    new ProxyError('AUDIT_UNAVAILABLE', `The database does not accept writes: ${why}`),
  );
  // Awaited by the caller, perhaps only later: no unhandled rejection meanwhile.
  promise.catch(() => {});
  return promise;
}
