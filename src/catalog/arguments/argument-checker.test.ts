import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { createArgumentChecker } from './argument-checker.ts';

type Json = Record<string, unknown>;
const checker = createArgumentChecker();
const check = (schema: Json, args: Json) => checker.check(schema, args);
const problems = (schema: Json, args: Json) => {
  const checked = check(schema, args);
  return checked.result === 'invalid' ? checked.problems : checked.result;
};
const why = (schema: Json, args: Json = {}) => {
  const checked = check(schema, args);
  return checked.result === 'unchecked' ? checked.why : checked.result;
};

describe('arguments that do not fit', () => {
  const schema = {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1 },
      limit: { type: 'integer', maximum: 10, default: 5 },
      state: { enum: ['open', 'closed'] },
      labels: { type: 'array', items: { type: 'string' } },
      nested: { type: 'object', properties: { 'a/b': { const: 1 } }, required: ['a/b'] },
    },
    required: ['title'],
    additionalProperties: false,
  };
  test.each<[Json, string[]]>([
    [{}, ['arguments must have the property "title"']],
    [{ title: 'x', limit: '5' }, ['/limit must be integer']],
    [{ title: 'x', limit: 11 }, ['/limit must be <= 10']],
    [{ title: 'x', state: 'done' }, ['/state must be one of "open", "closed"']],
    [{ title: 'x', labels: ['a', 1] }, ['/labels/1 must be string']],
    [{ title: 'x', nested: { 'a/b': 2 } }, ['/nested/a~1b must be 1']],
    [{ title: 'x', extra: 1 }, ['arguments must not have the property "extra"']],
    [
      { limit: 'x', extra: 1 },
      [
        'arguments must have the property "title"',
        'arguments must not have the property "extra"',
        '/limit must be integer',
      ],
    ],
  ])('%j', (args, expected) => {
    expect(problems(schema, args)).toEqual(expected);
  });

  test('are left as they are: no default, no conversion', () => {
    const args = Object.freeze({ title: 'x' });
    expect(check(schema, args)).toEqual({ result: 'valid' });
    expect(args).toEqual({ title: 'x' });
    const wrong = { title: 5 };
    check({ ...schema, properties: { title: { type: 'string' } } }, wrong);
    expect(wrong).toEqual({ title: 5 });
  });

  test('in great number give the first few', () => {
    const many = { title: 'x', labels: Array.from({ length: 50_000 }, () => 1) };
    expect(problems(schema, many)).toEqual(['/labels/0 must be string']);
    expect(problems(schema, { title: 'x', labels: [1, 2, 3, 4, 5, 6, 7, 8] })).toHaveLength(5);
  });

  test('names like those of object members hold no surprise', () => {
    const odd = {
      type: 'object',
      required: ['constructor', 'toString'],
      properties: { __proto__: { type: 'string' } },
    };
    expect(problems(odd, {})).toEqual([
      'arguments must have the property "constructor"',
      'arguments must have the property "toString"',
    ]);
  });
});

describe('dialects', () => {
  test('2020-12 unless the schema says otherwise', () => {
    const tuple = { type: 'object', properties: { p: { type: 'array', prefixItems: [{ type: 'number' }] } } };
    expect(problems(tuple, { p: ['x'] })).toEqual(['/p/0 must be number']);
    const dependent = { dependentRequired: { a: ['b'] } };
    expect(problems(dependent, { a: 1 })).toEqual([expect.stringContaining('must have property b')]);
  });
  test('draft-07 and 2019-09 by $schema', () => {
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { p: { items: [{ type: 'number' }], additionalItems: false } },
      dependencies: { a: ['b'], c: { required: ['d'] } },
    };
    expect(problems(old, { p: ['x'] })).toEqual(['/p/0 must be number']);
    expect(problems(old, { c: 1 })).toEqual(['arguments must have the property "d"']);
    const middle = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      properties: { a: { type: 'null' } },
    };
    expect(problems(middle, { a: 1 })).toEqual(['/a must be null']);
    expect(why({ $schema: 'http://json-schema.org/draft-04/schema#' })).toContain('dialect');
  });
  test('local references, recursive ones too', () => {
    const tree = {
      $defs: {
        node: {
          type: 'object',
          properties: { kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['v'],
        },
      },
      properties: { root: { $ref: '#/$defs/node' }, copy: { $ref: '#/properties/root' } },
    };
    expect(check(tree, { root: { v: 1, kids: [{ v: 2 }] } })).toEqual({ result: 'valid' });
    expect(problems(tree, { copy: { v: 1, kids: [{}] } })).toEqual([
      '/copy/kids/0 must have the property "v"',
    ]);
  });
});

