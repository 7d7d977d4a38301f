import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClientAnswer } from '../../../approval/decide.ts';
import type { CallResult, Caller } from '../../../contract/call.ts';
import type { Approval } from '../../../contract/approval.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { createLog } from '../../../lib/log.ts';
import { createStateSeal, SEAL_KEY_BYTES } from '../../../lib/state-seal.ts';
import { createApprovalRounds } from './rounds.ts';

const AGENT: Caller = { source: 'mcp', principal: 'token:ci', userId: 'local', requestId: 'r' };
const OTHER: Caller = { ...AGENT, principal: 'token:other' };
const FORMS = { clientCapabilities: { elicitation: {} } };
const DONE: CallResult = { content: [] };
const seal = createStateSeal(randomBytes(SEAL_KEY_BYTES));
const pending = () =>
  Promise.reject(
    new ProxyError('APPROVAL_PENDING', 'waits', { approval_id: 'A1', expires_at: '2026-01-01T00:00:00Z' }),
  );
const approval = {
  id: 'A1',
  server: 's',
  tool: 't',
  operation: 'destructive',
  arguments: { a: 'red' },
  reason: '\u001b[31m',
} as unknown as Approval;

let inClient: boolean;
let answers: Array<[string, ClientAnswer, Caller]>;
beforeEach(() => {
  inClient = false;
  answers = [];
});
const runInRounds = createApprovalRounds({
  approvals: {
    inClient: () => inClient,
    get: async () => approval,
    acceptClientAnswer: async (...given) => {
      answers.push(given);
      if (!inClient) throw new ProxyError('APPROVAL_FORBIDDEN', 'no');
    },
  },
  seal,
  log: createLog('silent'),
});

test('a call that does not wait passes as it is, with what it brings for the server', async () => {
  const send = vi.fn(async () => DONE);
  const continuation = { inputResponses: { q: 1 }, requestState: 'of the server' };
  expect(await runInRounds(continuation, AGENT, send)).toBe(DONE);
  expect(send).toHaveBeenCalledWith(expect.objectContaining({ own: continuation, asksClient: false }));
  const failed = new ProxyError('APPROVAL_DENIED', 'no');
  await expect(runInRounds({}, AGENT, () => Promise.reject(failed))).rejects.toBe(failed);
});

test('one that waits is to come again: nothing to ask, only a state', async () => {
  const result = await runInRounds(FORMS, AGENT, pending);
  expect(result).toEqual({ resultType: 'input_required', requestState: expect.any(String) as string });
  const { requestState } = result as { requestState: string };
  for (const text of [requestState, Buffer.from(requestState, 'base64url').toString('latin1')])
    expect(text).not.toContain('approvalId');
});

test('what it brought for its server comes back when it does', async () => {
  const brought = { inputResponses: { name: 'x' }, requestState: 'sealed by the road' };
  const first = await runInRounds({ ...FORMS, ...brought }, AGENT, pending);
  const send = vi.fn(async () => DONE);
  await runInRounds({ ...FORMS, requestState: first.requestState }, AGENT, send);
  expect(send).toHaveBeenCalledWith(expect.objectContaining({ own: { ...FORMS, ...brought } }));
});

test('all rounds of a call are known as one requester, and no two calls are', async () => {
  const requesters: string[] = [];
  const send = ({ requester }: { requester: string }) => {
    requesters.push(requester);
    return pending();
  };
  const { requestState } = await runInRounds({}, AGENT, send);
  await runInRounds({ requestState }, AGENT, send);
  await runInRounds({}, AGENT, send);
  expect(requesters[0]).toBe(requesters[1]);
  expect(requesters[2]).not.toBe(requesters[0]);
});

test('after eight rounds it is told in words', async () => {
  let requestState: unknown;
  for (let round = 1; round <= 8; round++)
    ({ requestState } = await runInRounds(
      { ...(requestState !== undefined && { requestState }) },
      AGENT,
      pending,
    ));
  await expect(runInRounds({ requestState }, AGENT, pending)).rejects.toMatchObject({
    code: 'APPROVAL_PENDING',
  });
});

