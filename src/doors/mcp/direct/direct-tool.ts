import type { CatalogTool } from '../../../catalog/index.ts';
import type { OperationType } from '../../../contract/operation.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';
import { isObject, type JsonObject } from '../../../json/index.ts';
import { entryOnce, type PageEntry } from '../pages.ts';
import { directName } from './direct-name.ts';

/** What clients decide by. Made from the verdict, so that their rules hold whatever a server claims. */
const HINTS: Record<OperationType, { readOnlyHint: boolean; destructiveHint: boolean }> = {
  read: { readOnlyHint: true, destructiveHint: false },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/** The key of `_meta` with the name of the tool in the rest of the proxy. */
const NAME_KEY = 'mcpproxy/name';

export function menuEntry(tool: CatalogTool): PageEntry {
  return entryOnce(tool, directTool);
}

/** The tool as its server describes it, with the name of direct mode and the annotations that the verdict gives it. */
function directTool({ name, server, tool, definition, operation }: CatalogTool): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations = {}, icons, _meta } = definition;
  const { title: shown, idempotentHint, openWorldHint } = annotations;
  return {
    name: directName(server, tool),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    // One schema of another type would make a client reject the whole list.
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema?.type === 'object' && { outputSchema }),
    annotations: {
      ...(typeof shown === 'string' && { title: shown }),
      ...HINTS[operation.verdict],
      ...(typeof idempotentHint === 'boolean' && { idempotentHint }),
      ...(typeof openWorldHint === 'boolean' && { openWorldHint }),
    },
    // As with the tools of the proxy: a client of 2025-11-25 may let any call run in the background, whether or not its server knows tasks.
    execution: { taskSupport: 'optional' },
    ...(Array.isArray(icons) && { icons: icons as JsonObject[] }),
    _meta: { ...(isObject(_meta) && _meta), [NAME_KEY]: name },
  };
}
