import { expect, test } from 'vitest';
import type { Status } from '../../../../contract/status.ts';
import { tokenCheck } from './doctor-tokens.ts';

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
  ['all well', check({}), 'ok', /2 agent tokens are active/],
  ['none is no fault', check({}, { active: 0 }), 'ok', /0 agent tokens/],
  ['some expired', check({}, { expired: 1 }), 'warning', /and 1 that expired/],
  ['/mcp is open', check({ require_mcp_auth: false }), 'warning', /open to every local program/],
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
])('%s', (_, { result, says }, expected, words) => {
  expect(result).toBe(expected);
  expect(says).toMatch(words);
});
