import type { ItemKind } from '../../contract/item.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** The field of an entry that identifies it within its server. */
const KEY: Record<ItemKind, string> = {
  prompt: 'name',
  resource: 'uri',
  template: 'uriTemplate',
  skill: 'uri',
};

/** Getting one changes nothing at the server. */
const READS = { readOnlyHint: true };

/**
 * An entry of a server in the form in which the catalog judges, scans, remembers and finds tools. `source` has the fields as the server
 * wrote them.
 */
export function itemDefinition(kind: ItemKind, raw: JsonObject): ToolDefinition {
  if (kind === 'skill') return skillDefinition(raw);
  const { title, description, ...source } = raw;
  const label = typeof title === 'string' ? title : kind === 'prompt' ? undefined : raw.name;
  return {
    name: raw[KEY[kind]] as string,
    ...(typeof label === 'string' && { title: label }),
    ...(typeof description === 'string' && { description }),
    inputSchema: { type: 'object', properties: propertiesOf(raw.arguments) },
    annotations: READS,
    source: { ...source, ...(typeof title === 'string' && { title }) },
  };
}

/** The model reads name and description of a skill in its list, so they are scanned and searched. */
function skillDefinition(raw: JsonObject): ToolDefinition {
  const { name, description } = isObject(raw.frontmatter) ? raw.frontmatter : {};
  return {
    name: raw.uri as string,
    ...(typeof name === 'string' && { title: name }),
    ...(typeof description === 'string' && { description }),
    inputSchema: { type: 'object', properties: {} },
    annotations: READS,
    source: raw,
  };
}

/** The entry as its server wrote it. */
export function itemSource({ source, description }: ToolDefinition): JsonObject {
  if (isObject(source) && isObject(source.frontmatter)) return { ...source };
  return { ...(isObject(source) && source), ...(description !== undefined && { description }) };
}

/** Words to find a prompt by; its server checks the arguments. */
function propertiesOf(named: unknown): JsonObject {
  if (!Array.isArray(named)) return {};
  return Object.fromEntries(
    named
      .filter(isObject)
      .map(({ name, description }) => [String(name), typeof description === 'string' ? { description } : {}]),
  );
}
