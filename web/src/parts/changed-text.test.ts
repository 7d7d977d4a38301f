import { expect, test } from 'vitest';
import { differenceOf } from './changed-text.tsx';

test.each([
  [
    'Lists files',
    'Lists and deletes files',
    { start: 'Lists ', removed: '', added: 'and deletes ', end: 'files' },
  ],
  ['', 'new', { start: '', removed: '', added: 'new', end: '' }],
  ['gone', '', { start: '', removed: 'gone', added: '', end: '' }],
  ['same', 'same', { start: '', removed: '', added: '', end: 'same' }],
  ['true', 'false', { start: '', removed: 'true', added: 'false', end: '' }],
])('%j became %j', (before, after, parts) => {
  const found = differenceOf(before, after);
  expect(found).toEqual(parts);
  expect([found.start + found.removed + found.end, found.start + found.added + found.end]).toEqual([
    before,
    after,
  ]);
});
