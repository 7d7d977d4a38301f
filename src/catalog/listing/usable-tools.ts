import type { ToolDefinition } from '../../contract/tool.ts';
import { MAX_JSON_DEPTH, valueExceedsDepth } from '../../json/index.ts';

const MAX_NAME_LENGTH = 256;

export interface UsableTools {
  tools: Map<string, ToolDefinition>;
  /** Names that are left out, by reason. */
  left: Map<string, string>;
}

/** A listed tool that nobody could call, or whose definition could not be sent on, is left out by name. */
export function usableTools(listed: readonly ToolDefinition[]): UsableTools {
  const tools = new Map<string, ToolDefinition>();
  const left = new Map<string, string>();
  for (const definition of listed) {
    const why = tools.has(definition.name)
      ? 'it is listed twice; the first one counts'
      : unusable(definition);
    if (why) left.set(definition.name.slice(0, MAX_NAME_LENGTH), why);
    else tools.set(definition.name, definition);
  }
  return { tools, left };
}

function unusable(definition: ToolDefinition): string | undefined {
  const { name } = definition;
  if (name === '') return 'its name is empty';
  if (name.length > MAX_NAME_LENGTH) return `its name is longer than ${MAX_NAME_LENGTH} characters`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return 'its name contains control characters';
  if (valueExceedsDepth(definition)) return `its definition is nested deeper than ${MAX_JSON_DEPTH} levels`;
  return undefined;
}
