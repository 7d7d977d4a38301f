import { expect, test } from 'vitest';
import { ClientRequests } from './client-requests.ts';
import type { Outgoing } from '../wire.ts';

function reply() {
  const sent: Outgoing[] = [];
  return {
    sent,
    listening: true,
    notify: (message: Outgoing) => void sent.push(message),
    answer: () => {},
    cancelled: () => {},
  };
}

test('a question goes out with its method before its id, and its answer comes back to who asked', async () => {
  const questions = new ClientRequests();
  const [first, second] = [reply(), reply()];
  const one = questions.send(first, 'elicitation/create', { message: 'a' })!;
  const two = questions.send(second, 'elicitation/create', { message: 'b' })!;
  expect(JSON.stringify(first.sent[0])).toMatch(/^\{"jsonrpc":"2\.0","method":"elicitation\/create","id":/);
  const [idOne, idTwo] = [first, second].map(({ sent }) => (sent[0] as { id: string }).id);
  expect(idOne).not.toBe(idTwo);
  questions.answered({ jsonrpc: '2.0', id: idTwo, result: { action: 'decline' } });
  questions.answered({ jsonrpc: '2.0', id: idOne, error: { code: -32601, message: 'no' } });
  questions.answered({ jsonrpc: '2.0', id: 'never asked', result: {} });
  questions.answered({ jsonrpc: '2.0', id: null, result: {} });
  expect([await one.answer, await two.answer]).toEqual([undefined, { action: 'decline' }]);
  one.cancel();
  expect(first.sent).toHaveLength(1);
});

test('one that is taken back is cancelled at the client, once', () => {
  const questions = new ClientRequests();
  const to = reply();
  const question = questions.send(to, 'elicitation/create', {})!;
  question.cancel();
  question.cancel();
  const { id } = to.sent[0] as { id: string };
  expect(to.sent.slice(1)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: id } }]);
});

test('no more than a few hundred are open at once', () => {
  const questions = new ClientRequests();
  const open = Array.from({ length: 300 }, () => questions.send(reply(), 'elicitation/create', {}));
  expect(open.filter(Boolean)).toHaveLength(256);
});
