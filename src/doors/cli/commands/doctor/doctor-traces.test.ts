import { expect, test } from 'vitest';
import { traceCheck } from './doctor-traces.ts';

const none = { exported: 0, dropped: 0, failed: 0 };
const to = 'http://c:4318/v1/traces';

test.each([
  ['off', { exporting: false, ...none }, 'ok', 'no spans are collected'],
  ['a wrong variable', { exporting: false, problem: 'X must be Y', ...none }, 'warning', 'X must be Y'],
  ['on', { exporting: true, to, ...none, exported: 7 }, 'ok', `7 spans exported to ${to}`],
  ['away', { exporting: true, to, ...none, failed: 3, problem: 'refused' }, 'warning', 'refused; 3 are lost'],
  ['too many', { exporting: true, to, ...none, dropped: 4 }, 'warning', '4 are lost'],
] as const)('%s', (_what, traces, result, says) => {
  const check = traceCheck({ traces });
  expect(check).toMatchObject({ check: 'traces', result });
  expect(check.says).toContain(says);
});
