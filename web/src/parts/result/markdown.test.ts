import { expect, test } from 'vitest';
import { looksLikeMarkdown, readInline, readMarkdown } from './markdown.ts';

test('the common parts of Markdown are read, and everything else stays text', () => {
  const text =
    '# One\n\ntext\nmore\n\n1. a\n2. b\n   c\n\n> q\n\n---\n```js\nx\n```\n| a | b |\n|---|---|\n| 1 | 2 |';
  expect(readMarkdown(text)).toEqual([
    { kind: 'heading', level: 1, text: 'One' },
    { kind: 'paragraph', text: 'text\nmore' },
    { kind: 'list', isOrdered: true, items: ['a', 'b\nc'] },
    { kind: 'quote', text: 'q' },
    { kind: 'line' },
    { kind: 'code', text: 'x' },
    { kind: 'table', head: ['a', 'b'], rows: [['1', '2']] },
  ]);
  expect(readMarkdown('```\nnever closed')).toEqual([{ kind: 'code', text: 'never closed' }]);
});

test('within a line: code, links, strong and emphasised text', () => {
  expect(readInline('a `b` **c** *d* [e](https://f) ![g](h) <b>')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'strong', text: 'c' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'd' },
    { kind: 'text', text: ' ' },
    { kind: 'link', text: 'e', to: 'https://f' },
    { kind: 'text', text: ' ' },
    { kind: 'link', text: 'g', to: 'h' },
    { kind: 'text', text: ' <b>' },
  ]);
});

test.each([
  ['# Title\ntext', true],
  ['- a\n- b', true],
  ['- a single dash', false],
  ['3 * 4 * 5', false],
  ['plain text', false],
])('%j looks like Markdown: %s', (text, expected) => expect(looksLikeMarkdown(text)).toBe(expected));
