import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  errorOf,
  openApprovalStage,
  PIPED_WAYS,
  WAYS,
  type ApprovalStage,
  type HeldClient,
  type Way,
} from './approval-stage.ts';
import { poll } from './start-proxy.ts';

let stage: ApprovalStage;
let marks = 0;
const newMark = () => `mark ${++marks} `.padEnd(12, '.');

beforeAll(async () => {
  stage = await openApprovalStage({
    require: ['destructive'],
    wait: '1s',
    ttl: '1m',
    max_pending_per_caller: 1000,
  });
});
afterAll(() => stage?.dispose());

/** Repeats the identical call for as long as it waits, as an agent does that was told so. */
async function untilSettled(client: HeldClient, mark: string) {
  for (let attempt = 0; attempt < 30; attempt++) {
    const result = await client.call(mark);
    if (result.isError !== true || errorOf(result).code !== 'APPROVAL_PENDING') return result;
  }
  throw new Error('it never settled');
}

describe.each(WAYS)('told by %s', (way: Way) => {
  let client: HeldClient;
  beforeAll(async () => void (client = await stage.client(way)));

  test('approve: it runs exactly once, and the record tells by whom', async () => {
    const mark = newMark();
    const called = untilSettled(client, mark);
    const approval = await stage.approvalOf(mark);
    expect(approval).toMatchObject({
      status: 'pending',
      server: 'up',
      tool: 'destructive',
      operation: 'destructive',
      principal: 'token:agent',
      client: 'e2e/1.0.0',
      arguments: { text: mark },
    });
    expect(stage.executions(mark)).toBe(0);
    await stage.decide(approval.id, { decision: 'approve', reason: 'go on' });
    expect(await called).toMatchObject({ content: [{ type: 'text' }] });
    expect(stage.executions(mark)).toBe(1);
    expect(await stage.approvalOf(mark)).toMatchObject({
      status: 'executed',
      decided_by: 'operator',
      decided_from: 'api',
    });
    const [ran] = await stage.recordsOf(mark);
    expect(ran).toMatchObject({
      status: 'success',
      metadata: {
        approval: { id: approval.id, decided_by: 'operator', reason: 'go on' },
        principal: 'token:agent',
      },
    });
  });

  test('deny: it never runs, and the reason reaches the agent', async () => {
    const mark = newMark();
    const called = untilSettled(client, mark);
    await stage.decide((await stage.approvalOf(mark)).id, { decision: 'deny', reason: 'archive it instead' });
    const result = await called;
    expect(errorOf(result)).toMatchObject({
      code: 'APPROVAL_DENIED',
      details: { reason: 'archive it instead' },
    });
    expect(JSON.stringify(result.content)).toContain('archive it instead');
    expect(stage.executions(mark)).toBe(0);
    expect((await stage.recordsOf(mark))[0]).toMatchObject({
      status: 'denied',
      error_code: 'APPROVAL_DENIED',
    });
  });

  test('expiry: it never runs, and the agent hears that it did not', async () => {
    const mark = newMark();
    await stage.settings({ ttl: '2s' });
    const result = await untilSettled(client, mark);
    await stage.settings({ ttl: '1m' });
    expect(errorOf(result)).toMatchObject({
      code: 'APPROVAL_EXPIRED',
      message: expect.stringContaining('did not run') as string,
    });
    expect(stage.executions(mark)).toBe(0);
    await expect(
      stage.decide((await stage.approvalOf(mark)).id, { decision: 'approve' }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await stage.recordsOf(mark))[0]).toMatchObject({ status: 'expired' });
  });
});

