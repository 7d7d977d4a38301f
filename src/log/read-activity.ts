import { ProxyError } from '../contract/errors.ts';
import type { ReadOnlySqlite } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { findSigner } from './chain/signer.ts';
import { createCounts } from './counts/counts.ts';
import { createFacets } from './counts/facets.ts';
import { createSeries } from './counts/series.ts';
import { sealedLines } from './export/sealed-reader.ts';
import { createMasking } from './mask/masking.ts';
import { lastSequence, openReader } from './query/open-reader.ts';
import { createTextIndex } from './query/text-index.ts';
import { createFacts } from './record/facts.ts';
import type { ActivityReader } from './activity.ts';

export interface ReadActivityParts {
  db: ReadOnlySqlite;
  dataDir: string;
  clock: Clock;
  log: Log;
}

/** The log of a database that nobody writes now, such as a copy. Nothing in it or beside it is created or changed. */
export function readActivity({ db, dataDir, clock, log }: ReadActivityParts): ActivityReader {
  const { sqlite } = db;
  const facets = createFacets(sqlite);
  const series = createSeries(sqlite);
  const counts = createCounts(sqlite, series, facets);
  const write = () => Promise.reject(new Error('the log is only read'));
  // Records that are not indexed are searched one by one.
  const index = { ...createTextIndex({ db: { sqlite, write }, facets, log }), catchUp: async () => {} };
  const sequence = lastSequence(sqlite);
  const writes = { flush: async () => {} };
  const reader = openReader({ db: { sqlite, writes }, facets, series, counts, sequence, index, clock });

  /** Reads may have mixed two states of a file that changed meanwhile. */
  function checkUnchanged(): void {
    if (db.isUnchanged()) return;
    throw new ProxyError(
      'CONFLICT',
      'Another program has written to the database while it was read. Run the command again',
    );
  }
  const once =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const result = await read(...args);
      checkUnchanged();
      return result;
    };
  async function* whole<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    yield* items;
    checkUnchanged();
  }
  return {
    list: once(reader.list),
    get: once(reader.get),
    summary: once(reader.summary),
    series: once(reader.series),
    breakdown: once(reader.breakdown),
    export: (...args) => whole(reader.export(...args)),
    facts: createFacts({ sqlite, onCommit: () => {} }),
    digest: digestWith(dataDir),
    sealed: () => whole(sealedLines(db.name)),
  };
}

/** A new key would give digests that match nothing in the log. */
export function digestWith(dataDir: string): (text: string) => string {
  return (text) => {
    const signer = findSigner(dataDir);
    if (signer) return createMasking(signer).digest(text);
    throw new ProxyError(
      'NOT_FOUND',
      `${dataDir} has no activity-key.pem. The digests in a log can be computed only with the key of the proxy that wrote it`,
      { data_dir: dataDir },
    );
  };
}
