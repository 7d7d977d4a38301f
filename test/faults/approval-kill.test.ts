import { expect, test } from 'vitest';
import { approvalKills, STEPS } from './approval-kills.ts';

test('killed at each step of an approval: no hold is lost, and nothing runs twice', async () => {
  const outcomes = await approvalKills(STEPS.length);
  expect(outcomes.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  expect(new Set(outcomes.map(({ step }) => step))).toEqual(new Set(STEPS));
});
