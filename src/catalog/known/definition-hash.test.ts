import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/source.ts';
import { definitionHash } from './definition-hash.ts';

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
