import { exactJson, ExactNumber, isObject, type JsonObject } from '../../../../src/json/index.ts';

/** What a JSON Schema asks for at one place, as a form shows it. Anything a form cannot show is `json`. */
export type Shape =
  | { kind: 'text'; format: string | undefined; minLength?: number; maxLength?: number; pattern?: string }
  | { kind: 'number'; isInteger: boolean; minimum?: number; maximum?: number }
  | { kind: 'boolean' }
  | { kind: 'choice'; choices: unknown[] }
  | { kind: 'const'; value: unknown }
  | { kind: 'object'; fields: ObjectField[]; extra: JsonObject | undefined }
  | { kind: 'list'; itemAt: (index: number) => JsonObject; maxItems: number | undefined }
  | { kind: 'variants'; variants: Variant[] }
  | { kind: 'json' };

interface ObjectField {
  name: string;
  schema: JsonObject;
  required: boolean;
}

export interface Variant {
  title: string;
  schema: JsonObject;
}

const MAX_STEPS = 20;
const MAX_FIELDS = 200;
const MAX_CHOICES = 500;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Follows local references and merges `allOf`. `root` is the schema that references start from. */
export function resolveSchema(schema: unknown, root: JsonObject, steps = MAX_STEPS): JsonObject {
  if (!isObject(schema) || steps === 0) return {};
  const { $ref, allOf, ...own } = schema;
  let resolved: JsonObject = own;
  if (typeof $ref === 'string')
    resolved = mergeSchemas(resolveSchema(targetOf($ref, root), root, steps - 1), resolved);
  for (const part of Array.isArray(allOf) ? allOf.slice(0, MAX_STEPS) : [])
    resolved = mergeSchemas(resolved, resolveSchema(part, root, steps - 1));
  return resolved;
}

function targetOf(reference: string, root: JsonObject): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeStep(step);
    if (Array.isArray(target)) target = target[Number(key)] as unknown;
    else target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

function decodeStep(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What holds for both: fields and required names of both, otherwise the second. */
function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map([...Object.entries(first), ...Object.entries(second)]);
  if (isObject(first.properties) && isObject(second.properties))
    merged.set('properties', { ...first.properties, ...second.properties });
  if (Array.isArray(first.required) && Array.isArray(second.required))
    merged.set('required', [...(first.required as unknown[]), ...(second.required as unknown[])]);
  return Object.fromEntries(merged);
}

/** What to show for a resolved schema. */
export function shapeOf(schema: JsonObject, root: JsonObject): Shape {
  if ('const' in schema) return { kind: 'const', value: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length <= MAX_CHOICES)
    return { kind: 'choice', choices: schema.enum };
  const variants = variantsOf(schema, root);
  if (variants) return variants;
  const type = typeOf(schema);
  switch (type) {
    case 'object':
      return objectShape(schema);
    case 'array':
      return listShape(schema);
    case 'string':
      return textShape(schema);
    case 'number':
    case 'integer':
      return { kind: 'number', isInteger: type === 'integer', ...numbersOf(schema, ['minimum', 'maximum']) };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'const', value: null };
    default:
      return { kind: 'json' };
  }
}

/** The type, also where only its keywords tell it. */
function typeOf({ type, properties, items, prefixItems }: JsonObject): unknown {
  if (type !== undefined) return type;
  if (isObject(properties)) return 'object';
  return isObject(items) || Array.isArray(prefixItems) ? 'array' : undefined;
}

function variantsOf(schema: JsonObject, root: JsonObject): Shape | undefined {
  const { oneOf, anyOf, type, ...base } = schema;
  const parts: unknown = oneOf ?? anyOf;
  if (Array.isArray(parts) && parts.length > 0 && parts.length <= MAX_CHOICES) {
    const typed = type === undefined ? base : { ...base, type };
    const resolved = parts.map((part) => resolveSchema(part, root));
    if (resolved.every((part) => 'const' in part))
      return { kind: 'choice', choices: resolved.map((part) => part.const) };
    // Only "required" in each part: a rule about the fields, not another form.
    if (resolved.every((part) => Object.keys(part).every((key) => key === 'required'))) return undefined;
    const variants = resolved.map((part, index) => ({
      title: titleOf(part, index),
      schema: mergeSchemas(typed, part),
    }));
    return variants.length === 1 ? shapeOf(variants[0]!.schema, root) : { kind: 'variants', variants };
  }
  if (!Array.isArray(type)) return undefined;
  const types = type.filter((each) => TYPES.includes(each as string));
  if (types.length === 1) return shapeOf({ ...schema, type: types[0] }, root);
  return {
    kind: 'variants',
    variants: types.map((each) => ({ title: String(each), schema: { ...schema, type: each as string } })),
  };
}

