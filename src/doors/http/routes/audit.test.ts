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
      metadata: { approval: { grant_id: 'G1', granted_by: 'anna' } },
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
    await destroy('token:cursor', { status: 'refused', error_code: 'TOOL_DISABLED' });
    await destroy('token:cursor', { status: 'denied', error_code: 'APPROVAL_DENIED' });
    await destroy('token:other', { status: 'success' });
    const report = await audit('cursor');
    expect(report).toMatchObject({
      principal: 'token:cursor',
      ran: 4,
      approved: 2,
      did_not_run: 2,
      did_not_run_by_status: { refused: 1, denied: 1 },
      verification: { verdict: 'intact' },
    });
    expect(report.calls.map(({ id, because }) => [id, because])).toEqual([
      [approved, ['declared', 'variant']],
      [granted, ['declared', 'variant']],
      [free, ['declared', 'variant']],
      [hidden, ['verdict']],
    ]);
    expect(report.calls[0]).toMatchObject({
      tool: 'github:delete_repo',
      approval: {
        approval_id: 'A1',
        decided_by: 'operator',
        decided_from: 'cli',
        decided_at: '2026-03-01T12:00:00.000Z',
        client: 'cli/1',
        client_address: '192.0.2.7',
      },
    });
    expect(report.calls.slice(1).map(({ approval }) => approval?.decided_by)).toEqual([
      'anna',
      undefined,
      undefined,
    ]);
  });

  test('of a changed log says that it is not intact', async () => {
    const id = await destroy('token:cursor', { status: 'success' });
    await log.sql(`UPDATE activity SET client = 'someone-else' WHERE id = ?`, id);
    expect((await audit('cursor')).verification.verdict).toBe('broken');
  });
});
