import { expect, test } from 'vitest';
import { words } from './tokenize.ts';
import { wordPairs } from './word-pairs.ts';

test.each([
  ['pull request', ['pull request']],
  ['listPullRequests', ['list pull', 'pull request']],
  ['the list of the issues', ['list issu']],
  ['one', []],
  ['', []],
])('%s', (text, pairs) => {
  expect(wordPairs(words(text))).toEqual(pairs);
});
