import type { Config } from '../../contract/config.ts';
import type { SqliteDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Chain } from '../chain/chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import { createRetention } from './retention.ts';
import type { TextIndex } from '../query/text-index.ts';

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
  stop(): Promise<void>;
}

/** Retention at the start and every ten minutes, one run at a time; a checkpoint every minute in which something happened. */
export function startUpkeep(
  parts: UpkeepParts,
  shared: { facets: Facets; counts: Counts; chain: Chain; index: TextIndex },
): Upkeep {
  const retain = createRetention({ ...parts, ...shared });
  const ended = new AbortController();
  let running: Promise<number> | undefined;
  const sweep = () => (running ??= retain(ended.signal).finally(() => (running = undefined)));
  const background = () => {
    shared.index.nudge();
    sweep().catch((error: unknown) => parts.log.warn({ err: error }, 'old records could not be removed'));
  };
  const timer = setInterval(background, SWEEP_MS).unref();
  const sign = () => void parts.db.write(() => shared.chain.checkpoint()).catch(() => {}); // the next one signs the same and more
  const signing = setInterval(sign, CHECKPOINT_MS).unref();
  background();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
      clearInterval(signing);
      ended.abort();
      await running?.catch(() => {});
    },
  };
}
