import { expect, test } from 'vitest';
import { atOnce, hasRoom, inTurn, type Steps } from './in-turn.ts';

const busy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

test('a turn of the event loop holds one step of one text, and others go in between', async () => {
  const order: string[] = [];
  function* work(name: string): Steps<string> {
    for (let step = 0; step < 3; step++) {
      order.push(name);
      busy(2);
      yield;
    }
    return name;
  }
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (order.at(-1) !== '-') order.push('-');
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const names = await Promise.all([inTurn(1, work('a')), inTurn(1, work('b'))]);
  over = true;
  expect(names).toEqual(['a', 'b']);
  // In turn, and never two of them without a turn of everybody else.
  expect(order.filter((name) => name !== '-').join('')).toBe('ababab');
  expect(order.join('')).not.toMatch(/[ab]{2}/);
  expect(turns).toBeGreaterThan(6);
});

test('a failure is told to whoever waits, and the next has its turn', async () => {
  // oxlint-disable-next-line require-yield
  function* fails(): Steps<never> {
    throw new Error('no');
  }
  function* works(): Steps<number> {
    yield;
    return 1;
  }
  const [failed, worked] = await Promise.allSettled([inTurn(5, fails()), inTurn(5, works())]);
  expect(failed).toMatchObject({ status: 'rejected', reason: new Error('no') });
  expect(worked).toEqual({ status: 'fulfilled', value: 1 });
  expect(atOnce(works())).toBe(1);
});

test('what waits has a bound, and what is done makes room', async () => {
  function* waits(): Steps<void> {
    yield;
  }
  const most = 128 * 1024 * 1024;
  expect(hasRoom(2 * most)).toBe(true);
  const first = inTurn(most, waits());
  expect(hasRoom(1)).toBe(false);
  await first;
  expect(hasRoom(1)).toBe(true);
});
