import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/json/index.ts';
import { initialValue, resolveSchema, shapeOf, variantOf } from './shape.ts';

const shape = (schema: JsonObject, root = schema) => shapeOf(resolveSchema(schema, root), root);

test('references are followed, also in a circle, and allOf is merged', () => {
  const root: JsonObject = {
    $defs: {
      'a/b': { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
      loop: { $ref: '#/$defs/loop' },
    },
  };
  const merged = {
    allOf: [{ $ref: '#/$defs/a~1b' }, { properties: { y: { type: 'number' } }, required: ['y'] }],
  };
  expect(shape(merged, root)).toMatchObject({
    kind: 'object',
    fields: [
      { name: 'x', required: true },
      { name: 'y', required: true },
    ],
  });
  expect(shape({ $ref: '#/$defs/loop' }, root)).toEqual({ kind: 'json' });
  expect(shape({ $ref: 'https://elsewhere/schema' }, root)).toEqual({ kind: 'json' });
});

test('one of several constants is a choice; other variants are named by what tells them apart', () => {
  expect(shape({ oneOf: [{ const: 'a' }, { const: 'b' }] })).toEqual({ kind: 'choice', choices: ['a', 'b'] });
  const variants = shape({
    anyOf: [{ title: 'Named', type: 'string' }, { properties: { way: { const: 'post' } } }, { type: 'null' }],
  });
  expect(variants).toMatchObject({
    kind: 'variants',
    variants: [{ title: 'Named' }, { title: 'way: post' }, { title: 'null' }],
  });
  expect(shape({ type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] }).kind).toBe('object');
});

test('a form begins with defaults and with what is required', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array' },
      inner: { type: 'object', properties: { n: { default: 3 }, s: { type: 'string' } }, required: ['s'] },
      left: { type: 'object', properties: {} },
    },
    required: ['list', 'inner'],
  };
  expect(initialValue(schema, schema, true)).toEqual({ list: [], inner: { n: 3 } });
});

test('the variant of a value is the first one that it fits', () => {
  const variants = [
    { title: 'a', schema: { type: 'object', properties: { k: { const: 1 } }, required: ['k'] } },
    { title: 'b', schema: { type: 'object', properties: { k: { const: 2 } }, required: ['k'] } },
    { title: 'c', schema: { type: 'number' } },
  ];
  expect(variantOf({ k: 2 }, variants, {})).toBe(1);
  expect(variantOf(7, variants, {})).toBe(2);
  expect(variantOf('none', variants, {})).toBe(0);
});
