import type { Config } from '../../contract/config.ts';
import type { SqliteDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Chain } from '../chain/chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { TextIndex } from '../query/text-index.ts';
import { createGrowth } from './growth.ts';
import { createOverLimit, type OverLimit } from './over-limit.ts';
import { createRetention } from './retention.ts';

const SWEEP_MS = 600_000;
const CHECKPOINT_MS = 60_000;

interface UpkeepParts {
  db: SqliteDatabase;
  settings: () => Config['activity'];
  clock: Clock;
  log: Log;
}

export interface Upkeep {
  sweep(): Promise<number>;
  /** The log has grown by so many bytes. */
  grew(bytes: number): void;
  overLimit(): OverLimit | undefined;
  stop(): Promise<void>;
}

/** Runs retention at the start, every ten minutes and whenever the log has grown by a part of its limit, and adds a checkpoint every minute if the log has grown. */
export function startUpkeep(
  parts: UpkeepParts,
  shared: { facets: Facets; counts: Counts; chain: Chain; index: TextIndex; verified: () => Promise<void> },
): Upkeep {
  const retention = createRetention({ ...parts, ...shared });
  const ended = new AbortController();
  let running: Promise<number> | undefined;
  const over = createOverLimit(parts.log);
  const run = async () => {
    const removed = await retention.run(ended.signal);
    over.look(retention.excess());
    return removed;
  };
  const sweep = () => (running ??= run().finally(() => (running = undefined)));
  const background = () => {
    shared.index.schedule();
    sweep().catch((error: unknown) => parts.log.warn({ err: error }, 'old records could not be removed'));
  };
  const growth = createGrowth(parts.settings, () => ended.signal.aborted || background());
  const timer = setInterval(background, SWEEP_MS).unref();
  const sign = () => void parts.db.write(() => shared.chain.checkpoint()).catch(() => {}); // the next checkpoint covers this one
  const signing = setInterval(sign, CHECKPOINT_MS).unref();
  background();
  return {
    async sweep() {
      // A run that began before may have used other settings.
      await running?.catch(() => {});
      return sweep();
    },
    grew: growth,
    overLimit: over.state,
    async stop() {
      clearInterval(timer);
      clearInterval(signing);
      ended.abort();
      // The run reports its error; the stop only waits for its end.
      await running?.catch(() => {});
    },
  };
}
