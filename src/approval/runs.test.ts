import { expect, test } from 'vitest';
import { AGENT, approvalRequest } from '../../test/fixtures/approvals.ts';
import { logLines } from '../../test/fixtures/log-lines.ts';
import { testSeal } from '../../test/fixtures/row-seal.ts';
import type { ApprovalRow } from './store/approval-row.ts';
import type { ApprovalStore } from './store/approval-store.ts';
import { createRuns } from './runs.ts';
import { noFence } from './server-change.ts';

test('an outcome that cannot be stored is logged with the request that made the call', async () => {
  const { log, lines } = logLines();
  const full = async () => Promise.reject(new Error('the disk is full'));
  const store = { spend: async () => ({ id: 'A1' }) as ApprovalRow, finish: full, unspend: full };
  const by: unknown[] = [];
  const runs = createRuns({
    store: store as unknown as ApprovalStore,
    runner: 'this proxy',
    now: () => 0,
    changed: (_row, request) => void by.push(request),
    fence: () => noFence,
    seal: testSeal(),
    log,
  });
  const trace = { traceId: 'T1' } as NonNullable<typeof AGENT.trace>;
  const caller = { ...AGENT, trace };
  expect(await runs.spend('A1', approvalRequest({ caller }))).toBe(true);
  const run = runs.permit('A1', caller);
  await run.settle({ result: { content: [] } });
  await run.release();
  const about = { approval: 'A1', request_id: AGENT.requestId, trace_id: 'T1' };
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the outcome of an approved call could not be stored',
    'an unused approval could not be released',
    'the outcome of an approved call could not be stored',
  ]);
  expect(lines).toMatchObject([about, about, about]);
  expect(by).toEqual([caller]);
});
