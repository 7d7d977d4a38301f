import { linearPattern } from '../../lib/pattern.ts';
import { isObject } from '../../json/index.ts';

export type Dialect = '2020-12' | '2019-09' | 'draft-07';

export interface PreparedSchema {
  dialect: Dialect;
  /** A copy that counts its validation steps and has no unbounded parts. */
  schema: Record<string, unknown> | boolean;
}

/** Put into every subschema; the validator counts how often it is reached. */
export const STEP = 'x-mcpproxy-step';

const MAX_CHARACTERS = 128 * 1024;
const MAX_SUBSCHEMAS = 1000;
const MAX_DEPTH = 32;
const MAX_ENTRIES = 1000;

const set = (text: string): Set<string> => new Set(text.split(' '));
const HOLDS_SCHEMA = set(
  'additionalProperties additionalItems items contains not if then else propertyNames unevaluatedItems unevaluatedProperties contentSchema',
);
const HOLDS_LIST = set('allOf anyOf oneOf prefixItems items');
const HOLDS_MAP = set('properties patternProperties $defs definitions dependentSchemas dependencies');
/** Text for people, and switches that would change how the validator itself works. */
const LEFT_OUT = set(
  '$schema $async $vocabulary title description default examples $comment format deprecated',
);

/** The schema is not used at all. The message completes "its arguments were not validated: …". */
export class UnusableSchema extends Error {}

/** The schema is untrusted, so its size is checked before it is compiled. */
export function prepareSchema(schema: Record<string, unknown>): PreparedSchema {
  const dialect = dialectOf(schema.$schema);
  if (JSON.stringify(schema).length > MAX_CHARACTERS)
    throw new UnusableSchema(`its schema is larger than ${MAX_CHARACTERS / 1024} KB`);
  return { dialect, schema: new Copier().copy(schema, 0) };
}

function dialectOf(declared: unknown): Dialect {
  if (typeof declared !== 'string') return '2020-12';
  if (/draft-0[67]/.test(declared)) return 'draft-07';
  if (declared.includes('2019-09')) return '2019-09';
  if (declared.includes('2020-12') || !declared.includes('json-schema.org')) return '2020-12';
  throw new UnusableSchema('its schema is written in a dialect that is not supported');
}

class Copier {
  #count = 0;

  copy(schema: unknown, depth: number): Record<string, unknown> | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) throw new UnusableSchema('its schema is malformed');
    if (depth > MAX_DEPTH) throw new UnusableSchema(`its schema is nested deeper than ${MAX_DEPTH} levels`);
    if (++this.#count > MAX_SUBSCHEMAS)
      throw new UnusableSchema(`its schema has more than ${MAX_SUBSCHEMAS} parts`);
    const fields = Object.entries(schema)
      .filter(
        ([keyword, value]) => keyword !== 'uniqueItems' || value !== true || hasPlainItems(schema.items),
      )
      .flatMap(([keyword, value]) => this.#keyword(keyword, value, depth));
    return Object.fromEntries([...fields, [STEP, true]]);
  }

  #keyword(keyword: string, value: unknown, depth: number): Array<[string, unknown]> {
    if (LEFT_OUT.has(keyword)) return [];
    if (keyword === '$id' && depth === 0) return [];
    if (keyword === '$id') throw new UnusableSchema('its schema contains further schemas with an $id');
    if (keyword === '$ref' || keyword === '$dynamicRef') return [[keyword, localReference(value)]];
    if (keyword === 'pattern' && !isCheckable(value)) return [];
    return [[keyword, this.#subschemas(keyword, value, depth) ?? smallValue(value)]];
  }

  /** The copy of the subschemas that a keyword holds; undefined if it holds none. */
  #subschemas(keyword: string, value: unknown, depth: number): object | boolean | undefined {
    if (HOLDS_LIST.has(keyword) && Array.isArray(value))
      return value.map((each) => this.copy(each, depth + 1));
    if (HOLDS_MAP.has(keyword) && isObject(value)) return this.#map(keyword, value, depth);
    return HOLDS_SCHEMA.has(keyword) ? this.copy(value, depth + 1) : undefined;
  }

  #map(keyword: string, map: Record<string, unknown>, depth: number): Record<string, unknown> {
    const entries = Object.entries(map).map(([key, value]): [string, unknown] => {
      if (keyword === 'patternProperties' && !linearPattern(key))
        throw new UnusableSchema('its schema has a pattern that cannot be checked in bounded time');
      // The old keyword "dependencies" may hold lists of property names.
      return [key, Array.isArray(value) ? value : this.copy(value, depth + 1)];
    });
    return Object.fromEntries(entries);
  }
}

function smallValue(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > MAX_ENTRIES)
    throw new UnusableSchema(`its schema has a list of more than ${MAX_ENTRIES} entries`);
  return value;
}

const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Comparing objects pairwise is too expensive; the server checks those itself. */
function hasPlainItems(items: unknown): boolean {
  return isObject(items) && typeof items.type === 'string' && PLAIN_TYPES.has(items.type);
}

/** A pattern without a linear bound is dropped and left to the server: that never refuses a valid call. */
function isCheckable(pattern: unknown): boolean {
  return typeof pattern === 'string' && linearPattern(pattern) !== undefined;
}

/** Nothing is ever fetched: a reference must stay within the schema. */
function localReference(reference: unknown): string {
  if (typeof reference === 'string' && reference.startsWith('#')) return reference;
  throw new UnusableSchema('its schema refers to another document');
}
