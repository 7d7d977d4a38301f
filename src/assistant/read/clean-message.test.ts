import { expect, test } from 'vitest';
import { cleanMessage } from './clean-message.ts';

test.each<[string, string, string, boolean]>([
  ['plain', ' add buy milk ', 'add buy milk', false],
  ['controls', 'add\u0000 buy\u001b[2J milk\u0007', 'add buy[2J milk', true],
  ['turned direction', 'add \u202ekilm yub\u202c', 'add kilm yub', true],
  ['isolates and marks', 'a\u2066b\u2069c\u200e\u200f', 'abc', true],
  ['no shape', 'de\u200blete\ufeff', 'delete', true],
  ['tags', `yes\u{e0064}\u{e0065}`, 'yes', true],
  ['half a character', 'a\ud800b', 'ab', true],
  ['lines', 'add milk\r\nshow my tasks', 'add milk\nshow my tasks', false],
  ['joined emoji', 'call 👨\u200d👩\u200d👧', 'call 👨\u200d👩\u200d👧', false],
  ['right-to-left script', 'أضف حليب', 'أضف حليب', false],
])('%s', (...[, raw, text, cleaned]) => {
  expect(cleanMessage(raw)).toEqual({ text, cleaned });
});

test.each(['', '   ', '\n\t', '\u200b\u202e', '\u0000'])('nothing to answer: %j', (raw) => {
  expect(() => cleanMessage(raw)).toThrow(/message is empty.*Nothing was done/);
});

test('4,000 characters are fine, one more is not, and a character is one in every script', () => {
  expect(cleanMessage('🦊'.repeat(4000)).text).toHaveLength(8000);
  expect(() => cleanMessage('🦊'.repeat(4001))).toThrow(/4001 characters.*limit is 4000.*Nothing was done/);
  expect(() => cleanMessage('x'.repeat(10_000_000))).toThrow(/Nothing was done/);
});
