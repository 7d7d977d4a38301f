import type { Log } from '../../../lib/log.ts';

export interface UpkeepParts {
  sweep: (signal: AbortSignal) => Promise<number>;
  sign: () => Promise<void>;
  recover: () => Promise<number>;
  log: Log;
  recoverEveryMs: number;
}

export interface PgUpkeep {
  sweep(): Promise<number>;
  /** Runs retention in the background. */
  look(): void;
  stop(): Promise<void>;
}

const SWEEP_MS = 600_000;
const CHECKPOINT_MS = 60_000;

/**
 * Retention at the start and every ten minutes; a checkpoint every minute in which something happened; and every few seconds a look for
 * records that a proxy which is gone has left open. Each one run at a time.
 */
export function startPgUpkeep(parts: UpkeepParts): PgUpkeep {
  const { log } = parts;
  const ended = new AbortController();
  const sweep = onlyOne(() => parts.sweep(ended.signal), 0);
  const sign = onlyOne(parts.sign, undefined);
  const recover = onlyOne(async () => {
    const records = await parts.recover();
    if (records > 0)
      log.warn({ records }, 'records left open by a stopped proxy were closed with unknown outcome');
  }, undefined);
  const every = (ms: number, work: () => Promise<unknown>, trouble: string) =>
    setInterval(() => void work().catch((error: unknown) => log.warn({ err: error }, trouble)), ms).unref();
  const timers = [
    every(SWEEP_MS, sweep.run, 'old records could not be removed'),
    every(CHECKPOINT_MS, sign.run, 'the head of the log could not be signed'),
    every(parts.recoverEveryMs, recover.run, 'records left open by others could not be looked for'),
  ];
  const look = () => {
    if (ended.signal.aborted) return;
    sweep.run().catch((error: unknown) => log.warn({ err: error }, 'old records could not be removed'));
  };
  look();
  return {
    async sweep() {
      // A run that began before may have used other settings, or these.
      const before = await sweep.done();
      return before + (await sweep.run());
    },
    look,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      ended.abort();
      await Promise.all([sweep.done(), sign.done(), recover.done()]);
    },
  };
}

/** A call during a run returns the promise of that run. */
function onlyOne<T>(work: () => Promise<T>, none: T): { run: () => Promise<T>; done: () => Promise<T> } {
  let running: Promise<T> | undefined;
  return {
    run: () => (running ??= work().finally(() => (running = undefined))),
    // `run` reports the error.
    done: async () => (await running?.catch(() => none)) ?? none,
  };
}
