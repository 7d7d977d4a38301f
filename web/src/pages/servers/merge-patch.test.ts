import { expect, test } from 'vitest';
import { mergePatchOf } from './merge-patch.ts';

test('a change is a merge patch: null removes, objects are merged, lists are replaced', () => {
  const before = { a: 1, env: { A: '***', B: 'b' }, args: ['x'], same: { y: 1 } };
  const after = { env: { A: '***', C: 'c' }, args: ['x', 'y'], same: { y: 1 }, cwd: '/' };
  expect(mergePatchOf(before, after)).toEqual({
    a: null,
    env: { B: null, C: 'c' },
    args: ['x', 'y'],
    cwd: '/',
  });
  expect(mergePatchOf(before, before)).toEqual({});
});
