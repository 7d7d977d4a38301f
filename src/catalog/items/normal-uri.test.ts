import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalUri, uriKey } from './normal-uri.ts';

test.each([
  ['file:///public/../secret/key', 'file:///secret/key'],
  ['file:///public/%2e%2E/secret/key', 'file:///secret/key'],
  ['file:///public/..\\secret\\key', 'file:///secret/key'],
  ['file:///secret/./key', 'file:///secret/key'],
  ['file:///secret//key', 'file:///secret/key'],
  ['file:////secret/key', 'file:///secret/key'],
  ['file:/secret/key', 'file:///secret/key'],
  ['file:secret/key', 'file:///secret/key'],
  ['FILE:///secret/key', 'file:///secret/key'],
  ['file://LOCALHOST/secret/key', 'file:///secret/key'],
  ['file:///secret/%6bey', 'file:///secret/key'],
  ['file:///secret%21/key', 'file:///secret!/key'],
  ['file:///secret/key?x#y', 'file:///secret/key'],
  ['file:///\u00e9 x', 'file:///%C3%A9%20x'],
  ['https://EXAMPLE.com:443', 'https://example.com/'],
  ['demo:/a', 'demo:///a'],
  ['demo:a/../b', 'demo:b'],
  ['demo://r/a/%2e/b%2dc?q=%41#z', 'demo://r/a/b-c?q=A'],
  ['demo://r/a?', 'demo://r/a'],
])('%s is %s', (text, normal) => {
  expect(normalUri(text)).toBe(normal);
  expect(normalUri(normal)).toBe(normal);
  expect(uriKey(text)).toBe(uriKey(normal));
});

test.each([
  'file:///',
  'file:///a/',
  'note://internal/A',
  'greeting://World',
  'user://a%40b.c',
  'db:///table/{',
  'urn:isbn:12',
  'https://h/?q=a%2Fb&c',
])('%s is in its normal form unless a character needs an escape', (text) => {
  expect(normalUri(text.replace('{', '%7B'))).toBe(text.replace('{', '%7B'));
});

test.each([
  'file:///public/..%2fsecret/key',
  'file:///public%5c..%5ckey',
  'file:///%252e%252e/key',
  'file:///%c0%ae%c0%ae/key',
  'file:///a%00',
  'file:///a%0d',
  'file:///a%zz',
  'file:///a\tb',
  'demo://../a',
  '\ud800:a',
  'relative/path',
  'demo:',
])('%j has no normal form', (text) => {
  expect(normalUri(text)).toBeUndefined();
});

test('the normal form of any text is its own normal form, and the key is that of the text', () => {
  const pieces =
    "file http demo A a : / // \\ . .. %2e %2F %41 %25 % ? # @ \u00e9 %c3%a9 [ ' | { 443 localhost ~".split(
      ' ',
    );
  const piece = fc.constantFrom(' ', ...pieces);
  const anyText = fc
    .tuple(fc.constantFrom('file:', 'HTTP:', 'demo:', 'x'), fc.array(piece, { maxLength: 12 }))
    .map(([scheme, chosen]) => scheme + chosen.join(''));
  fc.assert(
    fc.property(anyText, (text) => {
      const normal = normalUri(text);
      if (normal === undefined) return;
      expect(normalUri(normal)).toBe(normal);
      expect(uriKey(normal)).toBe(uriKey(text));
    }),
    { numRuns: 2000 },
  );
});
