import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { ActivityFilter } from '../../contract/activity.ts';
import {
  repeatedDecisionsOnPostgres,
  repeatedDecisionsOnSqlite,
} from '../../db/migrations/0016-repeated-decisions.ts';
import { decisionsOnPostgres, decisionsOnSqlite } from '../../db/migrations/0013-decisions.ts';
import { CSV_HEADER, csvLine } from '../export/csv.ts';

let log: TestLog;

const call = { server_name: 'github', tool_name: 'delete_repo', operation_type: 'destructive' } as const;
const approval = { id: 'A1', digest: 'd', asked_by: 'token:cursor' };

/** A call that waited, what a person decided about it, and what became of another one without anybody. */
async function fill(): Promise<Record<'call' | 'decision' | 'expiry' | 'chat', string>> {
  const made = log.activity.open(
    draft({
      ...call,
      client: 'claude-code/2.1.0',
      metadata: { principal: 'token:cursor', approval: { id: 'A1', decided_by: 'operator' } },
    }),
  );
  await made.close({ status: 'success' });
  const decision = log.activity.open(
    draft({
      ...call,
      type: 'decision',
      source: 'cli',
      client: 'cli/0.1.0',
      arguments: { approval_id: 'A1', decision: 'approve' },
      metadata: { action: 'approve', approval, principal: 'operator' },
    }),
  );
  await decision.close({
    status: 'success',
    metadata: { approval: { ...approval, decided_by: 'operator' } },
  });
  const expiry = log.activity.open(
    draft({ ...call, type: 'approval', source: 'system', metadata: { action: 'expire', approval } }),
  );
  await expiry.close({ status: 'expired', error_code: 'APPROVAL_EXPIRED' });
  const chat = log.activity.open({
    type: 'decision',
    source: 'chat',
    request_id: 'chat',
    metadata: { principal: 'operator' },
  });
  await chat.close({ status: 'success' });
  return { call: made.id, decision: decision.id, expiry: expiry.id, chat: chat.id };
}

/** As earlier versions stored it: type `approval` with the operation of the call. */
async function likeEarlier(): Promise<void> {
  await log.sql(
    `UPDATE activity_facet SET type = 'approval', operation_type = 'destructive' WHERE type = 'decision' AND tool_name IS NOT NULL`,
  );
  await log.sql(`UPDATE activity_facet SET operation_type = 'destructive' WHERE type = 'approval'`);
  if (log.engine === 'postgres') {
    await log.sql(
      `UPDATE activity_text SET words = array_to_tsvector(ARRAY(SELECT w FROM unnest(tsvector_to_array(words)) AS w WHERE w NOT LIKE E'\\uE000%'))`,
    );
    return;
  }
  await log.sql('INSERT OR IGNORE INTO activity_reindex SELECT seq FROM activity');
}

/** What migrations before the last one left: no decisions apart, all of them counted as destructive. */
async function countLikeEarlier(): Promise<void> {
  for (const table of ['activity_minute', 'activity_hour']) {
    await log.sql(
      `UPDATE ${table} SET n_destructive = n_destructive + n_decisions + 1, n_other = n_other - 1`,
    );
    await log.sql(`ALTER TABLE ${table} DROP COLUMN n_decisions`);
  }
}

/** Runs that migration alone. */
const migrateDecisions = () =>
  (log.engine === 'sqlite' ? decisionsOnSqlite : decisionsOnPostgres).up(log.db.kysely as Kysely<unknown>);

const ids = async (filter: ActivityFilter) =>
  (await log.activity.list(filter, { limit: 50 })).records.map(({ id }) => id);

