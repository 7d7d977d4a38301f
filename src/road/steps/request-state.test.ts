import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Caller } from '../../contract/call.ts';
import { createStateSeal, SEAL_KEY_BYTES } from '../../lib/state-seal.ts';
import { stateFor } from './request-state.ts';
import { parseCall } from './parse.ts';

const seal = createStateSeal(randomBytes(SEAL_KEY_BYTES));
const call = (args: unknown = { a: 1, b: 2 }, name = 'up:asks') => parseCall({ name, args });
const token = (id: string, name = 'agent') => ({ id, name, scope: { operations: ['read' as const] } });
const caller = (more: Partial<Caller> = {}): Caller => ({
  source: 'mcp',
  principal: 'token:agent',
  userId: 'local',
  requestId: 'r',
  token: token('1'),
  ...more,
});

const asked = stateFor(seal, call(), caller()).sealed({
  resultType: 'input_required',
  inputRequests: {},
  requestState: 'of the server',
});

test('goes out sealed, and comes back as the server gave it', () => {
  expect(JSON.stringify(asked)).not.toContain('of the server');
  const brought = { inputResponses: { q: 1 }, requestState: asked.requestState };
  expect(stateFor(seal, call(), caller({ requestId: 'other', client: 'x' })).opened(brought)).toEqual({
    inputResponses: { q: 1 },
    requestState: 'of the server',
  });
  // The order of keys is the client's own business.
  expect(stateFor(seal, call({ b: 2, a: 1 }), caller()).opened(brought)).toBeDefined();
});

test.each([
  ['another token', call(), caller({ principal: 'token:b', token: token('2', 'b') })],
  ['a later token of the same name', call(), caller({ token: token('2') })],
  ['the operator', call(), caller({ principal: 'operator', token: undefined as never })],
  ['another user', call(), caller({ userId: 'ann' })],
  ['another tool', call({ a: 1, b: 2 }, 'up:other'), caller()],
  ['other arguments', call({ a: 1, b: 3 }), caller()],
])('not for %s', (_, other, by) => {
  expect(() => stateFor(seal, other, by).opened({ requestState: asked.requestState })).toThrow(
    expect.objectContaining({ code: 'INVALID_STATE' }),
  );
});

test('what is no state, or no question, passes as it is; what was never sealed is refused', () => {
  const carried = stateFor(seal, call(), caller());
  const answers = { inputResponses: { q: 1 } };
  expect(carried.opened(undefined)).toBeUndefined();
  expect(carried.opened(answers)).toBe(answers);
  const result = { content: [], requestState: 'x' };
  expect(carried.sealed(result)).toBe(result);
  const plain = { resultType: 'input_required', inputRequests: {} };
  expect(carried.sealed(plain)).toBe(plain);
  expect(() => carried.opened({ requestState: 'of the server' })).toThrow(/make the call again without it/);
});
