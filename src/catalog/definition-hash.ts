import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../contract/tool.ts';

/**
 * A fingerprint of everything that a tool says of itself, fields that we do not know included: an icon or a field of a later protocol
 * can carry a message just as well as a description. The order of keys does not matter; every value does.
 */
export function definitionHash(definition: ToolDefinition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** JSON with sorted keys and no spaces. The caller has limited the depth. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
