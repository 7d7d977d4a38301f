import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../../test/fixtures/activity-log.ts';
import type { Outcome, RecordDraft } from '../../../log/index.ts';
import { auditOf } from './audit.ts';

let log: TestLog;

async function add(wanted: Partial<RecordDraft>, outcome: Outcome): Promise<string> {
  const record = log.activity.open(draft({ server_name: 'github', tool_name: 'delete_repo', ...wanted }));
  await record.close(outcome);
  return record.id;
}

const destroy = (principal: string, outcome: Outcome) =>
  add(
    {
      operation_type: 'destructive',
      metadata: {
        principal,
        tool_variant: 'call_tool_destructive',
        intent: { operation_type: 'destructive' },
      },
    },
    outcome,
  );

const audit = (principal: string) =>
  auditOf(
    { principal, start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' },
    { activity: log.activity, now: log.clock.time, signal: new AbortController().signal },
  );

eachLog('the audit of a credential', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('says what token X destroyed, who approved each, and whether the log is complete', async () => {
    const trail = {
      id: 'A1',
      decided_by: 'operator',
      decided_from: 'cli',
      decided_at: '2026-03-01T12:00:00.000Z',
    };
    await add(
      {
        type: 'decision',
        source: 'cli',
        client: 'cli/1',
        arguments: { approval_id: 'A1', decision: 'approve', reason: 'agreed in the meeting' },
        metadata: {
          action: 'approve',
          principal: 'operator',
          approval: { id: 'A1' },
          client_address: '192.0.2.7',
        },
      },
      { status: 'success', metadata: { approval: trail } },
    );
    const approved = await destroy('token:cursor', { status: 'success', metadata: { approval: trail } });
    const granted = await destroy('token:cursor', {
      status: 'error',
      metadata: {
        approval: {
          grant_id: 'G1',
          granted_by: 'anna',
          granted_at: '2026-03-01T11:00:00.000Z',
          granted_from: 'cli',
          granted_with: 'A1',
        },
      },
    });
    const free = await destroy('token:cursor', { status: 'unknown' });
    // Declared as a read, but the tool destroys.
    const hidden = await add(
      {
        operation_type: 'read',
        metadata: {
          principal: 'token:cursor',
          tool_variant: 'call_tool_read',
          intent: { operation_type: 'read' },
        },
      },
      { status: 'success', metadata: { operation: { verdict: 'destructive' } } },
    );
    // Told to wait, and then run with the approval: one call. Told to wait, and never run: an attempt.
    await destroy('token:cursor', { status: 'pending', metadata: { approval: { id: 'A1' } } });
    await destroy('token:cursor', { status: 'pending', metadata: { approval: { id: 'A2' } } });
    // Repeats that changed nothing, as this version and an earlier one record them.
    for (const status of ['refused', 'success'] as const)
      await add(
        {
          type: 'decision',
          source: 'api',
          client: 'curl/8',
          metadata: { action: 'approve', principal: 'operator', approval: { id: 'A1' } },
        },
        { status, metadata: { first: false } },
      );
    // The operator has made the tool a read; its server says that it destroys.
    const weakened = await add(
      {
        operation_type: 'read',
        arguments: { path: `/${'x'.repeat(1000)}` },
        metadata: {
          principal: 'token:cursor',
          tool_variant: 'call_tool_read',
          intent: { operation_type: 'read', reason: 'spring cleaning' },
        },
      },
      {
        status: 'success',
        metadata: { operation: { verdict: 'read', source: 'operator', hint: 'destructive' } },
      },
    );
    await destroy('token:cursor', { status: 'refused', error_code: 'TOOL_DISABLED' });
    await destroy('token:cursor', { status: 'denied', error_code: 'APPROVAL_DENIED' });
    await destroy('token:other', { status: 'success' });
    const report = await audit('token:cursor');
    expect(report).toMatchObject({
      principal: 'token:cursor',
      ran: 5,
      approved: 2,
      did_not_run: 3,
      did_not_run_by_status: { pending: 1, refused: 1, denied: 1 },
      known_principals: [],
      verification: { verdict: 'intact' },
    });
    expect(report.calls.map(({ id, because }) => [id, because])).toEqual([
      [approved, ['declared', 'variant']],
      [granted, ['declared', 'variant']],
      [free, ['declared', 'variant']],
      [hidden, ['verdict']],
      [weakened, ['hint']],
    ]);
    expect(report.calls[4]).toMatchObject({ reason: 'spring cleaning' });
    expect(report.calls[4]!.arguments).toMatch(/^\{"path":"\/x+…$/);
    expect(report.calls[4]!.arguments!.length).toBeLessThan(310);
    expect(report.calls[0]).toMatchObject({
      tool: 'github:delete_repo',
      approval: {
        approval_id: 'A1',
        decided_by: 'operator',
        decided_from: 'cli',
        decided_at: '2026-03-01T12:00:00.000Z',
        client: 'cli/1',
        client_address: '192.0.2.7',
        reason: 'agreed in the meeting',
      },
    });
    expect(report.calls[1]).toMatchObject({
      approval: {
        grant_id: 'G1',
        decided_at: '2026-03-01T11:00:00.000Z',
        decided_from: 'cli',
        client: 'cli/1',
        client_address: '192.0.2.7',
      },
    });
    expect(report.calls.slice(1).map(({ approval }) => approval?.decided_by)).toEqual([
      'anna',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of a changed log says that it is not intact', async () => {
    const id = await destroy('token:cursor', { status: 'success' });
    await log.sql(`UPDATE activity SET client = 'someone-else' WHERE id = ?`, id);
    expect((await audit('token:cursor')).verification.verdict).toBe('broken');
  });

  test('finds every call although the indexes, the counts and the operations of the facets were changed', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await destroy('token:cursor', { status: 'success' }));
    await log.activity.list({ q: 'delete_repo' }, { limit: 1 });
    const counts =
      log.engine === 'sqlite' ? ['activity_count'] : ['activity_count_all', 'activity_count_hour'];
    for (const table of ['activity_text', ...counts]) await log.sql(`DELETE FROM ${table}`);
    await log.sql(`UPDATE activity_facet SET other_operations = 'read'`);
    await log.restart();
    const { calls, verification } = await audit('token:cursor');
    expect(calls.map(({ id }) => id)).toEqual(ids);
    expect(verification.verdict).toBe('broken');
  });

  test('tells a call that is running, a token that was made again, and a credential without records', async () => {
    const open = log.activity.open(
      draft({
        operation_type: 'destructive',
        metadata: { principal: 'token:cursor', token_id: 'T2', tool_variant: 'call_tool_destructive' },
      }),
    );
    await open.durable();
    await add({ metadata: { principal: 'token:cursor', token_id: 'T1' } }, { status: 'success' });
    await add({ metadata: { principal: 'token:cursor', token_id: 'T1' } }, { status: 'success' });
    expect(await audit('token:cursor')).toMatchObject({
      records: 3,
      ran: 1,
      ran_by_status: { pending: 1 },
      did_not_run: 0,
      calls: [{ id: open.id, token_id: 'T2' }],
      tokens: [
        { id: 'T2', records: 1 },
        { id: 'T1', records: 2 },
      ],
    });
    await open.close({ status: 'success' });
    expect(await audit('nobody')).toMatchObject({
      records: 0,
      ran: 0,
      calls: [],
      tokens: [],
      known_principals: ['token:cursor'],
    });
    expect(await audit('nobody')).not.toHaveProperty('credential');
    const backwards = {
      principal: 'token:cursor',
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-01T00:00:00Z',
    };
    await expect(
      auditOf(backwards, { activity: log.activity, now: 0, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('tells a token that was never used, or not in this time, from a wrong name', async () => {
    await add(
      {
        type: 'config_change',
        arguments: { name: 'idle-bot' },
        metadata: { principal: 'operator', action: 'create_token' },
      },
      { status: 'success', response: { token_name: 'idle-bot', token_id: 'T9' } },
    );
    expect(await audit('token:idle-bot')).toMatchObject({
      records: 0,
      credential: { created_at: expect.any(String) as string },
    });
    expect(await audit('token:idle-bo')).not.toHaveProperty('credential');
    const id = await destroy('token:cursor', { status: 'success' });
    const { timestamp } = (await log.activity.get(id))!;
    const later = new Date(Date.parse(timestamp) + 60_000).toISOString();
    const query = { principal: 'token:cursor', start_time: later };
    const parts = {
      activity: log.activity,
      now: Date.parse(later) + 1,
      signal: AbortSignal.timeout(600_000),
    };
    expect(await auditOf(query, parts)).toMatchObject({
      records: 0,
      credential: { last_record: timestamp },
    });
  });

  test('the records about one approval are one attempt, with how it ended and by whom', async () => {
    const waits = (id: string) =>
      destroy('token:cursor', { status: 'pending', metadata: { approval: { id } } });
    const [denied, expired, waiting] = [await waits('A1'), await waits('A2'), await waits('A3')];
    await waits('A1');
    await add(
      {
        type: 'decision',
        source: 'cli',
        arguments: { approval_id: 'A1', decision: 'deny', reason: 'still needed' },
        metadata: { action: 'deny', principal: 'operator', approval: { id: 'A1' } },
      },
      { status: 'success', metadata: { approval: { id: 'A1', decided_by: 'operator' } } },
    );
    await destroy('token:cursor', { status: 'denied', metadata: { approval: { id: 'A1' } } });
    await add(
      { type: 'approval', source: 'system', metadata: { action: 'expire', approval: { id: 'A2' } } },
      { status: 'expired' },
    );
    const refused = await destroy('token:cursor', { status: 'refused', error_message: 'out of scope' });
    const { did_not_run, did_not_run_by_status, attempts } = await audit('token:cursor');
    expect({ did_not_run, did_not_run_by_status }).toEqual({
      did_not_run: 4,
      did_not_run_by_status: { denied: 1, expired: 1, pending: 1, refused: 1 },
    });
    expect(attempts).toMatchObject([
      { id: denied, status: 'denied', ended_by: 'operator', because: 'still needed' },
      { id: expired, status: 'expired' },
      { id: waiting, status: 'pending' },
      { id: refused, status: 'refused', because: 'out of scope' },
    ]);
  });

  test('names what retention has removed from the time that is asked about', async () => {
    await destroy('token:cursor', { status: 'success' });
    log.clock.time += 5 * 86_400_000;
    await destroy('token:cursor', { status: 'success' });
    log.settings.retention_days = 3;
    expect(await log.activity.sweep()).toBe(1);
    const { ran, removed } = await auditOf(
      { principal: 'token:cursor' },
      { activity: log.activity, now: log.clock.time, signal: new AbortController().signal },
    );
    expect({ ran, removed }).toMatchObject({ ran: 1, removed: [{ records: 1 }] });
    const since = new Date(log.clock.time - 60_000).toISOString();
    const later = await auditOf(
      { principal: 'token:cursor', start_time: since },
      { activity: log.activity, now: log.clock.time, signal: new AbortController().signal },
    );
    expect(later.removed).toEqual([]);
  });
});