describe('what the client answers', () => {
  const DIALOGS: Way[] = ['elicitation', 'elicitation (SDK 1.x)', 'input_required', ...PIPED_WAYS];

  test.each(DIALOGS)('%s: with in-client approval off no dialog is sent', async (way) => {
    const client = await stage.client(way);
    client.answer = () => ({ action: 'accept', content: { approve: true } });
    const mark = newMark();
    const called = untilSettled(client, mark);
    const { id } = await stage.approvalOf(mark, 'pending');
    // Longer than the wait: whatever would be sent has been sent.
    await expect.poll(async () => (await stage.recordsOf(mark)).length).toBeGreaterThan(1);
    expect(stage.executions(mark)).toBe(0);
    await stage.decide(id, { decision: 'approve' });
    expect(await called).toMatchObject({ content: [{ type: 'text' }] });
    expect(client.dialogs).toEqual([]);
  });

  test.each(DIALOGS)(
    '%s: with in-client approval on it counts, once, and is recorded as such',
    async (way) => {
      await stage.settings({ in_client: true });
      const client = await stage.client(way);
      client.answer = () => ({ action: 'accept', content: { approve: true } });
      const mark = newMark();
      expect(await client.call(mark)).toMatchObject({ content: [{ type: 'text' }] });
      expect(client.dialogs).toHaveLength(1);
      expect(client.dialogs[0]).toContain(mark);
      expect(stage.executions(mark)).toBe(1);
      expect(await stage.approvalOf(mark)).toMatchObject({
        status: 'executed',
        decided_from: 'in-client',
        decided_by: 'the person at e2e/1.0.0',
      });
      client.answer = () => ({ action: 'accept', content: { approve: false } });
      const denied = newMark();
      expect(errorOf(await client.call(denied)).code).toBe('APPROVAL_DENIED');
      expect(stage.executions(denied)).toBe(0);
      await stage.settings({ in_client: false });
    },
  );

  const DECLINED: ElicitResult = { action: 'decline' };
  const CLOSED: ElicitResult[] = [
    { action: 'cancel' },
    { action: 'accept' },
    { action: 'accept', content: {} },
  ];

  test.each([
    ...DIALOGS.map((way) => [way, DECLINED] as const),
    ...(['elicitation', 'input_required'] as const).flatMap((way) =>
      CLOSED.map((answer) => [way, answer] as const),
    ),
  ])(
    '%s: a client that answers %j by itself decides nothing; the call waits on, and a person still can',
    async (way, answer) => {
      await stage.settings({ in_client: true });
      const client = await stage.client(way);
      client.answer = () => answer;
      const mark = newMark();
      const called = untilSettled(client, mark);
      const { id } = await stage.approvalOf(mark);
      const closed = await poll('the record of the dialog', stage.proxy.stderr, async () => {
        const query = { type: 'approval', status: 'pending', limit: 100 } as const;
        const { records } = await stage.proxy.rest.request('listActivity', query);
        return records.find(({ metadata }) => (metadata.approval as { id: string }).id === id);
      });
      expect(closed).toMatchObject({ metadata: { action: 'close dialog', principal: 'token:agent' } });
      expect(JSON.stringify(closed)).not.toMatch(/denied|by a person|decided_by/);
      const waits = await stage.approvalOf(mark);
      expect([waits.status, waits.decided_by]).toEqual(['pending', undefined]);
      await stage.decide(id, { decision: 'approve' });
      expect(await called).toMatchObject({ content: [{ type: 'text' }] });
      expect(stage.executions(mark)).toBe(1);
      expect(await stage.approvalOf(mark)).toMatchObject({ id, decided_by: 'operator' });
      await stage.settings({ in_client: false });
    },
  );

  test('a 2025 client that declines by itself is told that the call waits, and repeating it finds the same approval', async () => {
    await stage.settings({ in_client: true });
    const client = await stage.client('elicitation');
    client.answer = () => ({ action: 'decline' });
    const mark = newMark();
    const [first, second] = [errorOf(await client.call(mark)), errorOf(await client.call(mark))];
    expect([first.code, second.code]).toEqual(['APPROVAL_PENDING', 'APPROVAL_PENDING']);
    expect(second.details.approval_id).toBe(first.details.approval_id);
    await stage.settings({ in_client: false });
  });
});

test('50 approvals at once: one execution, and all are told the same', async () => {
  const client = await stage.client('input_required');
  const mark = newMark();
  const called = client.call(mark);
  const { id } = await stage.approvalOf(mark);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => stage.decide(id, { decision: 'approve' })),
  );
  expect(new Set(answers.map(({ decided_at, decided_by }) => `${decided_at} ${decided_by}`)).size).toBe(1);
  expect(await called).toMatchObject({ content: [{ type: 'text' }] });
  expect(stage.executions(mark)).toBe(1);
});

test('the same call in many requests at once: one question, one execution, one result for all', async () => {
  const client = await stage.client('input_required');
  const mark = newMark();
  // Long enough for all of them to wait at the same time.
  await stage.settings({ wait: '5m' });
  const called = Array.from({ length: 10 }, () => client.call(mark));
  const { id } = await stage.approvalOf(mark);
  // The record of a change is there before a person is asked.
  await expect.poll(async () => (await stage.recordsOf(mark)).length).toBeGreaterThanOrEqual(10);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await stage.decide(id, { decision: 'approve' });
  const results = await Promise.all(called);
  await stage.settings({ wait: '1s' });
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(stage.executions(mark)).toBe(1);
});

