import type { ReadOnlyPostgres } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ActivityReader } from '../activity.ts';
import { digestWith } from '../read-activity.ts';
import { createPgFacts } from './read/facts.ts';
import { createPgReader } from './read/reader.ts';
import { sealedOnPostgres } from './upkeep/sealed.ts';

/** The log as it is stored. This process is no writer: it has no log of its own and signs nothing. */
export function readPostgresActivity({
  db,
  dataDir,
  clock,
}: {
  db: ReadOnlyPostgres;
  dataDir: string;
  clock: Clock;
}): ActivityReader {
  return {
    ...createPgReader({ db, clock, flush: async () => {} }),
    facts: createPgFacts({ pool: db.pool, onNotify: () => () => {} }),
    digest: digestWith(dataDir),
    sealed: () => sealedOnPostgres(db, (work) => work()),
  };
}
