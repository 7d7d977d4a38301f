import { expect, test } from 'vitest';
import { InOrder } from './in-order.ts';
import { parseMessagesSteps } from './rpc.ts';

const answer = (id: number, length: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(length) } });

test('an answer with too many keys is not read, and the next one is', async () => {
  const taken: unknown[] = [];
  const inOrder = new InOrder({ steps: parseMessagesSteps, deliver: (parsed) => void taken.push(parsed) });
  inOrder.push(`{"jsonrpc":"2.0","id":1,"result":{${'"a":1,'.repeat(500_001)}"b":1}}`, true);
  inOrder.push(answer(2, 1), true);
  await inOrder.reading;
  expect(taken).toMatchObject([{ fault: 'too_wide' }, { messages: [{ id: 2 }] }]);
});

test('answers are delivered as they came, and what follows a long one waits for it', async () => {
  const ids: unknown[] = [];
  const inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver(parsed) {
      if ('messages' in parsed) ids.push(parsed.messages[0]!.id);
    },
  });
  for (const [id, length] of [10, 300_000, 10].entries()) inOrder.push(answer(id, length), true);
  expect(ids).toEqual([0]);
  await inOrder.reading;
  expect(ids).toEqual([0, 1, 2]);
});

test('thousands of short texts are read a few at a time, and nothing more is taken in meanwhile', async () => {
  const ids: unknown[] = [];
  const source: string[] = [];
  let busy = 0;
  const inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed) => {
      if ('messages' in parsed) ids.push(parsed.messages[0]!.id);
      const began = performance.now();
      while (performance.now() < began + 1);
      busy += performance.now() - began;
    },
    source: () => ({ pause: () => source.push('pause'), resume: () => source.push('resume') }),
  });
  const began = performance.now();
  inOrder.begin();
  for (let id = 0; id < 50; id++) inOrder.push(answer(id, 10), true);
  const atOnce = ids.length;
  expect(atOnce).toBeLessThan(50);
  expect(source).toEqual(['pause']);
  await inOrder.reading;
  // Everybody else had as much time, but for the last few; more on a machine that does much else.
  expect(performance.now() - began - busy).toBeGreaterThan(busy / 2);
  expect(ids).toEqual(Array.from({ length: 50 }, (_, id) => id));
  expect(source).toEqual(['pause', 'resume']);
});
