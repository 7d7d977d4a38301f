import { expect, test } from 'vitest';
import { wordsOf } from './words.ts';

test.each([
  ['read_file /home/ann/notes.txt', ['read', 'file', 'home', 'ann', 'notes', 'txt']],
  ['Straße ÖL öl', ['straße', 'öl']],
  ['東京へ', ['東', '京', 'へ']],
  ['a" OR b* NEAR(c) -d ^e {f}: g', ['a', 'or', 'b', 'near', 'c', 'd', 'e', 'f', 'g']],
  ['\ue000sabc é', ['sabc', 'é']],
  ['', []],
])('%s', (text, words) => {
  expect([...wordsOf(text)]).toEqual(words);
});

test('the number and the length of words are bounded', () => {
  expect(wordsOf(Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(' ')).size).toBe(4096);
  expect([...wordsOf('x'.repeat(1000))]).toEqual(['x'.repeat(48)]);
});
