import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { ActivityFilter, ActivityMetadata } from '../../contract/activity.ts';
import { dropCallerIndexes } from '../../db/migrations/anywhere/0024-caller-indexes.ts';
import { WHO_COLUMNS, whoOnPostgres, whoOnSqlite } from '../../db/migrations/0014-who.ts';
import type { Outcome, RecordDraft } from '../record/record.ts';

let log: TestLog;

async function add(wanted: Partial<RecordDraft>, outcome: Outcome = { status: 'success' }): Promise<string> {
  const record = log.activity.open(draft(wanted));
  await record.durable();
  await record.close(outcome);
  return record.id;
}

const call = (principal: string, more: ActivityMetadata = {}): Partial<RecordDraft> => ({
  client: 'claude-code/2.1.0',
  metadata: { principal, tool_variant: 'call_tool_read', ...more },
});

/** `the person at …` holds what the client calls itself. */
const PERSON = 'the person at "x"\\ é';

async function fill(): Promise<Record<'called' | 'granted' | 'decision' | 'earlier' | 'failed', string>> {
  const approval = { id: '01KJAPPROVALONE', rule: 'destructive', decided_by: PERSON };
  const called = await add(call('token:cursor'), { status: 'success', metadata: { approval } });
  const granted = await add(
    { ...call('token:cursor'), client: 'a/b/1' },
    { status: 'success', metadata: { approval: { grant_id: 'G1', granted_by: 'anna' } } },
  );
  const decide = (metadata: ActivityMetadata, outcome: Outcome) =>
    add(
      {
        type: 'decision',
        client: 'web',
        metadata: { action: 'approve', principal: 'operator', ...metadata },
      },
      outcome,
    );
  const decision = await decide(
    { approval: { id: '01KJAPPROVALONE' } },
    { status: 'success', metadata: { approval: { id: '01KJAPPROVALONE', decided_by: PERSON } } },
  );
  const earlier = await decide({ approval: { id: 'A0' } }, { status: 'success' });
  const failed = await decide({ approval: { id: 'A0' } }, { status: 'refused', error_code: 'CONFLICT' });
  return { called, granted, decision, earlier, failed };
}

const ids = async (filter: ActivityFilter) =>
  (await log.activity.list(filter, { limit: 50 })).records.map(({ id }) => id);
const total = async (filter: ActivityFilter) => (await log.activity.list(filter, { limit: 1 })).total;
const exported = async (filter: ActivityFilter) => {
  const found: string[] = [];
  for await (const { id } of log.activity.export(filter)) found.unshift(id);
  return found;
};

async function expectFound(made: Awaited<ReturnType<typeof fill>>): Promise<void> {
  const { called, granted, decision, earlier, failed } = made;
  const cases: Array<[ActivityFilter, string[]]> = [
    [{ principal: 'token:cursor' }, [granted, called]],
    [{ principal: 'operator' }, [failed, earlier, decision]],
    [{ principal: 'token:cur' }, []],
    [{ client: 'claude-code' }, [called]],
    [{ client: 'claude-code/2.1.0' }, [called]],
    [{ client: 'claude-code/2.1' }, []],
    [{ client: 'a/b' }, [granted]],
    [{ client: 'a/b/1' }, [granted]],
    [{ client: 'a' }, []],
    [{ client: 'web' }, [failed, earlier, decision]],
    [{ approval_id: '01KJAPPROVALONE' }, [decision, called]],
    [{ approval_id: '01KJAPPROVALONE', type: 'tool_call' }, [called]],
    [{ approval_id: 'A0' }, [failed, earlier]],
    [{ decided_by: PERSON }, [decision, called]],
    [{ decided_by: 'anna' }, [granted]],
    [{ decided_by: 'operator' }, [earlier]],
    [{ decided_by: 'nobody' }, []],
    [{ decided_by: PERSON, principal: 'token:cursor' }, [called]],
    [{ decided_by: PERSON, q: 'claude' }, [called]],
    [{ q: '01kjapprovalone' }, [decision, called]],
    [{ q: 'anna' }, [granted]],
    [{ q: 'cursor claude' }, [called]],
  ];
  for (const [filter, wanted] of cases) {
    expect(await ids(filter), JSON.stringify(filter)).toEqual(wanted);
    expect(await exported(filter), JSON.stringify(filter)).toEqual(wanted);
    expect(await total(filter), JSON.stringify(filter)).toBe(wanted.length);
  }
}

/** As the version before had it. */
async function likeEarlier(): Promise<void> {
  for (const index of ['principal', 'client', 'approval', 'decider'])
    await log.sql(`DROP INDEX IF EXISTS activity_by_${index}`);
  for (const column of ['principal', 'approval_id', 'decided_by', 'client_program'])
    await log.sql(`ALTER TABLE activity DROP COLUMN ${column}`);
  await log.sql(`ALTER TABLE activity_facet DROP COLUMN other_operations`);
  if (log.engine === 'sqlite') return;
  await log.sql(`UPDATE activity_facet SET key_hash = 'earlier ' || id`);
  await log.sql("UPDATE activity_text SET words = ''::tsvector");
  await log.sql(
    `INSERT INTO activity_state VALUES ('words_form', 2) ON CONFLICT (key) DO UPDATE SET value = 2`,
  );
}

