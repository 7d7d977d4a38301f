import { exactNumber, isObject, parseExact, type JsonObject } from '../../../../src/json/index.ts';

/** A property of a JSON Schema as a form field. Properties that a form cannot show are entered as JSON. */
export interface SchemaField {
  name: string;
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  required: boolean;
  description: string;
  choices: string[];
  initial: string;
}

const MAX_FIELDS = 60;

export function fieldsOf(schema: JsonObject): SchemaField[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => {
      const property = isObject(value) ? value : {};
      const fallback = property.default;
      return {
        name,
        kind: kindOf(property),
        required: required.includes(name),
        description: typeof property.description === 'string' ? property.description : '',
        choices: Array.isArray(property.enum) ? property.enum.filter((item) => typeof item === 'string') : [],
        initial:
          fallback === undefined ? '' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
      };
    });
}

function kindOf({ type, enum: choices }: JsonObject): SchemaField['kind'] {
  if (Array.isArray(choices) && choices.length > 0 && choices.every((item) => typeof item === 'string'))
    return 'choice';
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  return 'json';
}

/** The form values as arguments. Empty fields are left out; an invalid one is an error with its name. */
export function argumentsOf(
  fields: readonly SchemaField[],
  values: Readonly<Record<string, string>>,
): JsonObject {
  const args: JsonObject = {};
  for (const field of fields) {
    const text = values[field.name] ?? field.initial;
    if (text === '') continue;
    args[field.name] = valueOf(field, text);
  }
  return args;
}

function valueOf({ name, kind }: SchemaField, text: string): unknown {
  if (kind === 'boolean') return text === 'true';
  if (kind === 'json') return readJson(name, text);
  if (kind === 'text' || kind === 'choice') return text;
  if (!Number.isFinite(Number(text))) throw new Error(`${name} must be a number`);
  return exactNumber(text);
}

function readJson(name: string, text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    throw new Error(`${name} must be valid JSON, as in ["a", "b"] or {"key": 1}`);
  }
}
