import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceOf, piecesOf } from './changed-text.tsx';

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

test('several changes in one text are told apart', () => {
  expect(piecesOf('Reads a file. Safe.', 'Reads any file. Sends it away. Safe.')).toEqual([
    { text: 'Reads ', kind: 'same' },
    { text: 'a', kind: 'removed' },
    { text: 'any', kind: 'added' },
    { text: ' file', kind: 'same' },
    { text: '. Sends it away', kind: 'added' },
    { text: '. Safe.', kind: 'same' },
  ]);
});

test('a change behind a long text is found, and a long change is not compared word by word', () => {
  const long = 'word '.repeat(20_000);
  expect(piecesOf(`${long}safe`, `${long}evil`).slice(1)).toEqual([
    { text: 'safe', kind: 'removed' },
    { text: 'evil', kind: 'added' },
  ]);
  const other = Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ');
  expect(piecesOf(long, other).map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

test('the pieces of any two texts give both texts again', () => {
  const word = fc.constantFrom('a', 'file', ' ', 'delete ', '.', '\n', 'Ü', '東京', '😀', '"');
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = piecesOf(before, after);
      const without = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }),
  );
});
