import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, eachLog, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { verifyInThreads } from './verify-threads.ts';

let log: TestLog;

/** What is made, how it is removed, and how the message names it. */
type Foreign = readonly [make: string[], remove: string[], named: string];

const ON: Record<TestLog['engine'], readonly Foreign[]> = {
  sqlite: [
    [
      [
        `CREATE TRIGGER back AFTER INSERT ON activity_journal BEGIN UPDATE activity_facet SET status = 'success'; END`,
      ],
      ['DROP TRIGGER back'],
      'the trigger "back" on "activity_journal"',
    ],
    [
      [
        'ALTER TABLE activity_facet RENAME TO hidden',
        'CREATE VIEW activity_facet AS SELECT * FROM hidden',
        'CREATE TRIGGER passed INSTEAD OF INSERT ON activity_facet BEGIN INSERT INTO hidden SELECT NEW.id, NEW.type, NEW.source, NEW.status, NEW.operation_type, NEW.server_name, NEW.tool_name, NEW.unlisted, NEW.other_operations; END',
      ],
      ['DROP VIEW activity_facet', 'ALTER TABLE hidden RENAME TO activity_facet'],
      'the view "activity_facet"',
    ],
    [['CREATE VIRTUAL TABLE other USING fts5 (words)'], ['DROP TABLE other'], 'the table "other"'],
  ],
  postgres: [
    [
      [
        `CREATE POLICY hide ON activity USING (current_query() LIKE '%activity_journal%')`,
        'ALTER TABLE activity ENABLE ROW LEVEL SECURITY',
        'ALTER TABLE activity FORCE ROW LEVEL SECURITY',
      ],
      [
        'DROP POLICY hide ON activity',
        'ALTER TABLE activity DISABLE ROW LEVEL SECURITY',
        'ALTER TABLE activity NO FORCE ROW LEVEL SECURITY',
      ],
      'the row-level security policy "hide" on "activity"',
    ],
    [
      ['ALTER TABLE activity_facet ENABLE ROW LEVEL SECURITY'],
      ['ALTER TABLE activity_facet DISABLE ROW LEVEL SECURITY'],
      'the row-level security of the table "activity_facet"',
    ],
    [
      [
        'CREATE TRIGGER same BEFORE UPDATE ON activity_facet FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      ],
      ['DROP TRIGGER same ON activity_facet'],
      'the trigger "same" on "activity_facet"',
    ],
    [
      ['CREATE RULE silent AS ON DELETE TO activity_state DO INSTEAD NOTHING'],
      ['DROP RULE silent ON activity_state'],
      'the rule "silent" on "activity_state"',
    ],
    [
      ['ALTER TABLE activity_facet RENAME TO hidden', 'CREATE VIEW activity_facet AS SELECT * FROM hidden'],
      ['DROP VIEW activity_facet', 'ALTER TABLE hidden RENAME TO activity_facet'],
      'the relation (not an ordinary table) "activity_facet"',
    ],
    [
      ['CREATE TABLE more () INHERITS (activity_count_all)'],
      ['DROP TABLE more'],
      'the inheriting table "more" on "activity_count_all"',
    ],
  ],
};

const schemaDiffers = (named: string) => ({
  verdict: 'broken',
  intact: false,
  problem: { reason: 'schema differs', message: expect.stringContaining(`the database contains ${named},`) },
});

eachLog('what mcpproxy did not make in the database', (open, engine) => {
  beforeEach(async () => {
    log = await open();
    await log.activity.open(draft()).close({ status: 'success' });
    await log.activity.checkpoint();
  });
  afterEach(() => log.remove());

  test.each(ON[engine])('is no intact log: %s', async (make, remove, named) => {
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    try {
      for (const statement of make) await log.sql(statement);
      expect(await log.activity.verify()).toMatchObject(schemaDiffers(named));
    } finally {
      for (const statement of remove) await log.sql(statement);
    }
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
  });
});

describe('a check on SQLite', () => {
  let log: TestLog<SqliteDatabase>;
  beforeEach(async () => {
    log = await openTestLog();
    for (const tool_name of ['one', 'two'])
      await log.activity.open(draft({ tool_name })).close({ status: 'success' });
    await log.activity.checkpoint();
  });
  afterEach(() => log.remove());

  test('finds a trigger in threads too', async () => {
    await log.sql('CREATE TRIGGER back AFTER INSERT ON activity BEGIN SELECT 1; END');
    const found = await verifyInThreads({ file: log.db.file, dataDir: log.dir });
    expect(found).toMatchObject(schemaDiffers('the trigger "back" on "activity"'));
  });

  test('finds a facet that was changed before the start and changed back after it', async () => {
    const name = (to: string) =>
      log.sql(`UPDATE activity_facet SET tool_name = ? WHERE tool_name IN ('two', 'harmless')`, to);
    await name('harmless');
    await log.restart();
    await name('two');
    const shown = await log.activity.list({}, { limit: 10 });
    expect(JSON.stringify(shown)).toContain('harmless');
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'broken',
      intact: false,
      problem: { reason: 'derived value differs', message: expect.stringContaining('restart the proxy') },
    });
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 2 });
  });

  test('finds a copy of a facet that this process does not know', async () => {
    await log.sql(
      `INSERT INTO activity_facet SELECT id + 100, type, source, status, operation_type, server_name, tool_name, unlisted, other_operations
       FROM activity_facet WHERE tool_name = 'two'`,
    );
    await log.sql(
      `UPDATE activity SET facet_id = facet_id + 100 WHERE facet_id IN (SELECT id FROM activity_facet WHERE id < 100 AND tool_name = 'two')`,
    );
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'broken',
      problem: { reason: 'derived value differs' },
    });
  });
});
