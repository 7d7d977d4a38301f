import { expect, test } from 'vitest';
import { SamplingBudget } from './sampling-budget.ts';

test('a client has a number of requests per minute and server, and no other client loses any', () => {
  let now = 0;
  const budget = new SamplingBudget(() => now);
  const spend = (key: string) => budget.spend(key, 2);
  expect([spend('a'), spend('a'), spend('a'), spend('b')]).toEqual([true, true, false, true]);
  now = 59_999;
  expect(spend('a')).toBe(false);
  now = 60_001;
  expect(spend('a')).toBe(true);
});
