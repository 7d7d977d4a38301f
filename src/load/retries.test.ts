import { describe, expect, test } from 'vitest';
import { backoffMs, Breaker, pause, RetryBudget, retryDelayMs } from './retries.ts';

const FAR = 1e9;

test('opens after failures in a row, lets a single call probe, and closes when that succeeds', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 4; i++) breaker.recordFailure(false);
  breaker.recordSuccess();
  for (let i = 0; i < 4; i++) breaker.recordFailure(false);
  expect(breaker.enter()).toBe(0);
  breaker.recordFailure(false);
  expect(breaker.state).toBe('open');
  expect(breaker.enter()).toBeGreaterThan(0);
  expect(breaker.enter(FAR)).toBe(0);
  expect(breaker.state).toBe('half_open');
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.recordFailure(true, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  expect(breaker.enter(2 * FAR)).toBe(0);
  breaker.recordSuccess();
  expect(breaker.state).toBe('closed');
  expect(breaker.enter()).toBe(0);
});

test('earlier calls do not decide for the probe; after an abandoned probe the next call may try', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 5; i++) breaker.recordFailure(false);
  expect(breaker.enter(FAR)).toBe(0);
  breaker.recordFailure(false, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.abandonProbe();
  expect(breaker.enter(FAR)).toBe(0);
});

describe('backoff', () => {
  test('doubles up to a minute, and is random below that', () => {
    const longest = Array.from({ length: 9 }, (_, n) => backoffMs(n + 1, () => 1));
    expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(backoffMs(1000, () => 1)).toBe(60_000);
    expect(backoffMs(5, () => 0)).toBe(0);
    expect(backoffMs(5, () => 0.5)).toBe(8000);
  });

  test('a pause ends with its signal', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort();
    await expect(paused).resolves.toBeUndefined();
  });
});

test('at most one call in five is retried, however many fail', () => {
  const budget = new RetryBudget();
  let retried = 0;
  for (let n = 0; n < 1000; n++) {
    budget.earn();
    if (budget.spend()) retried++;
  }
  expect(retried).toBeGreaterThanOrEqual(200);
  expect(retried).toBeLessThanOrEqual(201);
  expect(budget.spent).toBe(retried);
});

test('unused retries are saved, up to a limit', () => {
  const budget = new RetryBudget();
  for (let n = 0; n < 1000; n++) budget.earn();
  let retried = 0;
  while (budget.spend()) retried++;
  expect(retried).toBe(10);
});

test('the retry delay is random within its bounds', () => {
  expect([0, 0.5, 1].map((value) => retryDelayMs(() => value))).toEqual([100, 300, 500]);
});
