import { isObject, type JsonObject } from '../../json/index.ts';

/** A parameter that the 2026-07-28 revision wants repeated as an HTTP header, declared in the tool's schema by `x-mcp-header`. */
export interface ParamHeader {
  path: string[];
  header: string;
}

const KEY = 'x-mcp-header';
const TYPES = new Set(['string', 'integer', 'boolean']);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_DECLARATIONS = 100;

/** The declarations of a schema, or what is wrong with them: a client must not offer a tool whose declarations break the rules. */
export function paramHeaders(schema: JsonObject): ParamHeader[] | { invalid: string } {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  const fault = declared(schema, [], true, (path, node) => {
    const name = node[KEY];
    if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a header name';
    if (typeof node.type !== 'string' || !TYPES.has(node.type))
      return 'stands on a parameter that is no string, integer or boolean';
    if (names.has(name.toLowerCase())) return 'is declared twice';
    if (found.length >= MAX_DECLARATIONS) return 'is declared too often';
    names.add(name.toLowerCase());
    found.push({ path, header: `mcp-param-${name.toLowerCase()}` });
    return undefined;
  });
  return fault === undefined ? found : { invalid: fault };
}

type Check = (path: string[], node: JsonObject) => string | undefined;

/** Walks the schema. Only a chain of `properties` leads to a value that every call has in the same place. */
function declared(node: unknown, path: string[], reachable: boolean, check: Check): string | undefined {
  if (Array.isArray(node)) return firstFault(node, (child) => declared(child, path, false, check));
  if (!isObject(node)) return undefined;
  if (Object.hasOwn(node, KEY)) {
    const why = reachable && path.length > 0 ? check(path, node) : 'stands where no call has a fixed value';
    if (why !== undefined) return `${KEY} at ${path.join('.') || 'the root'} ${why}`;
  }
  return firstFault(Object.entries(node), ([key, child]) => {
    if (key !== 'properties' || !isObject(child))
      return SUBSCHEMAS.has(key) ? inside(key, child, path, check) : undefined;
    return firstFault(Object.entries(child), ([name, schema]) =>
      declared(schema, [...path, name], reachable, check),
    );
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

function inside(key: string, child: unknown, path: string[], check: Check): string | undefined {
  const schemas = MAPS.has(key) && isObject(child) ? Object.values(child) : child;
  return declared(schemas, [...path, key], false, check);
}

function firstFault<T>(items: T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = judge(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The headers of one call. A value that is absent, null or of another kind gets none. */
export function headersFor(declarations: ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarations) {
    const value = path.reduce<unknown>(
      (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
      args,
    );
    if (typeof value === 'string' || typeof value === 'boolean') headers[header] = headerValue(String(value));
    else if (typeof value === 'number' && Number.isFinite(value)) {
      if (!Number.isInteger(value) || Number.isSafeInteger(value))
        headers[header] = headerValue(String(value));
    }
  }
  return headers;
}

/** Plain printable text as it is; everything else, and what looks encoded already, in the protocol's base64 form. */
export function headerValue(text: string): string {
  const plain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) &&
    !(text.startsWith('=?base64?') && text.endsWith('?='));
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
