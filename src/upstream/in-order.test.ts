import { expect, test } from 'vitest';
import { hasRoom } from '../lib/in-turn.ts';
import { InOrder } from './in-order.ts';

const answer = (id: number, length: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(length) } });

test('answers are delivered as they came, and a long one takes no room from those who call', async () => {
  const ids: unknown[] = [];
  const inOrder = new InOrder((parsed) => {
    if ('messages' in parsed) ids.push(parsed.messages[0]!.id);
  });
  for (const [id, length] of [10, 300_000, 10].entries()) inOrder.push(answer(id, length), true);
  expect(ids).toEqual([0]);
  // Full when anything is counted: see how much may wait.
  expect(hasRoom(128 * 1024 * 1024)).toBe(true);
  await inOrder.reading;
  expect(ids).toEqual([0, 1, 2]);
});