async function migrateWho(): Promise<void> {
  const db = log.db.kysely as Kysely<unknown>;
  for (const migration of log.engine === 'sqlite' ? [whoOnSqlite, dropCallerIndexes] : [whoOnPostgres])
    await migration.up(db);
}

const reindexed = () =>
  log.engine === 'sqlite'
    ? expect.poll(() => log.sql('SELECT seq FROM activity_reindex')).toEqual([])
    : expect
        .poll(() => log.sql(`SELECT value FROM activity_state WHERE key = 'words_form'`))
        .toEqual([{ value: 3 }]);

async function planOf(condition: string, value: string): Promise<string> {
  const explain = log.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const rows = await log.sql(
    `${explain} SELECT seq FROM activity WHERE ${condition} ORDER BY seq DESC LIMIT 50`,
    value,
  );
  return JSON.stringify(rows);
}

/** Calls whose declared operation, variant and verdict differ, by what they are called. */
async function attempts(): Promise<Record<'declared' | 'variant' | 'verdict' | 'read' | 'write', string>> {
  const one = (declared: string, variant: string, verdict?: string) =>
    add(
      {
        server_name: 's',
        tool_name: 't',
        operation_type: declared as 'read',
        metadata: {
          principal: 'token:x',
          tool_variant: `call_tool_${variant}` as 'call_tool_read',
          intent: { operation_type: declared as 'read' },
        },
      },
      {
        status: 'refused',
        error_code: 'SERVER_MISMATCH',
        metadata: verdict ? { operation: { verdict } } : {},
      },
    );
  return {
    declared: await one('destructive', 'read'),
    variant: await one('read', 'destructive'),
    verdict: await one('read', 'write', 'destructive'),
    read: await one('read', 'read', 'read'),
    write: await one('write', 'write'),
  };
}

async function expectAttempts({
  declared,
  variant,
  verdict,
  read,
  write,
}: Awaited<ReturnType<typeof attempts>>) {
  for (const more of [
    {},
    { q: 't' },
    { principal: 'token:x' },
    { server: 's' },
    { status: 'refused' },
  ] as const) {
    const found = (intent_type: 'read' | 'write' | 'destructive') => ids({ intent_type, ...more });
    expect(await found('destructive')).toEqual([verdict, variant, declared]);
    expect(await found('read')).toEqual([read, verdict, variant, declared]);
    expect(await found('write')).toEqual([write, verdict]);
    expect(await total({ intent_type: 'destructive', ...more })).toBe(3);
  }
  expect(await log.activity.get(verdict)).toMatchObject({
    operation_type: 'read',
    operations: { declared: 'read', variant: 'write', verdict: 'destructive' },
  });
  expect((await log.activity.summary('all')).by_operation).toEqual({ read: 3, write: 1, destructive: 1 });
}

