import { applyEdits, findNodeAtLocation, modify, parseTree, type JSONPath, type Node } from 'jsonc-parser';
import type { ServerConfig } from '../../contract/config.ts';
import { readServerEntry, synonymsOf } from '../../contract/entry/server-entry.ts';
import { canonicalJson, isObject, type JsonObject } from '../../json/index.ts';
import { valueOf } from './file-places.ts';
import { containerOf, fileServers, type FileServer } from './file-servers.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/**
 * The text of the file after a server was added, changed or (null) removed, by its alias or its name in the file. Comments, keys of other
 * clients and everything else are not changed.
 */
export function editServer(text: string, name: string, server: ServerConfig | null): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const file = objectOf(source);
  const servers = fileServers(file);
  const found = servers.find(({ alias }) => alias === name) ?? servers.find((each) => each.name === name);
  if (server === null) return found ? replaceAt(source, found.at, undefined) : source;
  return found ? updateServer(source, found, server) : addServer(source, file, { name, ...server });
}

function objectOf(text: string): JsonObject {
  const value = valueOf(parseTree(text, [], { allowTrailingComma: true }));
  return isObject(value) ? value : {};
}

function addServer(text: string, file: JsonObject, entry: ServerConfig & { name: string }): string {
  const container = containerOf(file);
  const existing = file[container];
  if (Array.isArray(existing)) return replaceAt(text, [container, existing.length], entry);
  const { name, ...server } = entry;
  return replaceAt(text, [container, name], server);
}

/** Changes single settings. An entry with problems is replaced as a whole. */
function updateServer(text: string, { at, name, entry, problem }: FileServer, server: ServerConfig): string {
  const before = readServerEntry(entry);
  if (problem !== undefined || before.problems.length > 0)
    return replaceAt(text, at, typeof at.at(-1) === 'number' ? { name, ...server } : server);
  const settings: JsonObject = { ...server };
  const own = entry as JsonObject;
  // A list with the program and its arguments is split into command and args.
  const known: JsonObject = {
    ...before.config,
    ...(Array.isArray(own.command) && { command: own.command, args: own.args }),
  };
  const keys = new Set([...Object.keys(known), ...Object.keys(settings)]);
  let next = text;
  for (const key of keys) {
    if (canonicalJson(known[key]) === canonicalJson(settings[key])) continue;
    for (const synonym of synonymsOf(key))
      if (Object.hasOwn(own, synonym)) next = replaceAt(next, [...at, synonym], undefined);
    next = replaceAt(next, [...at, key], settings[key]);
  }
  return next;
}

function replaceAt(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, FORMAT));
}

/** The text of the file after a merge patch: objects are merged, null removes, everything else replaces. Comments are kept. */
export function editSettings(text: string, patch: Record<string, unknown>): string {
  let next = text.trim() === '' ? '{}\n' : text;
  const tree = parseTree(next, [], { allowTrailingComma: true });
  for (const { path, value } of leavesOf(patch, tree)) next = replaceAt(next, path, value);
  return next;
}

/** The single changes of the patch. Absent keys are not removed: the editor would fail. */
function leavesOf(
  patch: Record<string, unknown>,
  node: Node | undefined,
  at: JSONPath = [],
): Array<{ path: JSONPath; value: unknown }> {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = [...at, key];
    const there = node && findNodeAtLocation(node, [key]);
    if (value === null) return there ? [{ path, value: undefined }] : [];
    if (isObject(value) && there?.type === 'object') return leavesOf(value, there, path);
    return [{ path, value: isObject(value) ? withoutNulls(value) : value }];
  });
}

/** For an object that is new or replaces another value. */
function withoutNulls(patch: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isObject(value) ? withoutNulls(value) : value]),
  );
}
