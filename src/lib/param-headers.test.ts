import { describe, expect, test } from 'vitest';
import { headersFor, headerValue, paramHeaders, type ParamHeader } from './param-headers.ts';

const field = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header });

describe('parameters as headers', () => {
  test('are found at any depth of properties, and their values taken from there', () => {
    const schema = {
      properties: {
        region: field('Region'),
        place: { properties: { level: field('Level', 'integer'), on: field('On', 'boolean') } },
      },
    };
    const declared = paramHeaders(schema) as ParamHeader[];
    expect(headersFor(declared, { region: 'eu', place: { level: 3, on: false } })).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-level': '3',
      'mcp-param-on': 'false',
    });
    expect(headersFor(declared, { region: null, place: 'x' })).toEqual({});
    expect(headersFor(declared, { region: ['x'], place: { level: 2 ** 60 } })).toEqual({});
    expect(
      headersFor(declared, JSON.parse('{"__proto__": {"region": "x"}}') as Record<string, unknown>),
    ).toEqual({});
  });

  test.each([
    ['an array item', { properties: { a: { items: field('A') } } }],
    ['an alternative', { anyOf: [{ properties: { a: field('A') } }] }],
    ['a definition', { $defs: { a: field('A') } }],
    ['the root', field('A')],
    ['no name', { properties: { a: field('') } }],
    ['a name with a space', { properties: { a: field('A B') } }],
    ['a name with a line break', { properties: { a: field('A\r\nB') } }],
    ['a number', { properties: { a: field('A', 'number') } }],
    ['an object', { properties: { a: field('A', 'object') } }],
    ['something that is no text', { properties: { a: field('A', [[{ toString: 0 }]]) } }],
    ['a name used twice', { properties: { a: field('A'), b: field('a') } }],
  ])('are refused on %s', (_what, schema) => {
    expect(paramHeaders(schema)).toMatchObject({ invalid: expect.stringContaining('x-mcp-header') });
  });

  test('a property that is called like the keyword is only a property', () => {
    expect(paramHeaders({ properties: { 'x-mcp-header': { type: 'string' } } })).toEqual([]);
  });

  test.each([
    ['plain', 'plain'],
    ['two words', 'two words'],
    ['', '=?base64??='],
    [' edge', `=?base64?${Buffer.from(' edge').toString('base64')}?=`],
    ['a\r\nb: c', `=?base64?${Buffer.from('a\r\nb: c').toString('base64')}?=`],
    ['ü', `=?base64?${Buffer.from('ü').toString('base64')}?=`],
    ['=?base64?eA==?=', `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
  ])('value %j', (value, header) => {
    expect(headerValue(value)).toBe(header);
  });
});
