import { expect, test, vi } from 'vitest';
import { pace, throttleReads, waitForTurn } from './pace.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many long texts share the budget of a turn, and all of them continue', async () => {
  const order: string[] = [];
  const source = (name: string) => ({
    pause: () => order.push(`${name} waits`),
    resume: () => order.push(`${name} resumes`),
  });
  const sources = Array.from({ length: 10 }, (_, i) => source(String(i)));
  for (const each of sources) pace(each, 100 * 1024);
  expect(order).toEqual(['5', '6', '7', '8', '9'].map((name) => `${name} waits`));
  await turn();
  expect(order.slice(5)).toEqual(['5', '6', '7', '8'].map((name) => `${name} resumes`));
  await turn();
  expect(order.slice(9)).toEqual(['9 resumes']);
  await turn();
  expect(waitForTurn(1000)).toBeUndefined();
  const wait = waitForTurn(1024 * 1024);
  expect(wait).toBeInstanceOf(Promise);
  await wait;
});

test('a slow read pauses its source for as long; a quick one does not', () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const source = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
    throttleReads(source, 0.5);
    expect(calls).toEqual([]);
    throttleReads(source, 40);
    vi.advanceTimersByTime(39);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['pause', 'resume']);
  } finally {
    vi.useRealTimers();
  }
});
