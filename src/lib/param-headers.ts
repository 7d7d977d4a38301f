import { isObject, type JsonObject } from '../json/index.ts';

/** A parameter that is repeated as an HTTP header in the 2026-07-28 revision, declared in the tool's schema by `x-mcp-header`. */
export interface ParamHeader {
  path: string[];
  header: string;
}

const KEY = 'x-mcp-header';
const TYPES = new Set(['string', 'integer', 'boolean']);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_DECLARATIONS = 100;

/** The declarations of a schema, or why they are invalid: a client must not offer a tool with invalid declarations. */
export function paramHeaders(schema: JsonObject): ParamHeader[] | { invalid: string } {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  const fault = firstInvalid(schema, { path: [], reachable: true }, (path, node) => {
    const name = node[KEY];
    if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a header name';
    if (typeof node.type !== 'string' || !TYPES.has(node.type))
      return 'is on a parameter that is not a string, integer or boolean';
    if (names.has(name.toLowerCase())) return 'is declared twice';
    if (found.length >= MAX_DECLARATIONS) return 'is declared too often';
    names.add(name.toLowerCase());
    found.push({ path, header: `mcp-param-${name.toLowerCase()}` });
    return undefined;
  });
  return fault === undefined ? found : { invalid: fault };
}

/** A place in the schema. Reachable: every call has a value there, because only `properties` lead to it. */
interface Place {
  path: string[];
  reachable: boolean;
}

type Check = (path: string[], node: JsonObject) => string | undefined;

function firstInvalid(node: unknown, { path, reachable }: Place, check: Check): string | undefined {
  if (Array.isArray(node))
    return firstFault(node, (child) => firstInvalid(child, { path, reachable: false }, check));
  if (!isObject(node)) return undefined;
  if (Object.hasOwn(node, KEY)) {
    const why =
      reachable && path.length > 0 ? check(path, node) : 'is at a place where a call has no fixed value';
    if (why !== undefined) return `${KEY} at ${path.join('.') || 'the root'} ${why}`;
  }
  return firstFault(Object.entries(node), ([key, child]) => {
    if (key === 'properties' && isObject(child))
      return firstFault(Object.entries(child), ([name, schema]) =>
        firstInvalid(schema, { path: [...path, name], reachable }, check),
      );
    if (!SUBSCHEMAS.has(key)) return undefined;
    const schemas = MAPS.has(key) && isObject(child) ? Object.values(child) : child;
    return firstInvalid(schemas, { path: [...path, key], reachable: false }, check);
  });
}

const MAPS = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const SUBSCHEMAS = new Set(
  [...MAPS].concat(
    'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames'.split(
      ' ',
    ),
    'oneOf anyOf allOf not if then else'.split(' '),
  ),
);

function firstFault<T>(items: T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = judge(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What the arguments of a call have for a declared parameter. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    args,
  );
}

/** The headers of one call. A value that is absent, null or of another type gets none. */
export function headersFor(declarations: ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarations) {
    const value = valueAt(args, path);
    if (typeof value === 'string' || typeof value === 'boolean') headers[header] = headerValue(String(value));
    else if (typeof value === 'number' && Number.isFinite(value)) {
      if (!Number.isInteger(value) || Number.isSafeInteger(value))
        headers[header] = headerValue(String(value));
    }
  }
  return headers;
}

/** Printable text unchanged; everything else, and text that looks encoded, in the protocol's base64 form. */
export function headerValue(text: string): string {
  const plain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) &&
    !(text.startsWith('=?base64?') && text.endsWith('?='));
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
