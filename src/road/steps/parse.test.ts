import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { ProxyError } from '../../contract/errors.ts';
import { parseCall } from './parse.ts';

const parse = (input: unknown) => parseCall(input);

describe('name', () => {
  test('splits at the first colon', () => {
    expect(parse({ name: 'github:repo:list' })).toMatchObject({
      server: 'github',
      tool: 'repo:list',
      args: {},
    });
  });
  test.each([
    undefined,
    '',
    5,
    null,
    'nocolon',
    ':tool',
    'server:',
    `s:${'x'.repeat(600)}`,
    's:\u001b[2J',
    's:a\u0000b',
  ])('%j is refused', (name) => {
    expect(() => parse({ name })).toThrow(ProxyError);
  });
  test('input that is no object', () => {
    for (const input of [undefined, null, 'x', 5, ['a']])
      expect(() => parse(input)).toThrow(/must be an object/);
  });
});

describe('arguments', () => {
  test('args or args_json', () => {
    expect(parse({ name: 's:t', args: { a: 1 } }).args).toEqual({ a: 1 });
    expect(parse({ name: 's:t', args_json: '{"a":1}' }).args).toEqual({ a: 1 });
    expect(parse({ name: 's:t', args_json: '' }).args).toEqual({});
    expect(parse({ name: 's:t', args_json: { a: 1 } }).args).toEqual({ a: 1 });
    expect(() => parse({ name: 's:t', args_json: [1] })).toThrow(/or the object itself, got an array/);
    expect(() => parse({ name: 's:t', args: {}, args_json: {} })).toThrow(/either args or args_json/);
    expect(parse({ name: 's:t' }).args).toEqual({});
  });
  test('both is refused, also where they agree', () => {
    expect(() => parse({ name: 's:t', args: {}, args_json: '{}' })).toThrow(/either args or args_json/);
  });
  test.each(['[1]', '"x"', '1', 'null', '{', '{"a":}', 'undefined'])('args_json %s is refused', (text) => {
    expect(() => parse({ name: 's:t', args_json: text })).toThrow(/args_json/);
  });
  test.each([[[1]], 'text', 5, true])('args %j is refused', (args) => {
    expect(() => parse({ name: 's:t', args })).toThrow(/args must be an object/);
  });
  test('deep nesting and too many keys are refused before it is parsed', () => {
    const wide = `{${'"a":1,'.repeat(100_001)}`;
    expect(() => parse({ name: 's:t', args_json: wide })).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
    );
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    expect(() => parse({ name: 's:t', args_json: deep })).toThrow(
      expect.objectContaining({ code: 'TOO_DEEP' }),
    );
    expect(() => parse({ name: 's:t', args: JSON.parse(deep) as unknown })).toThrow(
      expect.objectContaining({ code: 'TOO_DEEP' }),
    );
  });
  test('__proto__ stays a plain key and pollutes nothing', () => {
    const { args } = parse({ name: 's:t', args_json: '{"__proto__":{"polluted":true},"constructor":1}' });
    expect(Object.keys(args)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
  test('any JSON object survives the text form', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (args) => {
        expect(parse({ name: 's:t', args_json: JSON.stringify(args) }).args).toEqual(
          JSON.parse(JSON.stringify(args)),
        );
      }),
    );
  });
  test('whatever comes in: a parsed call or a ProxyError', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        try {
          parse(input);
        } catch (error) {
          expect(error).toBeInstanceOf(ProxyError);
        }
      }),
      { numRuns: cases(1000) },
    );
  });
});
