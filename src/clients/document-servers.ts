import { isObject, type JsonObject } from '../json/index.ts';

type Path = ReadonlyArray<string | number>;

/** An entry of a server in a document, not yet read. */
export interface FoundEntry {
  at: Path;
  name: string;
  entry: unknown;
  /** The project that the entry belongs to (Claude Code keeps those of all projects in one file). */
  folder?: string;
  /** Why there is no entry to read. */
  problem?: string;
}

/** A value that entries of the document ask for. */
export interface AskedInput {
  id: string;
  description?: string;
  /** True: it must not be shown while it is typed. */
  secret: boolean;
  default?: string;
}

/** Keys under which clients keep their servers, as paths. */
const CONTAINERS: readonly Path[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp_servers'],
  ['context_servers'],
  ['amp.mcpServers'],
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
  ['mcp'],
  ['extensions'],
  ['experimental', 'modelContextProtocolServers'],
];

/** Keys that only an entry of a server has. */
const TELLING = [
  'command',
  'cmd',
  'url',
  'uri',
  'httpUrl',
  'serverUrl',
  'args',
  'transport',
  'type',
  'config',
  'source',
];

/** The entries of all servers in a document of any client, in their order. */
export function documentServers(value: unknown): FoundEntry[] {
  if (Array.isArray(value)) return listEntries([], value);
  if (!isObject(value)) return [];
  const found = CONTAINERS.flatMap((path) => containerEntries(value, path));
  const inProjects = projectEntries(value);
  if (found.length > 0 || inProjects.length > 0) return [...found, ...inProjects];
  // A map of entries, or one entry, without anything around it.
  if (looksLikeEntry(value)) return [{ at: [], name: textOf(value.name) ?? 'server', entry: value }];
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(looksLikeEntry) ? mapEntries([], value) : [];
}

/** True: the document has a place for servers, which may be empty. */
export function hasContainer(value: unknown): boolean {
  return isObject(value) && CONTAINERS.some((path) => isContainer(path, valueAt(value, path)));
}

function containerEntries(document: JsonObject, path: Path): FoundEntry[] {
  const container = valueAt(document, path);
  if (!isContainer(path, container)) return [];
  return Array.isArray(container) ? listEntries(path, container) : mapEntries(path, container as JsonObject);
}

/** Other programs use some of these keys for other things. */
function isContainer(path: Path, value: unknown): boolean {
  const key = path.join('.');
  if (Array.isArray(value)) return key !== 'mcp' && key !== 'servers' && value.every(isObject);
  if (!isObject(value)) return false;
  if (key !== 'mcp' && key !== 'extensions') return true;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(looksLikeEntry);
}

function looksLikeEntry(value: unknown): boolean {
  return isObject(value) && TELLING.some((key) => Object.hasOwn(value, key));
}

function mapEntries(at: Path, entries: JsonObject): FoundEntry[] {
  return Object.entries(entries).map(([name, entry]) => ({ at: [...at, name], name, entry }));
}

function listEntries(at: Path, entries: readonly unknown[]): FoundEntry[] {
  return entries.map((item, index) => {
    const path = [...at, index];
    // An older Continue has the settings below "transport".
    const entry = isObject(item) && isObject(item.transport) ? { ...item, ...item.transport } : item;
    const name = isObject(entry) ? textOf(entry.name) : undefined;
    return name === undefined
      ? { at: path, name: `entry ${index + 1}`, entry: {}, problem: 'needs a "name"' }
      : { at: path, name, entry: withoutTransport(entry as JsonObject) };
  });
}

function withoutTransport(entry: JsonObject): JsonObject {
  if (!isObject(entry.transport)) return entry;
  const { transport: _transport, ...rest } = entry;
  return rest;
}

function projectEntries({ projects }: JsonObject): FoundEntry[] {
  if (!isObject(projects)) return [];
  return Object.entries(projects).flatMap(([folder, project]) => {
    const servers = isObject(project) ? project.mcpServers : undefined;
    if (!isObject(servers)) return [];
    return mapEntries(['projects', folder, 'mcpServers'], servers).map((found) => ({ ...found, folder }));
  });
}

/** The inputs that VS Code asks for, by id. */
export function documentInputs(value: unknown): AskedInput[] {
  if (!isObject(value)) return [];
  const lists = [value.inputs, isObject(value.mcp) ? value.mcp.inputs : undefined].filter(Array.isArray);
  return lists.flat().flatMap((input: unknown): AskedInput[] => {
    const id = isObject(input) ? textOf(input.id) : undefined;
    if (id === undefined || !isObject(input)) return [];
    const description = textOf(input.description);
    const preset = textOf(input.default);
    return [
      {
        id,
        ...(description !== undefined && { description }),
        secret: input.password === true,
        ...(preset !== undefined && { default: preset }),
      },
    ];
  });
}

function valueAt(document: JsonObject, path: Path): unknown {
  let value: unknown = document;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