describe('a schema that cannot be used refuses nothing', () => {
  test.each<[string, Json, RegExp]>([
    ['a type that does not exist', { type: 'strng' }, /malformed/],
    ['a keyword of the wrong type', { properties: { a: { required: true } } }, /malformed/],
    ['subschemas that are none', { properties: { a: 'string' } }, /malformed/],
    ['a reference to the network', { $ref: 'https://127.0.0.1:1/schema.json' }, /another document/],
    ['a reference to a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, /another document/],
    ['a reference into nothing', { properties: { a: { $ref: '#/$defs/missing' } } }, /malformed/],
    [
      'a pattern over properties that cannot be bounded',
      { patternProperties: { '(?=a)b': {} } },
      /bounded time/,
    ],
    ['a schema with an address inside', { $defs: { a: { $id: 'https://example.com/a' } } }, /with an \$id/],
    ['a very long enum', { enum: Array.from({ length: 1001 }, (_, i) => i) }, /more than 1000 entries/],
    ['too large', { description: 'x'.repeat(200_000) }, /larger than 128 KB/],
    [
      'too many parts',
      { properties: Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`p${i}`, {}])) },
      /1000 parts/,
    ],
  ])('%s', (_, schema, expected) => {
    expect(why(schema, { a: 1 })).toMatch(expected);
  });

  test('too deep', () => {
    let schema: Json = {};
    for (let i = 0; i < 60; i++) schema = { properties: { a: schema } };
    expect(why(schema)).toContain('deeper than 32');
  });

  test('work that doubles at every level is given up', () => {
    const $defs: Json = {};
    for (let i = 0; i < 30; i++)
      $defs[`d${i}`] = { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/d${i + 1}` })) };
    $defs.d30 = { const: 'never' };
    expect(why({ $defs, properties: { a: { $ref: '#/$defs/d0' } } }, { a: 1 })).toBe(
      'checking them takes too long',
    );
    expect(why({ $ref: '#' }, { a: 1 })).toBe('checking them takes too long');
    const list = { properties: { a: { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } } };
    expect(why(list, { a: Array.from({ length: 100_000 }, () => true) })).toBe('invalid');
  });

  test('patterns: evil ones cost nothing, impossible ones are left out', () => {
    const evil = { properties: { a: { pattern: '^(a+)+$' } } };
    expect(problems(evil, { a: `${'a'.repeat(5000)}!` })).toEqual([
      expect.stringContaining('must match pattern'),
    ]);
    expect(check(evil, { a: 'aaa' })).toEqual({ result: 'valid' });
    expect(check({ properties: { a: { pattern: '(?=x)y' } } }, { a: 'zzz' })).toEqual({ result: 'valid' });
    expect(why({ properties: { a: { pattern: '^a*$' } } }, { a: 'a'.repeat(200_000) })).toContain('too long');
    const each = {
      patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`^k${i}`, true])),
    };
    const crowd = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, 1]));
    expect(why(each, crowd)).toBe('checking them takes too long');
    const keys = { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false };
    expect(problems(keys, { 'x-a': 's' })).toEqual(['/x-a must be number']);
    expect(problems(keys, { y: 1 })).toEqual(['arguments must not have the property "y"']);
  });

  test('unique items: plain ones are compared, others are left to the server', () => {
    const list = (items: Json) => ({ properties: { a: { type: 'array', uniqueItems: true, items } } });
    expect(problems(list({ type: 'string' }), { a: ['x', 'x'] })).toEqual([
      expect.stringContaining('duplicate'),
    ]);
    const objects = Array.from({ length: 5000 }, (_, i) => ({ i }));
    expect(check(list({ type: 'object' }), { a: [...objects, ...objects] })).toEqual({ result: 'valid' });
    expect(check(list({ type: { toString: 0 } }), { a: ['x', 'x'] }).result).not.toBe('invalid');
  });

  test('keywords that would change the validator are ignored', () => {
    expect(check({ $async: true, type: 'object' }, {})).toEqual({ result: 'valid' });
    expect(problems({ 'x-mcpproxy-step': 'mine', required: ['a'] }, {})).toHaveLength(1);
    expect(check({ properties: { a: { format: 'email' } } }, { a: 'no address' })).toEqual({
      result: 'valid',
    });
  });
});

test('one server’s schema never reaches into that of another', () => {
  check({ $id: 'https://example.com/shared', $defs: { x: { type: 'number' } } }, {});
  expect(why({ properties: { a: { $ref: 'https://example.com/shared#/$defs/x' } } }, { a: 's' })).toContain(
    'another document',
  );
  const same = () => ({ $id: 'https://example.com/same', required: ['a'] });
  expect([problems(same(), {}), problems(same(), {})]).toEqual([
    ['arguments must have the property "a"'],
    ['arguments must have the property "a"'],
  ]);
});

test('only so many are kept, and those in use stay', () => {
  const small = createArgumentChecker({ maxCompiled: 2 });
  const schemas = Array.from({ length: 5 }, (_, i) => ({ required: [`p${i}`] }));
  for (const schema of [...schemas, ...schemas])
    expect(small.check(schema, {})).toMatchObject({
      result: 'invalid',
      problems: [expect.stringContaining(schema.required[0]!)],
    });
});

test('whatever comes as a schema: an answer, never an exception', () => {
  const keywords = fc.constantFrom(
    ...'type properties required items enum const pattern $ref anyOf allOf not if then additionalProperties patternProperties $defs $id minimum $dynamicRef unevaluatedProperties dependencies $anchor nullable discriminator'.split(
      ' ',
    ),
  );
  const schema = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('#', '#/$defs/a', 'string', 'object', '(a+)+$', 'x'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(keywords, tie('schema'), { maxKeys: 4 }),
    ),
  })).schema;
  fc.assert(
    fc.property(
      fc.dictionary(keywords, schema, { maxKeys: 4 }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (given, args) => {
        expect(['valid', 'invalid', 'unchecked']).toContain(check(given, args as Json).result);
      },
    ),
    { numRuns: cases(500) },
  );
});

test('null for an optional parameter counts as not given, for a required one it does not', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, verbose: { type: 'boolean' }, since: { type: 'integer' } },
    required: ['name'],
    additionalProperties: false,
  };
  const check = (args: Record<string, unknown>) => createArgumentChecker().check(schema, args);
  expect(check({ name: 'a', verbose: null, since: null })).toEqual({ result: 'valid' });
  expect(check({ name: null })).toMatchObject({ result: 'invalid' });
  expect(check({ name: 'a', verbose: null, since: 'x' })).toMatchObject({
    result: 'invalid',
    problems: [expect.stringContaining('/since')],
  });
  expect(check({ name: 'a', other: null })).toMatchObject({ result: 'invalid' });
});
