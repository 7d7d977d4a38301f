import { expect, test } from 'vitest';
import { atOnce, inTurn, type Steps } from './in-turn.ts';

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
  const names = await Promise.all([inTurn(work('a')), inTurn(work('b'))]);
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
  const [failed, worked] = await Promise.allSettled([inTurn(fails()), inTurn(works())]);
  expect(failed).toMatchObject({ status: 'rejected', reason: new Error('no') });
  expect(worked).toEqual({ status: 'fulfilled', value: 1 });
  expect(atOnce(works())).toBe(1);
});

test('after a step, and after what it set off, everybody else has twice as long', async () => {
  const ends: number[] = [];
  const begins: number[] = [];
  // oxlint-disable-next-line require-yield
  function* work(): Steps<void> {
    begins.push(performance.now());
    busy(5);
  }
  const act = async () => {
    await inTurn(work());
    busy(5);
    ends.push(performance.now());
  };
  await Promise.all([act(), act()]);
  // Twice ten; the clock of timers goes in steps of a millisecond, and may be one behind.
  expect(begins[1]! - ends[0]!).toBeGreaterThan(17);
});