describe('something changes between request and approval: a new approval is requested, the old one is never used', () => {
  async function approvedThen(change: () => Promise<unknown>, how: { tool?: string } = {}) {
    const client = await stage.client('pending result');
    const mark = newMark();
    expect(errorOf(await client.call(mark, how)).code).toBe('APPROVAL_PENDING');
    const { id } = await stage.approvalOf(mark);
    await change();
    await stage.decide(id, { decision: 'approve' });
    const result = await client.call(mark, how);
    expect(errorOf(result)).toMatchObject({ code: 'APPROVAL_PENDING' });
    expect(errorOf(result).details.approval_id).not.toBe(id);
    expect(stage.executions(mark)).toBe(0);
    return { id, mark, client };
  }

  test('the definition of the tool', async () => {
    await approvedThen(
      async () => {
        const before = await stage.proxy.rest.request('getTool', { name: 'up:switchable' });
        const args = {
          tool: 'switchable',
          annotations: { readOnlyHint: false, destructiveHint: true, title: newMark() },
        };
        await stage.proxy.rest.request('callTool', {
          body: {
            tool_variant: 'call_tool_write',
            name: 'up:set_annotations',
            args,
            intent: { operation_type: 'write' },
          },
        });
        await poll('the new definition', stage.proxy.stderr, async () => {
          const now = await stage.proxy.rest.request('getTool', { name: 'up:switchable' });
          return now.definition_hash !== before.definition_hash || undefined;
        });
      },
      { tool: 'switchable' },
    );
  });

  test('the policy', async () => {
    await approvedThen(() => stage.settings({ require: ['destructive', 'server:elsewhere'] }));
    await stage.settings({ require: ['destructive'] });
  });

  test('the arguments, or the caller', async () => {
    const client = await stage.client('pending result');
    const mark = newMark();
    await client.call(mark);
    await stage.decide((await stage.approvalOf(mark)).id, { decision: 'approve' });
    const stranger = await stage.client('pending result', { key: await stage.token('stranger') });
    const renamed = await stage.client('pending result', { name: 'other' });
    for (const result of [await stranger.call(mark), await renamed.call(mark), await client.call(`${mark}!`)])
      expect(errorOf(result).code).toBe('APPROVAL_PENDING');
    expect(stage.executions(mark)).toBe(0);
    expect(await client.call(mark)).toMatchObject({ content: [{ type: 'text' }] });
    expect(stage.executions(mark)).toBe(1);
  });
});

describe('the caller leaves while the call waits', () => {
  test('2026-07-28: closing the request withdraws it, and a later approval is refused', async () => {
    const client = await stage.client('input_required');
    const [mark, gone] = [newMark(), new AbortController()];
    const called = client.call(mark, { signal: gone.signal }).catch((error: unknown) => error);
    const { id } = await stage.approvalOf(mark);
    gone.abort();
    await called;
    await stage.approvalOf(mark, 'cancelled');
    await expect(stage.decide(id, { decision: 'approve' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(stage.executions(mark)).toBe(0);
  });

  test('2025: the question stays, nothing runs for nobody, and coming back fetches the result', async () => {
    const client = await stage.client('pending result');
    const mark = newMark();
    const called = client.call(mark).catch((error: unknown) => error);
    const { id } = await stage.approvalOf(mark);
    await client.close();
    await called;
    // Once the proxy has heard that nobody waits any more, the record of the call is closed.
    await expect.poll(async () => (await stage.recordsOf(mark))[0]?.duration_ms).toBeDefined();
    await stage.decide(id, { decision: 'approve' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(stage.executions(mark)).toBe(0);
    const again = await stage.client('pending result');
    expect(await again.call(mark)).toMatchObject({ content: [{ type: 'text' }] });
    expect(stage.executions(mark)).toBe(1);
  });
});

test('a grant lets further calls pass until its cap, and each record says so', async () => {
  const client = await stage.client('pending result', { name: 'granted' });
  const [first, second, third] = [newMark(), newMark(), newMark()];
  await client.call(first);
  const { id } = await stage.approvalOf(first);
  const { grant_id: grant } = await stage.decide(id, {
    decision: 'approve',
    grant: { for: '1h', max_calls: 1 },
  });
  expect(await client.call(first)).toMatchObject({ content: [{ type: 'text' }] });
  expect(await stage.approvalOf(first)).toMatchObject({ id, status: 'executed' });
  expect(await client.call(second)).toMatchObject({ content: [{ type: 'text' }] });
  expect((await stage.recordsOf(second))[0]).toMatchObject({ metadata: { approval: { grant_id: grant } } });
  expect(errorOf(await client.call(third)).code).toBe('APPROVAL_PENDING');
  const { grants } = await stage.proxy.rest.request('listGrants', {});
  expect(grants).toMatchObject([{ id: grant, status: 'used up', used: 1 }]);
});

test('pending approvals survive a restart, and stopping does not wait for them', async () => {
  const [modern, legacy] = [await stage.client('input_required'), await stage.client('pending result')];
  const [a, b] = [newMark(), newMark()];
  await stage.settings({ wait: '60s' });
  const called = [modern.call(a), legacy.call(b)].map((each) => each.catch((error: unknown) => error));
  await stage.approvalOf(a);
  await stage.approvalOf(b);
  const began = performance.now();
  expect(await stage.proxy.stop('SIGTERM')).toBe(0);
  await Promise.all(called);
  await stage.restart();
  // Less than the minute that they would wait, with room for a busy machine.
  expect(performance.now() - began).toBeLessThan(40_000);
  await stage.settings({ wait: '1s' });
  expect(await stage.approvalOf(a)).toMatchObject({ status: 'pending' });
  const { id } = await stage.approvalOf(b, 'pending');
  await stage.decide(id, { decision: 'approve' });
  const again = await stage.client('pending result');
  expect(await again.call(b)).toMatchObject({ content: [{ type: 'text' }] });
  expect(stage.executions(b)).toBe(1);
});
