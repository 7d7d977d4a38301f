import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import { json, text } from './arbitraries.ts';

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** What a schema allows, more or less: what it asks for beyond types and names is met now and then. */
export function fromSchema(schema: z.ZodType): Arbitrary<unknown> {
  const whole = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    cycles: 'throw',
    reused: 'inline',
  });
  return made(whole as Schema);
}

function made(schema: Schema): Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(made));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return BY_TYPE[schema.type ?? '']?.(schema) ?? json;
}

const BY_TYPE: Record<string, (schema: Schema) => Arbitrary<unknown>> = {
  object,
  array: ({ items }) => fc.array(made(items ?? {}), { maxLength: 4 }),
  string,
  integer: number,
  number,
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
};

function number({ minimum, maximum }: Schema): Arbitrary<number> {
  return fc.oneof(fc.integer({ min: minimum ?? -1, max: Math.min(maximum ?? 1000, 1e9) }), fc.double());
}

function object({
  properties = {},
  required = [],
  additionalProperties,
  propertyNames,
}: Schema): Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, made(field)]));
  const fixed = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
  if (typeof additionalProperties !== 'object') return fixed;
  const names = propertyNames ? (made(propertyNames) as Arbitrary<string>) : text;
  const others = fc.array(fc.tuple(names, made(additionalProperties)), { maxLength: 3 });
  return fc.tuple(fixed, others).map(([own, more]) => ({ ...own, ...Object.fromEntries(more) }));
}

const PLAIN = [
  'up',
  'up:read_only',
  'up:destructive',
  'tasks',
  'a',
  '30s',
  '1h',
  'read',
  '24h',
  '2026-01-01T00:00:00Z',
  'list my tasks',
];

function string({ pattern, maxLength }: Schema): Arbitrary<string> {
  const plain = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...PLAIN) }, { weight: 1, arbitrary: text });
  const fitting = pattern === undefined ? plain : fc.oneof(plain, byPattern(pattern));
  return maxLength === undefined
    ? fitting
    : fc.oneof(fitting, fc.constant('x'.repeat(Math.min(maxLength + 1, 20_000))));
}

/** Not every pattern can be turned around. */
function byPattern(pattern: string): Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return text;
  }
}
