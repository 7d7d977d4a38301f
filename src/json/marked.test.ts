import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HIDDEN_PAYLOADS } from '../../test/fixtures/hidden-payloads.ts';
import { exactJson, parseExact } from './exact.ts';
import { markedJson, type Mark } from './marked.ts';

const joined = (value: unknown, marks: readonly Mark[]) =>
  markedJson(value, marks, '')
    .map(({ text }) => text)
    .join('');

test('joined, the pieces are the JSON text, whatever is marked', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(20), fc.nat(20), (value, a, b) => {
      const marks: Mark[] = [
        { pointer: '', in: 'value', kind: 'x', ...(typeof value === 'string' && range(a, b)) },
        { pointer: '/0', in: 'value', kind: 'y' },
      ];
      expect(joined(value, marks)).toBe(exactJson(value, 2));
      expect(joined(value, [])).toBe(exactJson(value, 2));
    }),
  );
  for (const { args } of HIDDEN_PAYLOADS) expect(joined(args, [])).toBe(exactJson(args, 2));
});

const range = (a: number, b: number) => ({ start: Math.min(a, b), end: Math.max(a, b) });

test('marks stand at keys, in texts and around whole values; numbers keep their digits', () => {
  const value = parseExact('{"a/b":{"k~":["one two",9007199254740993,{}]},"c":"plain"}');
  const marks: Mark[] = [
    { pointer: '/a~1b/k~0', in: 'key', kind: 'key', start: 1, end: 2 },
    { pointer: '/a~1b/k~0/0', in: 'value', kind: 'text', start: 4, end: 7 },
    { pointer: '/a~1b/k~0/1', in: 'value', kind: 'number' },
    { pointer: '/a~1b/k~0/2', in: 'value', kind: 'object' },
  ];
  expect(markedJson(value, marks, '').filter(({ kind }) => kind !== undefined)).toEqual([
    { kind: 'key', text: '~' },
    { kind: 'text', text: 'two' },
    { kind: 'number', text: '9007199254740993' },
    { kind: 'object', text: '{}' },
  ]);
});
