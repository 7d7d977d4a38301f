import fc, { type Arbitrary } from 'fast-check';

/** Texts that have broken something somewhere. */
export const EVIL: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\nX: y',
  '\u001b[2J',
  '\u202e\u200b\ufeff',
  '\ud800',
  'a\udc00',
  '\uffff',
  '💥'.repeat(20),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '%ff',
  '%',
  '${env:HOME}',
  '${',
  '"',
  "'",
  '\\',
  '\\u0000',
  '{}',
  '[]',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '9007199254740993',
  '99999999999999999999d',
  '-1',
  '0',
  ':',
  'a:',
  ':a',
  'up:',
  '=?base64?aGk=?=',
  '=?base64?%?=',
  '(a+)+$',
  '*'.repeat(50),
  'a'.repeat(3000),
  "' OR 1=1 --",
  'application/json',
  '2026-07-28',
  '2025-11-25',
  '0000-00-00',
  '9999-99-99',
];

/** UTF-16 as it comes, halves of pairs among it. */
const units = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes));
export const text: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...EVIL) },
  { weight: 2, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: units },
);

/** As part of an address. Half a pair cannot be encoded; what comes instead of it is what a client would send. */
export const percent = (value: string): string => encodeURIComponent(Buffer.from(value).toString());

/** The same as the bytes of a header: a line break in it would begin another header, which the raw bytes try apart. */
export const headerText: Arbitrary<string> = text.map((value) =>
  Buffer.from(value)
    .toString('latin1')
    .replace(/[\r\n]/g, ''),
);

const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-0, 0, 1e308, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 2 ** 31, 0.1, Number.MIN_VALUE),
);

/** Any JSON value; keys of objects may be anything, also what an object has by itself. */
export const json: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false), number, text),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Nested one in the other, below the limit and above it. */
export const deepText: Arbitrary<string> = fc
  .tuple(fc.integer({ min: 1, max: 2000 }), fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"b":', '}]']))
  .map(([depth, [open, close]]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

type Edit = readonly [how: 'cut' | 'put' | 'swap' | 'twice', at: number, length: number, what: string];
const edits = fc.array(
  fc.tuple(fc.constantFrom('cut', 'put', 'swap', 'twice'), fc.nat(10_000), fc.nat(12), text),
  { minLength: 1, maxLength: 4 },
) as Arbitrary<Edit[]>;

/** A text with pieces taken out, put in, exchanged or repeated. */
export function broken(whole: Arbitrary<string>): Arbitrary<string> {
  return fc.tuple(whole, edits).map(([start, list]) =>
    list.reduce((now, [how, where, length, what]) => {
      const at = now.length === 0 ? 0 : where % (now.length + 1);
      const [before, piece, after] = [now.slice(0, at), now.slice(at, at + length), now.slice(at + length)];
      if (how === 'cut') return before + after;
      if (how === 'put') return before + what + piece + after;
      return how === 'swap' ? before + what + after : before + piece + piece + after;
    }, start),
  );
}

interface Change {
  steps: number[];
  how: 'replace' | 'remove' | 'add' | 'rename';
  key: string;
  value: unknown;
}
const changes: Arbitrary<Change[]> = fc.array(
  fc.record({
    steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
    how: fc.constantFrom('replace', 'remove', 'add', 'rename'),
    key: text,
    value: json,
  }),
  { maxLength: 2, size: 'small' },
);

/** A value with some of its fields exchanged, removed, renamed or added; sometimes as it was. */
export function changed(whole: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(whole, changes).map(([value, list]) => list.reduce((now, one) => applied(now, one), value));
}

function applied(value: unknown, change: Change, depth = 0): unknown {
  const { steps, key, value: other } = change;
  if (typeof value !== 'object' || value === null || depth >= steps.length) return other;
  const entries: Array<[string, unknown]> = Object.entries(value);
  const at = steps[depth]! % Math.max(1, entries.length);
  const entry = entries[at];
  if (!entry) entries.push([key, other]);
  else if (depth < steps.length - 1) entry[1] = applied(entry[1], change, depth + 1);
  else FIELD_EDITS[change.how](entries, at, change);
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

type FieldEdit = (entries: Array<[string, unknown]>, at: number, change: Change) => void;

const FIELD_EDITS: Record<Change['how'], FieldEdit> = {
  add: (entries, _, { key, value }) => void entries.push([key, value]),
  replace: (entries, at, { value }) => void (entries[at]![1] = value),
  remove: (entries, at) => void entries.splice(at, 1),
  rename: (entries, at, { key }) => void (entries[at]![0] = key),
};

/** As `JSON.stringify` would have it; but text that is not well formed stays as it is, as a client may send it. */
export const jsonText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: broken(json.map((value) => JSON.stringify(value))) },
  { weight: 1, arbitrary: deepText },
  { weight: 1, arbitrary: text },
);
