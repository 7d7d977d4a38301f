import type { Fact, Facts, Head } from '../../../log/index.ts';
import type { Log } from '../../../lib/log.ts';
import type { Positions } from './event-id.ts';

const SIZE = 2000;
const PAGE = 500;
const RETRY_MS = 1_000;
const POLL_MS = 5_000;
/** A log that appears with more entries than this was imported: its entries are not new. */
const MAX_NEW = 10_000;

/** New facts of the activity logs of all proxies on the database. Read once for all readers, while there are any. */
export interface ActivityFeed {
  /** Resolves when the feed runs; `leave` must be called once for each. */
  join(): Promise<void>;
  leave(): void;
  /** The end of what was read, and where that is in each log. */
  now(): { end: number; positions: Positions };
  /** Facts from an index on; undefined where they are no longer kept, and must be read from the logs. */
  from(index: number, limit: number): Fact[] | undefined;
  /** Calls the listener after new facts; returns a function that unsubscribes. */
  onFacts(listener: () => void): () => void;
}

export function createActivityFeed({ facts, log }: { facts: Facts; log: Log }): ActivityFeed {
  const ring: Fact[] = [];
  const listeners = new Set<() => void>();
  let end = 0;
  let positions: Positions = new Map();
  let users = 0;
  let running: Promise<void> | undefined;
  let stop = () => {};
  let reading = false;
  let more = false;

  async function start(): Promise<void> {
    const unsubscribe = facts.onGrown(() => void read());
    // A notification of another proxy may get lost.
    const poll = setInterval(() => void read(), POLL_MS).unref();
    stop = () => {
      unsubscribe();
      clearInterval(poll);
    };
    positions = positionsOf(await facts.heads());
    // The facts that were kept are of an earlier time.
    end += SIZE + 1;
    ring.length = 0;
    more = true;
    void read();
  }

  async function read(): Promise<void> {
    more = true;
    if (reading) return;
    reading = true;
    try {
      while (more) {
        more = false;
        if (users === 0) return;
        for (const head of await facts.heads()) await readLog(head);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not read new activity; will retry');
      setTimeout(() => void read(), RETRY_MS).unref();
    } finally {
      reading = false;
    }
  }

  async function readLog(head: Head): Promise<void> {
    let { n } = positions.get(head.log) ?? beginningOf(head);
    while (n < head.n) {
      const some = await facts.after({ log: head.log, n }, PAGE);
      for (const fact of some) ring[end++ % SIZE] = fact;
      // Entries of the chain itself are not facts, so the last fact may be before the end.
      n = some.length < PAGE ? Math.max(head.n, some.at(-1)?.n ?? 0) : some.at(-1)!.n;
      positions.set(head.log, { n, time: Math.max(head.time, some.at(-1)?.time ?? 0) });
      if (some.length > 0) for (const listener of listeners) listener();
    }
  }

  return {
    async join() {
      users++;
      running ??= start();
      await running.catch((error: unknown) => {
        leave();
        throw error;
      });
    },
    leave,
    now: () => ({ end, positions: new Map(positions) }),
    from(index, limit) {
      if (index < end - SIZE || index > end) return undefined;
      return Array.from({ length: Math.min(limit, end - index) }, (_, i) => ring[(index + i) % SIZE]!);
    },
    onFacts(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function leave(): void {
    users--;
    if (users > 0) return;
    stop();
    running = undefined;
  }
}

export function positionsOf(heads: readonly Head[]): Positions {
  return new Map(heads.map(({ log, n, time }) => [log, { n, time }]));
}

function beginningOf({ first, n, time }: Head): { n: number; time: number } {
  return { n: n - first < MAX_NEW ? first - 1 : n, time };
}
