import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/source.ts';
import { parseExact } from '../../json/exact.ts';
import { definitionHash, diffDefinitions } from './definition.ts';

const definition: ToolDefinition = {
  name: 't',
  title: 'T',
  description: 'does it',
  inputSchema: { type: 'object', properties: { a: { default: 1, enum: [1, 2] } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

describe('definitionHash', () => {
  test('does not depend on the order of keys, at any depth', () => {
    const reordered: ToolDefinition = {
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
      inputSchema: { properties: { a: { enum: [1, 2], default: 1 } }, type: 'object' },
      description: 'does it',
      title: 'T',
      name: 't',
    };
    expect(definitionHash(reordered)).toBe(definitionHash(definition));
  });

  test.each<[string, Partial<ToolDefinition>]>([
    ['name', { name: 'u' }],
    ['title', { title: 'U' }],
    ['description', { description: 'does it ' }],
    [
      'a default deep inside',
      { inputSchema: { type: 'object', properties: { a: { default: 2, enum: [1, 2] } } } },
    ],
    [
      'the order of an enum',
      { inputSchema: { type: 'object', properties: { a: { default: 1, enum: [2, 1] } } } },
    ],
    ['output schema', { outputSchema: { type: 'object', properties: {} } }],
    ['an annotation', { annotations: { readOnlyHint: false } }],
    ['a further annotation', { annotations: { readOnlyHint: true, openWorldHint: false } }],
  ])('changes with %s', (_what, change) => {
    expect(definitionHash({ ...definition, ...change })).not.toBe(definitionHash(definition));
  });

  test('canonical JSON is JSON with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

test('numbers that differ behind the digits that JavaScript keeps are different', () => {
  const [before, after] = ['{"a":{"id":9007199254740993}}', '{"a":{"id":9007199254740992}}'].map(parseExact);
  expect(diffDefinitions(before, after).changes).toEqual([
    { path: '/a/id', before: '9007199254740993', after: '9007199254740992' },
  ]);
  expect(diffDefinitions(before, before).changes).toEqual([]);
});