eachLog('decisions of people', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  async function expectApart(made: Awaited<ReturnType<typeof fill>>): Promise<void> {
    expect(await log.activity.get(made.decision)).toMatchObject({
      type: 'decision',
      tool_name: 'delete_repo',
      principal: 'operator',
      client: 'cli/0.1.0',
      approval_id: 'A1',
      decided_by: 'operator',
    });
    expect(await log.activity.get(made.decision)).not.toHaveProperty('operation_type');
    expect(await log.activity.get(made.expiry)).not.toHaveProperty('operation_type');
    expect(await log.activity.get(made.call)).toMatchObject({
      type: 'tool_call',
      operation_type: 'destructive',
      principal: 'token:cursor',
      approval_id: 'A1',
      decided_by: 'operator',
    });
    expect(await ids({ type: 'decision', tool: 'delete_repo' })).toEqual([made.decision]);
    expect(await ids({ type: 'decision' })).toEqual([made.decision]);
    expect(await ids({ type: 'assistant_decision' })).toEqual([made.chat]);
    expect(await log.activity.get(made.chat)).toMatchObject({ type: 'assistant_decision' });
    expect(await ids({ type: 'assistant_decision', principal: 'operator' })).toEqual([made.chat]);
    expect(await ids({ type: 'approval' })).toEqual([made.expiry]);
    expect(await ids({ intent_type: 'destructive' })).toEqual([made.call]);
    expect(await ids({ intent_type: 'destructive', q: 'delete_repo' })).toEqual([made.call]);
    expect(await ids({ type: 'decision', q: 'approve' })).toEqual([made.decision]);
    expect(await log.activity.summary('all')).toMatchObject({
      total: 4,
      decisions: 1,
      by_operation: { destructive: 1 },
      by_status: { success: 2, expired: 1 },
      by_server: { github: 1 },
      by_tool: { 'github:delete_repo': 1 },
    });
    const { points } = await log.activity.series({
      start_time: '2026-03-01T10:00:00Z',
      end_time: '2026-03-01T14:00:00Z',
      buckets: 1,
    });
    expect(points).toMatchObject([
      { read: 0, destructive: 1, decisions: 1, other: 2, refused: 1, errors: 0, total: 4 },
    ]);
  }

  test('are listed, filtered and counted as decisions, never as calls', async () => {
    await expectApart(await fill());
  });

  test('a repeat that changed nothing is not counted as a decision', async () => {
    await fill();
    const metadata = { action: 'approve', approval, principal: 'operator' };
    const repeat = log.activity.open(draft({ ...call, type: 'decision', source: 'cli', metadata }));
    await repeat.close({ status: 'refused', error_code: 'CONFLICT', metadata: { first: false } });
    expect(await log.activity.summary('all')).toMatchObject({
      total: 5,
      decisions: 1,
      by_operation: { destructive: 1 },
      by_status: { success: 2, expired: 1, refused: 1 },
      by_tool: { 'github:delete_repo': 1 },
    });
    const charted = async () =>
      (
        await log.activity.series({
          start_time: '2026-03-01T10:00:00Z',
          end_time: '2026-03-01T14:00:00Z',
          buckets: 1,
        })
      ).points;
    const counts = [{ destructive: 1, decisions: 1, other: 3, refused: 2, errors: 0, total: 5 }];
    expect(await charted()).toMatchObject(counts);
    // Earlier versions counted it as a decision.
    for (const table of ['activity_minute', 'activity_hour'])
      await log.sql(
        `UPDATE ${table} SET n_decisions = n_decisions + 1, n_other = n_other - 1, n_refused = n_refused - 1`,
      );
    const migration = log.engine === 'sqlite' ? repeatedDecisionsOnSqlite : repeatedDecisionsOnPostgres;
    await migration.up(log.db.kysely as Kysely<unknown>);
    expect(await charted()).toMatchObject(counts);
  });

  test('those of earlier versions too, also in sums that were kept before', async () => {
    const made = await fill();
    await log.activity.list({ q: 'delete_repo' }, { limit: 1 });
    await likeEarlier();
    await countLikeEarlier();
    await log.sql(`DELETE FROM activity_state WHERE key = 'words_form'`);
    await migrateDecisions();
    await log.restart();
    await expectApart(made);
    // The result is the same after everything is reindexed.
    if (log.engine === 'postgres')
      await expect
        .poll(() => log.sql(`SELECT value FROM activity_state WHERE key = 'words_form'`))
        .toEqual([{ value: 3 }]);
    await expectApart(made);
  });

  test('records are found by who made them: by filter, with others, and by words', async () => {
    const made = await fill();
    for (let round = 0; round < 2; round++) {
      expect(await ids({ principal: 'token:cursor' })).toEqual([made.call]);
      expect(await ids({ principal: 'operator' })).toEqual([made.chat, made.decision]);
      expect(await ids({ principal: 'operator', type: 'decision', server: 'github' })).toEqual([
        made.decision,
      ]);
      expect(await ids({ client: 'claude-code' })).toEqual([made.call]);
      expect(await ids({ client: 'claude-code/2.1.0', status: 'success' })).toEqual([made.call]);
      expect(await ids({ client: 'claude' })).toEqual([]);
      expect(await ids({ client: 'claude-code', principal: 'operator' })).toEqual([]);
      expect(await ids({ q: 'cursor', intent_type: 'destructive' })).toEqual([made.call]);
      expect(await ids({ q: 'claude-code' })).toEqual([made.call]);
      expect((await log.activity.list({ principal: 'operator' }, { limit: 1 })).total).toBe(2);
      const exported: string[] = [];
      for await (const { id } of log.activity.export({ client: 'cli' })) exported.push(id);
      expect(exported).toEqual([made.decision]);
      // The second time with more records than are looked at one by one.
      if (round > 0) continue;
      const more = Array.from({ length: 600 }, (_, i) =>
        log.activity
          .open(draft({ request_id: `m${i}`, client: 'other/1', metadata: { principal: 'token:other' } }))
          .close({ status: 'success' }),
      );
      await Promise.all(more);
    }
  });

  test('an export as CSV tells a decision from a call', async () => {
    const made = await fill();
    const columns = CSV_HEADER.trim().split(',');
    const cells = async (id: string) => {
      const line = csvLine((await log.activity.get(id))!).trim();
      return line.replace(/"(?:[^"]|"")*"/g, '').split(',');
    };
    const [decision, calls] = [await cells(made.decision), await cells(made.call)];
    const at = (row: string[], name: string) => row[columns.indexOf(name)];
    expect(
      ['type', 'operation_type', 'decision', 'principal', 'approval_id', 'decided_by'].map((name) =>
        at(decision, name),
      ),
    ).toEqual(['decision', '', 'approve', 'operator', 'A1', 'operator']);
    expect(['type', 'operation_type', 'decision', 'principal'].map((name) => at(calls, name))).toEqual([
      'tool_call',
      'destructive',
      '',
      'token:cursor',
    ]);
  });
});
