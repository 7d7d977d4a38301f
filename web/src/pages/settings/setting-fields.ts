import type { ConfigView } from '../../../../src/contract/routes/api.ts';

type JsonObject = Record<string, unknown>;

/** The group of settings at the top level. */
const GENERAL = 'general';

export interface SettingField {
  /** Its path, joined with dots. */
  id: string;
  group: string;
  name: string;
  kind: 'choice' | 'number' | 'text' | 'json';
  choices: string[];
  description: string;
  min?: number;
  max?: number;
  /** The current value, as text. */
  value: string;
}

/** One field per setting, one level deep. Deeper objects and lists are edited as JSON. */
export function fieldsOfSettings({ settings, schema }: ConfigView): SettingField[] {
  return Object.entries(schema).flatMap(([group, shape]) => {
    const { properties } = shape as { properties?: Record<string, JsonObject> };
    if (!properties) return [toField([GENERAL, group], shape as JsonObject, settings[group])];
    const values = (settings[group] ?? {}) as JsonObject;
    return Object.entries(properties).map(([name, property]) =>
      toField([group, name], property, values[name]),
    );
  });
}

function toField([group, name]: [string, string], shape: JsonObject, value: unknown): SettingField {
  const { type, description, minimum, maximum } = shape;
  const kind = kindOf(shape);
  return {
    id: group === GENERAL ? name : `${group}.${name}`,
    group,
    name,
    kind,
    choices: type === 'boolean' ? ['true', 'false'] : ((shape.enum as string[] | undefined) ?? []),
    description: typeof description === 'string' ? description : '',
    ...(typeof minimum === 'number' && { min: minimum }),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER && { max: maximum }),
    value: textOf(kind, value),
  };
}

function textOf(kind: SettingField['kind'], value: unknown): string {
  if (value === undefined) return '';
  return kind === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value;
}

function kindOf({ type, enum: choices }: JsonObject): SettingField['kind'] {
  if (type === 'boolean' || Array.isArray(choices)) return 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : 'json';
}

/** The typed values as a merge patch. An emptied field is removed, so that the default applies. */
export function patchOf(
  fields: readonly SettingField[],
  typed: Readonly<Record<string, string>>,
): JsonObject {
  const patch: JsonObject = {};
  for (const field of fields) {
    const text = typed[field.id];
    if (text === undefined) continue;
    const [group, name] = field.id.split('.') as [string, string?];
    const value = valueOf(field, text);
    if (name === undefined) patch[group] = value;
    else patch[group] = { ...(patch[group] as JsonObject | undefined), [name]: value };
  }
  return patch;
}

function valueOf({ name, kind, choices }: SettingField, text: string): unknown {
  if (text.trim() === '') return null;
  if (kind === 'text' || (kind === 'choice' && !choices.includes('true'))) return text.trim();
  if (kind === 'choice') return text === 'true';
  if (kind === 'number') return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} must be valid JSON`);
  }
}
