import { expect, test } from 'vitest';
import { SHARES } from './cases.ts';

test('the suite makes 10,000 cases in all', () => {
  expect(Object.values(SHARES).reduce((sum: number, share) => sum + share, 0)).toBeGreaterThanOrEqual(10_000);
});
