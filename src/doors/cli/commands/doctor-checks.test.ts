import { expect, test } from 'vitest';
import type { Status } from '../../../contract/status.ts';
import { rowChecks, tokenCheck, traceCheck } from './doctor-checks.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

function check(more: Partial<Status>, tokens: Partial<Status['tokens']> = {}) {
  const status = {
    approvals_required: false,
    require_mcp_auth: true,
    tokens: { active: 2, expired: 0, operator_mcp_call_at: null, ...tokens },
    ...more,
  } as Status;
  return tokenCheck(status, NOW);
}

test.each([
  ['all well', check({}), 'ok', /2 active agent tokens/],
  ['none is no fault', check({}, { active: 0 }), 'ok', /0 active agent tokens/],
  ['some expired', check({}, { expired: 1 }), 'warning', /2 active agent tokens, 1 expired/],
  ['/mcp is open', check({ require_mcp_auth: false }), 'warning', /every local program can use \/mcp/],
  [
    'the operator’s key, and nobody is asked',
    check({}, { operator_mcp_call_at: '2026-11-15T11:00:00Z' }),
    'ok',
    /active/,
  ],
  [
    'the operator’s key, where calls wait for a person',
    check({ approvals_required: true }, { operator_mcp_call_at: '2026-11-15T11:00:00Z' }),
    'warning',
    /approve its own calls/,
  ],
  [
    'the same long ago',
    check({ approvals_required: true }, { operator_mcp_call_at: '2026-11-14T11:00:00Z' }),
    'ok',
    /active/,
  ],
])('tokens: %s', (...[, { result, says }, expected, words]) => {
  expect(result).toBe(expected);
  expect(says).toMatch(words);
});

const none = { exported: 0, dropped: 0, failed: 0 };
const to = 'http://c:4318/v1/traces';

test.each([
  ['off', { exporting: false, ...none }, 'ok', 'Tracing is off'],
  ['a wrong variable', { exporting: false, problem: 'X must be Y', ...none }, 'warning', 'X must be Y'],
  ['on', { exporting: true, to, ...none, exported: 7 }, 'ok', `7 spans exported to ${to}`],
  [
    'away',
    { exporting: true, to, ...none, failed: 3, problem: 'refused' },
    'warning',
    'refused; 3 spans lost',
  ],
  ['too many', { exporting: true, to, ...none, dropped: 4 }, 'warning', '4 spans lost'],
] as const)('traces: %s', (...[, traces, result, says]) => {
  const check = traceCheck({ traces });
  expect(check).toMatchObject({ check: 'traces', result });
  expect(check.says).toContain(says);
});

test('rows that were changed outside of mcpproxy fail, and nothing is said while there are none', () => {
  expect(rowChecks({ changed_rows: 0, activity: {} } as Status)).toEqual([]);
  expect(rowChecks({ activity: {} } as Status)).toEqual([]);
  expect(rowChecks({ changed_rows: 2, activity: {} } as Status)).toMatchObject([
    { check: 'rows', result: 'failed', says: expect.stringMatching(/^2 stored rows changed/) as string },
  ]);
});
