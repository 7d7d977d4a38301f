import type { JSONPath } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../json/index.ts';
import { aliasesFor, freeAlias } from './server-alias.ts';

/** An entry of the file: where it stands, and under which alias it is known. */
export interface FileServer {
  at: JSONPath;
  name: string;
  alias: string;
  entry: unknown;
  /** Why it cannot be used, whatever it says. */
  problem?: string;
}

/** Where entries stand in a file: ours and most clients' "mcpServers", VS Code's "servers", opencode's "mcp". */
export const CONTAINERS = ['mcpServers', 'servers', 'mcp'] as const;

/** Every server of the file, in its order. */
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
    // It is listed under an alias of its own.
    const own = freeAlias(`${server.name}\0${index}`, taken);
    taken.add(own);
    return { ...server, alias: own, problem };
  });
}

/** Where a new server is to be written: with the others. */
export function containerOf(file: JsonObject): (typeof CONTAINERS)[number] {
  return CONTAINERS.find((key) => isContainer(key, file[key])) ?? 'mcpServers';
}

export function isContainer(key: (typeof CONTAINERS)[number], value: unknown): boolean {
  if (key === 'mcpServers') return isObject(value) || Array.isArray(value);
  if (!isObject(value)) return false;
  if (key === 'servers') return true;
  // Other clients keep other things under this key.
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
