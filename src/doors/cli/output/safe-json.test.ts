import { assert, asyncProperty, jsonValue } from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { cases } from '../../../../test/fixtures/cases.ts';
import { safeJson, safeYaml } from './safe-json.ts';

const NASTY = [
  '\u001b]0;owned\u0007',
  '\u009b31m',
  'a\u202eb',
  'zero\u200bwidth',
  '\u{e0041}tag',
  'line\u2028sep',
  '\u007f',
  '🙂\ufe01\u{e0150}',
  'a\ufe02b\u{e0151}',
  '\u3164\uffa0',
  'plain ünïcode 漢字 🙂',
];
// What a terminal may obey or hide; line breaks belong to the layout.
const DANGEROUS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\uffa0]|[\u{e0000}-\u{e007f}]|.[\ufe01\ufe02\u{e0150}\u{e0151}](?<!🙂.)/u;

test.each(NASTY)('JSON of %j round-trips and holds nothing a terminal obeys', (text) => {
  const printed = safeJson({ [text]: [text] }, 2);
  expect(printed).not.toMatch(DANGEROUS);
  expect(JSON.parse(printed)).toEqual({ [text]: [text] });
});

test.each(NASTY)('YAML of %j round-trips and holds nothing a terminal obeys', async (text) => {
  const printed = await safeYaml({ [text]: [text] });
  expect(printed).not.toMatch(DANGEROUS);
  expect(parse(printed)).toEqual({ [text]: [text] });
});

test('any JSON value survives both forms', async () => {
  await assert(
    asyncProperty(jsonValue({ stringUnit: 'grapheme' }), async (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown;
      expect(JSON.parse(safeJson(plain, 2))).toEqual(plain);
      const yaml = await safeYaml(plain);
      expect(parse(yaml)).toEqual(plain);
      expect(yaml).not.toMatch(DANGEROUS);
    }),
    { numRuns: cases(300) },
  );
});

test('a value shared twice is printed twice, not as an alias', async () => {
  const shared = { a: 1 };
  expect(await safeYaml({ x: shared, y: shared })).toBe('x:\n  a: 1\ny:\n  a: 1\n');
});
