import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClientAnswer } from '../../../approval/index.ts';
import type { Approval } from '../../../contract/approval.ts';
import { createLog } from '../../../lib/log.ts';
import { ActiveCall } from '../calls.ts';
import type { Outgoing, RequestId } from '../wire.ts';
import { ClientRequests } from './client-requests.ts';
import { LegacyWait } from './legacy-wait.ts';

const approval = {
  id: 'A1',
  server: 'up',
  tool: 'wipe',
  operation: 'destructive',
  arguments: {},
} as Approval;
const caller = {
  source: 'mcp',
  principal: 'p',
  userId: 'u',
  requestId: 'r',
  sessionId: 'session',
} as const;

// The time changes only where a test changes it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A call that waits, and the client that shows its dialog. */
function pendingCall(shown: Approval = approval, forms = true) {
  const sent: Array<Outgoing & { id?: RequestId | null }> = [];
  const reply = {
    listening: true,
    notify: (message: Outgoing) => void sent.push(message),
    answer: () => undefined,
    cancelled: () => undefined,
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } } as const;
  const call = new ActiveCall(request, caller, { reply, mode: 'search' });
  const requests = new ClientRequests();
  const answers: ClientAnswer[] = [];
  const onUnattended = vi.fn();
  const recheck = vi.fn();
  const wait = new LegacyWait(call, {
    approvals: {
      inClient: () => true,
      get: async () => shown,
      acceptClientAnswer: async (_id, answer) => void answers.push(answer),
    },
    requests,
    forms,
    onUnattended,
    log: createLog('silent'),
  });
  wait.onPending(shown, recheck);
  const answer = async (result: object) => {
    requests.answered({ jsonrpc: '2.0', id: sent[0]!.id!, result });
    await vi.waitFor(() => expect(recheck).toHaveBeenCalled());
  };
  return { wait, sent, answers, onUnattended, answer };
}

test('a program that closes its dialog at once has no person: the call stays pending, and the session is not asked again', async () => {
  for (const result of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: {} }]) {
    const { wait, answers, onUnattended, answer } = pendingCall();
    expect(wait.isAsking()).toBe(true);
    await answer(result);
    expect(wait.isAsking()).toBe(false);
    expect(answers).toEqual([{ action: result.action }]);
    expect(onUnattended).toHaveBeenCalledOnce();
  }
});

test('a person who closes the dialog is asked about the next call', async () => {
  const { onUnattended, answer } = pendingCall();
  vi.advanceTimersByTime(2_000);
  await answer({ action: 'decline' });
  expect(onUnattended).not.toHaveBeenCalled();
});

test('a choice counts, however quick', async () => {
  const { answers, onUnattended, answer } = pendingCall();
  await answer({ action: 'accept', content: { approve: false } });
  expect(answers).toEqual([{ action: 'accept', approve: false }]);
  expect(onUnattended).not.toHaveBeenCalled();
});

test.each([
  ['where the client shows none', pendingCall(approval, false)],
  ['where it could not show the whole call', pendingCall({ ...approval, arguments_masked: true })],
])('no dialog is sent %s, and the request stays open for the usual time', (_, { wait, sent }) => {
  expect([sent, wait.isAsking(), wait.waitMs, wait.requester]).toEqual([[], false, undefined, 'session']);
});
