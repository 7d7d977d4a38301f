import { expect, test } from 'vitest';
import { RetryBudget, retryDelayMs } from './retry-budget.ts';

test('one call in five may be tried again, however many fail', () => {
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

test('what was not used is kept for bad times, up to a limit', () => {
  const budget = new RetryBudget();
  for (let n = 0; n < 1000; n++) budget.earn();
  let retried = 0;
  while (budget.spend()) retried++;
  expect(retried).toBe(10);
});

test('the delay is random within its bounds', () => {
  expect([0, 0.5, 1].map((value) => retryDelayMs(() => value))).toEqual([100, 300, 500]);
});
