import { applyEdits, modify, parse, type JSONPath } from 'jsonc-parser';
import type { ServerConfig } from '../contract/config.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The text of the file with one server put in, replaced or (null) taken out. Comments and everything else stay as they are. */
export function editServer(text: string, name: string, server: ServerConfig | null): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const servers = (parse(source, [], { allowTrailingComma: true }) as { mcpServers?: unknown } | undefined)
    ?.mcpServers;
  const value = server === null ? undefined : server;
  if (!Array.isArray(servers)) return changed(source, ['mcpServers', name], value);
  const index = servers.findIndex((entry: { name?: unknown }) => entry?.name === name);
  if (index < 0 && value === undefined) return source;
  return changed(source, ['mcpServers', index < 0 ? servers.length : index], value && { name, ...value });
}

function changed(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, FORMAT));
}
