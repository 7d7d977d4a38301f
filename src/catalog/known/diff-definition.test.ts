import { expect, test } from 'vitest';
import { parseExact } from '../../json/exact.ts';
import { diffDefinitions } from './diff-definition.ts';

test('numbers that differ behind the digits that JavaScript keeps are different', () => {
  const [before, after] = ['{"a":{"id":9007199254740993}}', '{"a":{"id":9007199254740992}}'].map(parseExact);
  expect(diffDefinitions(before, after).changes).toEqual([
    { path: '/a/id', before: '9007199254740993', after: '9007199254740992' },
  ]);
  expect(diffDefinitions(before, before).changes).toEqual([]);
});