eachLog('who did what', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('principal, client, approval and decider are filters, and full text finds them', async () => {
    const made = await fill();
    await expectFound(made);
    expect(await log.activity.get(made.granted)).toMatchObject({ decided_by: 'anna' });
    // Characters that no database takes in a column must not make the record fail.
    const hostile = { id: 'N\u0000', decided_by: 'the person at \u0000 \ud800', rule: '\u0000' };
    const odd = await add({ metadata: { principal: 'x\u0000', approval: hostile } });
    expect(await log.activity.get(odd)).toMatchObject({ status: 'success' });
    expect(await log.activity.get(made.called)).toMatchObject({
      approval_id: '01KJAPPROVALONE',
      decided_by: PERSON,
    });
  });

  test('an index answers each filter about who did what', async () => {
    await fill();
    const more = Array.from({ length: 1500 }, (_, i) =>
      log.activity
        .open(draft({ client: 'other/1', metadata: { principal: `token:t${i % 3}` } }))
        .close({ status: 'success' }),
    );
    await Promise.all(more);
    await log.sql('ANALYZE activity');
    expect(await planOf('approval_id = ?', 'A0')).toContain('activity_by_approval');
    expect(await planOf('decided_by = ?', 'anna')).toContain('activity_by_decider');
    // On SQLite the text index has marks for these two, and each index more costs every call.
    const isOwn = log.engine === 'postgres';
    const callers = await planOf('principal = ?', 'token:cursor');
    expect(callers.includes('activity_by_principal')).toBe(isOwn);
    const clients = await planOf('client_program = ?', 'claude-code');
    expect(clients.includes('activity_by_client')).toBe(isOwn);
    expect(await total({ principal: 'token:t1' })).toBe(500);
    expect(await total({ client: 'other' })).toBe(1500);
    expect(await total({ principal: 'token:t1', client: 'other/1' })).toBe(500);
  });

  test('records of earlier versions are found by who made them, before and after they are indexed again', async () => {
    const made = await fill();
    await log.activity.list({ q: 'cursor' }, { limit: 1 });
    await likeEarlier();
    await migrateWho();
    await log.restart();
    const { q: _words, ...filter }: ActivityFilter = { principal: 'operator', q: undefined };
    expect(await ids(filter)).toEqual([made.failed, made.earlier, made.decision]);
    await reindexed();
    await expectFound(made);
    expect((await log.activity.verify()).verdict).toBe('intact');
  });

  test('intent_type=destructive finds every attempt that was destructive by declaration, variant or verdict', async () => {
    await expectAttempts(await attempts());
  });

  test('intent_type finds attempts of earlier versions by all three too', async () => {
    const made = await attempts();
    await log.activity.list({ q: 't' }, { limit: 1 });
    await likeEarlier();
    await migrateWho();
    await log.restart();
    await reindexed();
    await expectAttempts(made);
    expect((await log.activity.verify()).verdict).toBe('intact');
  });

  test.each(WHO_COLUMNS)(
    'verify finds a record that was hidden from its filter by another column %s',
    async (column) => {
      await fill();
      expect((await log.activity.verify()).verdict).toBe('intact');
      for (const index of ['principal', 'client', 'approval', 'decider'])
        await log.sql(`DROP INDEX IF EXISTS activity_by_${index}`);
      await log.sql(`ALTER TABLE activity DROP COLUMN ${column}`);
      await log.sql(`ALTER TABLE activity ADD COLUMN ${column} TEXT DEFAULT 'nobody'`);
      const { verdict, problem } = await log.activity.verify();
      expect({ verdict, reason: problem?.reason }).toEqual({
        verdict: 'broken',
        reason: 'derived value differs',
      });
      if (log.engine === 'sqlite') return;
      for (const each of WHO_COLUMNS) await log.sql(`ALTER TABLE activity DROP COLUMN ${each}`);
      await log.sql(`ALTER TABLE activity_facet DROP COLUMN other_operations`);
      await migrateWho();
    },
  );

  test.each([
    ['hidden', 'NULL', 'other_operations IS NOT NULL'],
    ['shown wrongly', `'destructive'`, 'other_operations IS NULL'],
  ])('verify finds an attempt that is %s by another operation in its facet', async (_how, value, where) => {
    await attempts();
    expect((await log.activity.verify()).verdict).toBe('intact');
    const { verdict, problem } = await log.verifyChanged((sql) =>
      sql(
        `UPDATE activity_facet SET other_operations = ${value} WHERE id IN (SELECT facet_id FROM activity) AND ${where}`,
      ),
    );
    expect({ verdict, reason: problem?.reason }).toEqual({
      verdict: 'broken',
      reason: 'derived value differs',
    });
  });

  test('metadata that is too long still says who did what', async () => {
    const approval = { id: 'LONG', decided_by: 'anna' };
    const id = await add(call('token:cursor', { padding: 'x y '.repeat(100_000) }), {
      status: 'success',
      metadata: { approval, operation: { verdict: 'destructive' } },
    });
    expect(await log.activity.get(id)).toMatchObject({
      principal: 'token:cursor',
      approval_id: 'LONG',
      decided_by: 'anna',
      operations: { variant: 'read', verdict: 'destructive' },
      metadata: { truncated: true },
    });
    expect(await ids({ approval_id: 'LONG' })).toEqual([id]);
    expect((await log.activity.verify()).verdict).toBe('intact');
  });

  test('duration_ms is whole, also of a record that was stored with a fraction, and the chain still verifies', async () => {
    const id = await add({});
    const [{ duration_ms: stored }] = (await log.sql<{ duration_ms: number }>(
      'SELECT duration_ms FROM activity WHERE id = ?',
      id,
    )) as [{ duration_ms: number }];
    expect(Number.isInteger(stored)).toBe(true);
    const now = performance.now.bind(performance);
    let ahead = 0;
    performance.now = () => now() + ahead;
    try {
      const record = log.activity.open(draft({}));
      ahead = 12.6;
      await record.close({ status: 'success' });
      expect(Number.isInteger((await log.activity.get(record.id))!.duration_ms)).toBe(true);
    } finally {
      performance.now = now;
    }
    const store = (duration: number) =>
      log.sql('UPDATE activity SET duration_ms = ? WHERE id = ?', duration, id);
    await store(12.6);
    expect((await log.activity.get(id))!.duration_ms).toBe(13);
    await store(stored);
    const changed = await log.verifyChanged((sql) =>
      sql('UPDATE activity SET duration_ms = 0.5 WHERE id = ?', id),
    );
    expect(changed.verdict).toBe('broken');
    expect((await log.activity.verify()).verdict).toBe('intact');
  });
});
