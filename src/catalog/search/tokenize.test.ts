import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize, wordPairs, words } from './tokenize.ts';

describe('tokenize', () => {
  test.each([
    ['create_issue', ['creat', 'issu']],
    ['list-pull-requests', ['list', 'pull', 'request']],
    ['ListPullRequests', ['list', 'pull', 'request', 'listpullrequest']],
    ['getHTTPResponse2', ['get', 'http', 'respons', '2', 'gethttpresponse2']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['s3 bucket', ['s', '3', 's3', 'bucket']],
    ['GitHub', ['git', 'hub', 'github']],
    ['the user’s files', ['user', 'file']],
    ['Café MÜNCHEN', ['cafe', 'munchen']],
    ['delete the files', ['delet', 'file']],
    ['天気予報', ['天気', '気予', '予報']],
    ['Прочитать файл', ['прочитать', 'фаил']],
    ['…!? --', []],
  ])('%s', (text, terms) => {
    expect(tokenize(text)).toEqual(terms);
  });

  test('never fails and never gives an empty, long or upper-case term', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const term of tokenize(text)) {
          expect(term).not.toBe('');
          expect(term.length).toBeLessThanOrEqual(64);
          expect(term).toBe(term.toLowerCase());
        }
      }),
    );
  });

  test('gives the same terms however often it is asked', () => {
    const text = 'Creates a GitHub issue; returns its URL';
    expect(tokenize(text)).toEqual(tokenize(text));
  });

  test('one endless word costs no more than its first characters', () => {
    expect(tokenize('aB'.repeat(100_000)).length).toBeLessThan(600);
  });
});

test.each([
  ['pull request', ['pull request']],
  ['listPullRequests', ['list pull', 'pull request']],
  ['the list of the issues', ['list issu']],
  ['one', []],
  ['', []],
])('word pairs of %s', (text, pairs) => {
  expect(wordPairs(words(text))).toEqual(pairs);
});
