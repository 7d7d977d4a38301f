import { linearPattern } from '../../lib/pattern.ts';
import { isObject } from '../../json/index.ts';

export type Dialect = '2020-12' | '2019-09' | 'draft-07';

export interface PreparedSchema {
  dialect: Dialect;
  /** A copy that counts its own steps and holds nothing that could run away. */
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

/** Thrown where a schema is not used at all; the message completes "its arguments were not validated: …". */
export class UnusableSchema extends Error {}

/** The schema comes from a server that nobody vouches for: it is measured before it is compiled. */
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
    if (keyword === '$id') throw new UnusableSchema('its schema holds further schemas with addresses');
    if (keyword === '$ref' || keyword === '$dynamicRef') return [[keyword, localOnly(value)]];
    if (keyword === 'pattern' && !isCheckable(value)) return [];
    if (HOLDS_LIST.has(keyword) && Array.isArray(value))
      return [[keyword, value.map((each) => this.copy(each, depth + 1))]];
    if (HOLDS_MAP.has(keyword) && isObject(value)) return [[keyword, this.#map(keyword, value, depth)]];
    if (HOLDS_SCHEMA.has(keyword)) return [[keyword, this.copy(value, depth + 1)]];
    if (typeof value === 'object' && value !== null && Object.keys(value).length > MAX_ENTRIES)
      throw new UnusableSchema(`its schema has a list of more than ${MAX_ENTRIES} entries`);
    return [[keyword, value]];
  }

  #map(keyword: string, map: Record<string, unknown>, depth: number): Record<string, unknown> {
    const entries = Object.entries(map).map(([key, value]): [string, unknown] => {
      if (keyword === 'patternProperties' && !linearPattern(key))
        throw new UnusableSchema('its schema has a pattern that cannot be checked in bounded time');
      // Of the old "dependencies" some name properties only.
      return [key, Array.isArray(value) ? value : this.copy(value, depth + 1)];
    });
    return Object.fromEntries(entries);
  }
}

const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Objects would be compared each with each; that is left to the server. */
function hasPlainItems(items: unknown): boolean {
  return isObject(items) && typeof items.type === 'string' && PLAIN_TYPES.has(items.type);
}

/** A pattern that needs more than bounded time is left to the server: leaving it out allows more, and refuses nothing wrongly. */
function isCheckable(pattern: unknown): boolean {
  return typeof pattern === 'string' && linearPattern(pattern) !== undefined;
}

/** Nothing is ever fetched: a reference leads into the schema itself or nowhere. */
function localOnly(reference: unknown): string {
  if (typeof reference === 'string' && reference.startsWith('#')) return reference;
  throw new UnusableSchema('its schema refers to another document');
}
