import { applyEdits, modify, parseTree, type JSONPath } from 'jsonc-parser';
import type { ServerConfig } from '../../contract/config.ts';
import { readServerEntry, synonymsOf } from '../../contract/entry/server-entry.ts';
import { canonicalJson, isObject, type JsonObject } from '../../json/index.ts';
import { valueOf } from './file-value.ts';
import { containerOf, fileServers, type FileServer } from './file-servers.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/**
 * The text of the file with one server put in, changed or (null) taken out, by its alias or its name as written. Comments, keys of other
 * clients and everything else stay as they are.
 */
export function editServer(text: string, name: string, server: ServerConfig | null): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const file = objectOf(source);
  const servers = fileServers(file);
  const found = servers.find(({ alias }) => alias === name) ?? servers.find((each) => each.name === name);
  if (!found) return server === null ? source : added(source, file, name, server);
  return server === null ? changed(source, found.at, undefined) : updated(source, found, server);
}

function objectOf(text: string): JsonObject {
  const value = valueOf(parseTree(text, [], { allowTrailingComma: true }));
  return isObject(value) ? value : {};
}

function added(text: string, file: JsonObject, name: string, server: ServerConfig): string {
  const container = containerOf(file);
  const there = file[container];
  if (Array.isArray(there)) return changed(text, [container, there.length], { name, ...server });
  return changed(text, [container, name], server);
}

/** Setting by setting. An entry that could not be used is written anew: what was wrong with it must not stay. */
function updated(text: string, { at, name, entry, problem }: FileServer, server: ServerConfig): string {
  const before = readServerEntry(entry);
  if (problem !== undefined || before.problems.length > 0)
    return changed(text, at, typeof at.at(-1) === 'number' ? { name, ...server } : server);
  const settings: JsonObject = { ...server };
  const own = entry as JsonObject;
  // A list with the program and its arguments is split when anything is written.
  const known: JsonObject = {
    ...before.config,
    ...(Array.isArray(own.command) && { command: own.command, args: own.args }),
  };
  const keys = new Set([...Object.keys(known), ...Object.keys(settings)]);
  let next = text;
  for (const key of keys) {
    if (canonicalJson(known[key]) === canonicalJson(settings[key])) continue;
    for (const synonym of synonymsOf(key))
      if (Object.hasOwn(own, synonym)) next = changed(next, [...at, synonym], undefined);
    next = changed(next, [...at, key], settings[key]);
  }
  return next;
}

function changed(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, FORMAT));
}
