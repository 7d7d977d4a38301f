import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { createLog } from '../../lib/log.ts';
import { createFacets } from '../counts/facets.ts';
import { createTextIndex } from './text-index.ts';

let log: TestLog<SqliteDatabase>;
beforeEach(async () => {
  log = await openTestLog();
});
afterEach(() => log.remove());

test('long records are indexed in several turns, so that others have theirs; all are found', async () => {
  const filler = 'a, '.repeat(70_000);
  const records = Array.from({ length: 12 }, (_, i) =>
    log.activity.open(draft({ arguments: { text: `needle${i} ${filler}` } })),
  );
  await Promise.all(records.map((record) => record.close({ status: 'success' })));
  // Its own index would do some of the work.
  await log.activity.close();
  await log.sql('DELETE FROM activity_text');
  await log.sql("DELETE FROM activity_state WHERE key = 'indexed_to'");
  let turns = 0;
  const db: SqliteDatabase = Object.create(log.db, {
    write: {
      value: <T>(act: () => T) => {
        turns++;
        return log.db.write(act);
      },
    },
  }) as SqliteDatabase;
  const index = createTextIndex({ db, facets: createFacets(db.sqlite), log: createLog('silent') });
  await index.catchUp(0);
  expect(turns).toBeGreaterThanOrEqual(6);
  for (let i = 0; i < 12; i++)
    expect(
      await log.sql('SELECT rowid FROM activity_text WHERE activity_text MATCH ?', `needle${i}`),
    ).toHaveLength(1);
});
