import { dirname } from 'node:path';
import { findCycles } from './cycles.ts';
import { COMPOSITION, isDoor, LAYERS, MOST_FILES, NARROW, roomOf } from './rooms.ts';
import type { Import, SourceFile } from './source-tree.ts';

/** Every rule of the architecture, and where the tree breaks it, a line each. */
export function breaches(files: readonly SourceFile[]): string[] {
  return [
    ...foldersOf(files).flatMap(([folder, count]) =>
      count > MOST_FILES ? [`${folder} has ${count} source files; ${MOST_FILES} at most`] : [],
    ),
    ...files.flatMap((file) => [
      ...placeBreaches(file),
      ...file.imports.flatMap((to) => importBreaches(file, to)),
    ]),
    ...files.flatMap(sendingBreaches),
    ...findCycles(files, { types: true }).map((cycle) => `cycle: ${cycle.join(' → ')}`),
  ];
}

/** Source files directly in each folder of src and web. */
export function foldersOf(files: readonly SourceFile[]): [folder: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { path } of files)
    if (!path.startsWith('scripts/')) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts];
}

function placeBreaches({ path }: SourceFile): string[] {
  if (!path.startsWith('src/') || COMPOSITION.includes(path)) return [];
  const room = roomOf(path);
  const isKnown = room !== undefined && (room in LAYERS || room in NARROW);
  return isKnown ? [] : [`${path} is in no room`];
}

function importBreaches({ path }: SourceFile, { to, isLocal }: Import): string[] {
  const [from, target] = [roomOf(path), isLocal ? roomOf(to) : undefined];
  if (target === undefined || from === target) return [];
  const found: string[] = [];
  if (!path.startsWith('scripts/') && !isDoor(to))
    found.push(`${path} imports ${to}, which is private to ${target}`);
  if (
    to.startsWith('src/upstream/dispatch/') &&
    from !== 'road' &&
    from !== 'upstream' &&
    !COMPOSITION.includes(path)
  )
    found.push(`${path} imports the dispatcher ${to}; only the road may`);
  if (from !== undefined && !mayImport(from, target))
    found.push(`${path} (${from}) imports ${to} (${target}): not below it`);
  return found;
}

function mayImport(from: string, target: string): boolean {
  const narrow = NARROW[from];
  if (narrow) return narrow.includes(target);
  // What a command starts hands the command line its runtime.
  if (from === 'start' && target === 'doors/cli') return true;
  return target in LAYERS && LAYERS[target]! < LAYERS[from]!;
}

/** The only file that names the method, and the only one that takes the connections of the servers. */
const SENDER = 'src/upstream/dispatch/dispatch.ts';
const SENDS = /['"`]tools\/call['"`]|(?<!function )\bconnectionsOf\(|[cC]lient\.callTool\(/;
/** Rooms that receive tools/call, or offer it to others, and have no connection to a server. */
const RECEIVERS = ['doors/mcp', 'doors/cli', 'contract', 'tasks'];
/** Modules that reach another process, machine or database, and the rooms that may. */
const OUTWARD: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^@modelcontextprotocol\/client/, ['upstream']],
  [/^(node:)?child_process$/, ['upstream', 'approval', 'log']],
  [/^undici$|^(node:)?(tls|https|http2)$/, ['upstream', 'doors/mcp', 'start']],
  [/sqlite|^pg$/, ['db', 'log']],
];

function sendingBreaches(file: SourceFile): string[] {
  const { path, text } = file;
  if (!path.startsWith('src/')) return [];
  const room = roomOf(path) ?? '';
  const sends = path !== SENDER && !RECEIVERS.includes(room) && SENDS.test(text);
  return [
    ...(sends ? [`${path} sends tools/call; only ${SENDER} may`] : []),
    ...file.imports.filter(({ isLocal }) => !isLocal).flatMap((imported) => moduleBreaches(file, imported)),
  ];
}

function moduleBreaches({ path }: SourceFile, { to, isTypeOnly }: Import): string[] {
  const room = roomOf(path) ?? '';
  const isForeign = room === 'contract' && to !== 'zod';
  const closed = OUTWARD.filter(([module, rooms]) => !isTypeOnly && module.test(to) && !rooms.includes(room));
  return [
    ...(isForeign ? [`${path} imports ${to}; the contract needs zod alone`] : []),
    ...closed.map(([, rooms]) => `${path} imports ${to}; only ${rooms.join(', ')} may`),
  ];
}