/** What tells one variant from the others: its title, the value of a field that only it may have, or its type. */
function titleOf(schema: JsonObject, index: number): string {
  if (typeof schema.title === 'string') return schema.title;
  if ('const' in schema) return exactJson(schema.const) ?? '';
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    if (isObject(property) && typeof property.const === 'string') return `${name}: ${property.const}`;
  const type = typeOf(schema);
  const fields = isObject(schema.properties) ? Object.keys(schema.properties).slice(0, 3).join(', ') : '';
  if (fields) return fields;
  return typeof type === 'string' ? type : `variant ${index + 1}`;
}

function objectShape({ properties, required, additionalProperties: extra }: JsonObject): Shape {
  const needed = Array.isArray(required) ? required : [];
  const known = Object.entries(isObject(properties) ? properties : {});
  const fields = known.slice(0, MAX_FIELDS).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    required: needed.includes(name),
  }));
  const isOpen = extra === true || (extra === undefined && fields.length === 0);
  return { kind: 'object', fields, extra: isObject(extra) ? extra : isOpen ? {} : undefined };
}

function listShape({ items, prefixItems, maxItems }: JsonObject): Shape {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = isObject(items) ? items : {};
  const isClosed = first.length > 0 && (items === false || !isObject(items));
  const most = typeof maxItems === 'number' ? maxItems : isClosed ? first.length : undefined;
  return {
    kind: 'list',
    itemAt: (index) => (index < first.length && isObject(first[index]) ? first[index] : rest),
    maxItems: most,
  };
}

function textShape(schema: JsonObject): Shape {
  const { format, pattern } = schema;
  return {
    kind: 'text',
    format: typeof format === 'string' ? format : undefined,
    ...numbersOf(schema, ['minLength', 'maxLength']),
    ...(typeof pattern === 'string' && { pattern }),
  };
}

function numbersOf<K extends string>(schema: JsonObject, keys: readonly K[]): Partial<Record<K, number>> {
  return Object.fromEntries(
    keys.map((key) => [key, schema[key]]).filter(([, value]) => typeof value === 'number'),
  ) as Partial<Record<K, number>>;
}

/** What a form begins with: defaults, values that are given, and everything that is required inside. Undefined: left out. */
export const initialValue = (given: unknown, root: JsonObject, required: boolean): unknown =>
  valueAt({ given, required }, root, 0);

function valueAt(
  { given, required }: { given: unknown; required: boolean },
  root: JsonObject,
  depth: number,
): unknown {
  const schema = resolveSchema(given, root);
  if (schema.default !== undefined) return schema.default;
  const shape = shapeOf(schema, root);
  if (shape.kind === 'const' && required) return shape.value;
  if (!required || depth >= MAX_STEPS) return undefined;
  if (shape.kind === 'variants')
    return valueAt({ given: shape.variants[0]!.schema, required: true }, root, depth + 1);
  if (shape.kind === 'list') return [];
  if (shape.kind !== 'object') return undefined;
  const values = shape.fields.map(({ name, schema: field, required: isNeeded }) => [
    name,
    valueAt({ given: field, required: isNeeded }, root, depth + 1),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The first variant that a value fits, as far as its type, fixed values and required fields tell. */
export function variantOf(value: unknown, variants: readonly Variant[], root: JsonObject): number {
  const fitting = variants.findIndex(({ schema }) => fits(value, resolveSchema(schema, root), root));
  return Math.max(0, fitting);
}

function fits(value: unknown, schema: JsonObject, root: JsonObject): boolean {
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case 'const':
      return isEqual(value, shape.value);
    case 'choice':
      return shape.choices.some((choice) => isEqual(choice, value));
    case 'text':
    case 'boolean':
      return typeof value === (shape.kind === 'text' ? 'string' : 'boolean');
    case 'list':
      return Array.isArray(value);
    case 'number':
      return isNumber(value);
    case 'variants':
      return shape.variants.some((variant) => fits(value, resolveSchema(variant.schema, root), root));
    case 'object':
      return isObject(value) && shape.fields.every((field) => fitsField(value, field, root));
    case 'json':
      return true;
    default:
      return shape satisfies never;
  }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || value instanceof ExactNumber;
const isEqual = (a: unknown, b: unknown): boolean => exactJson(a) === exactJson(b);

/** Required, and with the value that the variant fixes. */
function fitsField(value: JsonObject, { name, schema, required }: ObjectField, root: JsonObject): boolean {
  if (!Object.hasOwn(value, name)) return !required;
  const resolved = resolveSchema(schema, root);
  return !('const' in resolved) || isEqual(value[name], resolved.const);
}
