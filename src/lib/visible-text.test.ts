import { describe, expect, test } from 'vitest';
import { CODE_POINTS, isAlike, isUnseen } from '../../test/fixtures/unseen-characters.ts';
import { counted, grouped, hasHidden, visibleLine, visibleText } from './visible-text.ts';

describe('every code point of Unicode', () => {
  test('that nobody sees is shown by its number, alone and after a letter', () => {
    const shown = (code: number) => `\\u{${code.toString(16)}}`;
    const unseen = CODE_POINTS.filter(isUnseen);
    const raw = unseen.filter((code) => {
      const character = String.fromCodePoint(code);
      const isRaw = !hasHidden(character) || !hasHidden(`a${character}b`);
      const texts = isAlike(code) ? [] : [visibleText(character), visibleLine(character)];
      return isRaw || texts.some((text) => text !== shown(code));
    });
    expect(raw.slice(0, 20).map((code) => code.toString(16))).toEqual([]);
    const amid = unseen.map((code) => `a${String.fromCodePoint(code)}b`).join('');
    const whole = unseen.map((code) => `a${shown(code)}b`).join('');
    expect(visibleText(amid) === whole).toBe(true);
    expect(visibleLine(amid) === whole).toBe(true);
  });

  test('that has a glyph or is a blank stays as it is', () => {
    const changed = CODE_POINTS.filter((code) => {
      const character = String.fromCodePoint(code);
      // What this version of Unicode does not know yet has no glyph.
      if (isUnseen(code) || /\p{Cn}/u.test(character)) return false;
      return visibleText(character) !== character || hasHidden(character);
    });
    expect(changed.slice(0, 20).map((code) => code.toString(16))).toEqual([]);
  });
});

test.each([
  ['plain text', 'rm -rf /tmp\n\tand so on'],
  ['letters of other scripts', 'Zoë, 你好, नमस्ते, שלום, ᠮᠣᠩᠭᠣᠯ, ⠃⠗⠁⠊⠇⠇⠑'],
  ['marks of Arabic', '\u0600\u06dd\u070f\u08e2'],
  ['emoji in colour', '🎉 ❤\ufe0f ☎\ufe0e ✌🏽 🇩🇪'],
  ['a key', '1\ufe0f\u20e3'],
  ['a form of an ideograph', '葛\u{e0100}'],
])('%s is shown as it is', (_, text) => {
  expect(visibleText(text)).toBe(text);
  expect(hasHidden(text)).toBe(false);
});

test.each([
  ['after a plain letter', 'a\ufe0f', 'a\\u{fe0f}'],
  ['after a letter that has one form', 'é\ufe0f\u{e0100}', 'é\\u{fe0f}\\u{e0100}'],
  ['one after the other', '❤\ufe0f\ufe0e', '❤\ufe0f\\u{fe0e}'],
  ['after a hidden character', '\u{1d173}\ufe0f', '\\u{1d173}\\u{fe0f}'],
  ['for ideographs, after an emoji', '🎉\u{e0123}', '🎉\\u{e0123}'],
  ['after a digit that is no key', '1\ufe0f2', '1\\u{fe0f}2'],
  ['of Mongolian', 'ᠠ\u180b\u180f', 'ᠠ\\u{180b}\\u{180f}'],
])('a variation selector %s is shown', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('on one line, breaks and tabs are shown too', () => {
  expect(visibleText('a\n\tb\r')).toBe('a\n\tb\\u{d}');
  expect(visibleLine('a\n\tb\r')).toBe('a\\n\\tb\\u{d}');
});

test('numbers have groups of three digits, as people in a hurry read them', () => {
  for (const n of [0, 7, 999, 1000, 1234, 12_345, 123_456, 1_234_567, 1e15, -1234, 1234.5, 1e21])
    if (n < 1e21) expect(grouped(n)).toBe(n.toLocaleString('en-US'));
    else expect(grouped(n)).toBe(String(n));
  expect(counted(1200, 'tool')).toBe('1,200 tools');
});
