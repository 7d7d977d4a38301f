import type { JSONPath } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../json/index.ts';
import { aliasesFor, freeAlias } from './server-alias.ts';

/** A server in the file, with its position and its alias. */
export interface FileServer {
  at: JSONPath;
  name: string;
  alias: string;
  entry: unknown;
  /** Why the entry cannot be used, independent of its settings. */
  problem?: string;
}

/** The keys of servers in a file: our own and most clients' "mcpServers", VS Code's "servers", opencode's "mcp". */
export const CONTAINERS = ['mcpServers', 'servers', 'mcp'] as const;

/** All servers of the file, in their order. */
export function fileServers(file: JsonObject): FileServer[] {
  const found = CONTAINERS.flatMap((key) => (isContainer(key, file[key]) ? entriesOf(key, file[key]) : []));
  const aliases = aliasesFor(found.map(({ name }) => name));
  const seen = new Set<string>();
  const taken = new Set(aliases.values());
  return found.map((server, index) => {
    const alias = aliases.get(server.name)!;
    if (server.problem === undefined && !seen.has(alias)) {
      seen.add(alias);
      return { ...server, alias };
    }
    const problem =
      server.problem ??
      `server ${JSON.stringify(server.name.slice(0, MAX_SHOWN))} is defined twice; rename one`;
    // A server with a problem gets a unique alias.
    const own = freeAlias(`${server.name}\0${index}`, taken);
    taken.add(own);
    return { ...server, alias: own, problem };
  });
}

/** The key for a new server: where the existing servers are. */
export function containerOf(file: JsonObject): (typeof CONTAINERS)[number] {
  return CONTAINERS.find((key) => isContainer(key, file[key])) ?? 'mcpServers';
}

export function isContainer(key: (typeof CONTAINERS)[number], value: unknown): boolean {
  if (key === 'mcpServers') return isObject(value) || Array.isArray(value);
  if (!isObject(value)) return false;
  if (key === 'servers') return true;
  // Other clients use this key for other things.
  const entries = Object.values(value);
  return entries.every(isObject) && entries.some(({ type }) => isOpencodeType(type));
}

function isOpencodeType(type: unknown): boolean {
  return type === 'local' || type === 'remote';
}

const MAX_SHOWN = 100;

type Found = Omit<FileServer, 'alias'>;

function entriesOf(key: string, value: unknown): Found[] {
  if (!Array.isArray(value))
    return Object.entries(value as JsonObject).map(([name, entry]) => ({
      at: [key, name],
      name,
      entry,
      ...(name === '__proto__' && { problem: 'the name "__proto__" is not allowed; rename the server' }),
    }));
  return value.map((item: unknown, index) => {
    const at = [key, index];
    if (!isObject(item) || typeof item.name !== 'string')
      return { at, name: `entry ${index + 1}`, entry: {}, problem: 'needs a "name"' };
    const { name, ...entry } = item;
    return { at, name, entry };
  });
}
