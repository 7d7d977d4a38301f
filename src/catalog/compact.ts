import type { CompactTool, ScoredTool } from '../contract/tool.ts';
import { firstSentence } from './tool-text.ts';

const MAX_DESCRIPTION = 160;
const MAX_SIGNATURE = 300;
const MAX_VALUES = 5;

/** Enough of a tool to choose it and to call it, on one line. */
export function compactTool({
  name,
  description,
  inputSchema,
  call_with,
  operation,
  score,
}: ScoredTool): CompactTool {
  return {
    name,
    description: cut(firstSentence(description).replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION),
    signature: signature(name.slice(name.indexOf(':') + 1), inputSchema),
    call_with,
    operation: operation.verdict,
    score,
  };
}

/** `create_issue(title: string, body?: string, labels?: string[])`: required parameters first, what does not fit as `…`. */
export function signature(tool: string, schema: Record<string, unknown>): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const ordered = [
    ...properties.filter(([name]) => required.has(name)),
    ...properties.filter(([name]) => !required.has(name)),
  ];
  let text = '';
  for (const [name, property] of ordered) {
    const part = `${text && ', '}${cut(name, 60)}${required.has(name) ? '' : '?'}: ${typeName(property)}`;
    if (text.length + part.length > MAX_SIGNATURE) return `${tool}(${text}${text && ', '}…)`;
    text += part;
  }
  return `${tool}(${text})`;
}

function typeName(property: unknown, depth = 0): string {
  if (!isObject(property) || depth > 2) return 'any';
  if (property.const !== undefined) return cut(JSON.stringify(property.const), 40);
  if (Array.isArray(property.enum)) return enumeration(property.enum);
  const { type } = property;
  if (type === 'array') {
    const item = typeName(property.items, depth + 1);
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (typeof type === 'string') return cut(type, 20);
  const choices = Array.isArray(type)
    ? type.map((each) => ({ type: each as unknown }))
    : (property.anyOf ?? property.oneOf);
  if (!Array.isArray(choices)) return 'any';
  return (
    [...new Set(choices.slice(0, MAX_VALUES).map((choice) => typeName(choice, depth + 1)))].join('|') || 'any'
  );
}

function enumeration(values: unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value), 40));
  return shown.join('|') + (values.length > MAX_VALUES ? '|…' : '');
}

/** By characters, so that no half of a surrogate pair is left at the end. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
