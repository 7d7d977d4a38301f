import type { CompactTool, ScoredTool, ToolAnnotations } from '../contract/tool.ts';
import { firstSentence } from './search/tool-text.ts';
import { isObject } from '../json/index.ts';

const MAX_DESCRIPTION = 160;
const MAX_SIGNATURE = 240;
const MAX_VALUES = 5;
const MAX_REASONS = 3;

/** A tool in a few fields: enough to choose it and usually to call it. */
export function compactTool(tool: ScoredTool): CompactTool {
  const { name, description, inputSchema, annotations, call_with, operation, score, why, changed } = tool;
  return {
    name,
    description: cut(firstSentence(description).replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION),
    signature: signature(inputSchema),
    annotations: decidingHints(annotations),
    call_with,
    operation: operation.verdict,
    score: Math.round(score * 100) / 100,
    ...(changed && { changed }),
    ...(why && { why: why.slice(0, MAX_REASONS) }),
  };
}

function decidingHints({ readOnlyHint, destructiveHint }: ToolAnnotations): CompactTool['annotations'] {
  return {
    ...(typeof readOnlyHint === 'boolean' && { readOnlyHint }),
    ...(typeof destructiveHint === 'boolean' && { destructiveHint }),
  };
}

/** `(title: string, body?, labels?)`: required parameters first, with their types; `…` for what does not fit. */
export function signature(schema: Record<string, unknown>): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const ordered = [
    ...properties.filter(([name]) => required.has(name)),
    ...properties.filter(([name]) => !required.has(name)),
  ];
  let text = '';
  for (const [name, property] of ordered) {
    const parameter = required.has(name) ? `${cut(name, 60)}: ${typeName(property)}` : `${cut(name, 60)}?`;
    const part = `${text && ', '}${parameter}`;
    if (text.length + part.length > MAX_SIGNATURE) return `(${text}${text && ', '}…)`;
    text += part;
  }
  return `(${text})`;
}

function typeName(property: unknown, depth = 0): string {
  if (!isObject(property) || depth > 2) return 'any';
  if (property.const !== undefined) return cut(JSON.stringify(property.const), 40);
  if (Array.isArray(property.enum)) return enumeration(property.enum);
  const { type } = property;
  if (type === 'array') return arrayTypeName(typeName(property.items, depth + 1));
  if (typeof type === 'string') return cut(type, 20);
  const names = alternatives(property).map((choice) => typeName(choice, depth + 1));
  return [...new Set(names)].join('|') || 'any';
}

function arrayTypeName(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function alternatives({ type, anyOf, oneOf }: Record<string, unknown>): unknown[] {
  const choices = Array.isArray(type) ? type.map((each) => ({ type: each as unknown })) : (anyOf ?? oneOf);
  return Array.isArray(choices) ? choices.slice(0, MAX_VALUES) : [];
}

function enumeration(values: unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value), 40));
  return shown.join('|') + (values.length > MAX_VALUES ? '|…' : '');
}

/** Never leaves half of a surrogate pair at the end. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
