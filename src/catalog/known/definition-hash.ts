import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/index.ts';

/**
 * A fingerprint of everything that a tool says of itself, fields that we do not know included: an icon or a field of a later protocol
 * can carry a message just as well as a description. The order of keys does not matter; every value does.
 */
export function definitionHash(definition: ToolDefinition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