test('so it is where there is too much to carry', async () => {
  const inputResponses = { text: 'x'.repeat(70_000) };
  await expect(runInRounds({ inputResponses }, AGENT, pending)).rejects.toMatchObject({
    code: 'APPROVAL_PENDING',
  });
});

test.each([
  ['of another caller', async () => (await runInRounds({}, OTHER, pending)).requestState],
  ['that was made up', async () => 'mcpproxy.AAAA'],
])('a state %s is nothing to us: it goes on to the road, which refuses it', async (_what, make) => {
  const requestState = await make();
  const send = vi.fn(async () => DONE);
  const continuation = {
    requestState,
    inputResponses: { approval: { action: 'accept', content: { approve: true } } },
  };
  await runInRounds(continuation, AGENT, send);
  expect(send).toHaveBeenCalledWith(expect.objectContaining({ own: continuation, asksClient: false }));
  expect(answers).toEqual([]);
});

describe('what the person at the client says', () => {
  const accept = { approval: { action: 'accept', content: { approve: true } } };

  test('is asked for at once where it counts, in a text that drives no terminal', async () => {
    inClient = true;
    const send = vi.fn(pending);
    const result = await runInRounds(FORMS, AGENT, send);
    expect(send).toHaveBeenCalledWith(expect.objectContaining({ own: FORMS, asksClient: true }));
    expect(result.inputRequests).toMatchObject({
      approval: {
        method: 'elicitation/create',
        params: { mode: 'form', requestedSchema: { required: ['approve'] } },
      },
    });
    const { message } = (result.inputRequests as { approval: { params: { message: string } } }).approval
      .params;
    expect(message).toContain('s:t');
    expect(message).not.toContain('\u001b');
    const again = await runInRounds(
      { ...FORMS, requestState: result.requestState, inputResponses: accept },
      AGENT,
      pending,
    );
    expect(answers).toEqual([['A1', { action: 'accept', approve: true }, AGENT]]);
    expect(again.inputRequests).toBeUndefined();
  });

  test('is not asked for where its form could not show the whole call, and an answer that comes all the same decides nothing', async () => {
    inClient = true;
    approval.arguments_masked = true;
    try {
      const result = await runInRounds(FORMS, AGENT, pending);
      expect(result).toEqual({ resultType: 'input_required', requestState: expect.any(String) as string });
      const again = { ...FORMS, requestState: result.requestState, inputResponses: accept };
      await runInRounds(again, AGENT, pending);
      expect(answers).toEqual([['A1', { action: 'accept' }, AGENT]]);
    } finally {
      approval.arguments_masked = false;
    }
  });

  test('is not asked for where the client shows no forms', async () => {
    inClient = true;
    expect(
      (await runInRounds({ clientCapabilities: { elicitation: { url: {} } } }, AGENT, pending)).inputRequests,
    ).toBeUndefined();
  });

  test.each([
    [
      { action: 'accept', content: { approve: false } },
      { action: 'accept', approve: false },
    ],
    [{ action: 'accept', content: {} }, { action: 'accept' }],
    [{ action: 'accept', content: { approve: 'true' } }, { action: 'accept' }],
    [{ action: 'accept' }, { action: 'accept' }],
    [{ action: 'decline' }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
    [{ action: 'yes' }, { action: 'error' }],
    ['accept', { action: 'error' }],
    [null, { action: 'error' }],
  ])('%j is taken as %j', async (said, expected) => {
    inClient = true;
    const { requestState } = await runInRounds(FORMS, AGENT, pending);
    await runInRounds({ requestState, inputResponses: { approval: said } }, AGENT, async () => DONE);
    expect(answers.map(([, answer]) => answer)).toEqual([expected]);
  });

  test('where it does not count it is handed in all the same, to be refused and recorded, and the call goes on', async () => {
    const { requestState } = await runInRounds(FORMS, AGENT, pending);
    expect(await runInRounds({ requestState, inputResponses: accept }, AGENT, async () => DONE)).toBe(DONE);
    expect(answers).toHaveLength(1);
  });
});
