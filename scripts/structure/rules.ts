import { dirname } from 'node:path';
import { findCycles } from './cycles.ts';
import { COMPOSITION, isDoor, LAYERS, MOST_DOORS, MOST_FILES, NARROW, roomOf } from './rooms.ts';
import { COMPUTED, type Import, type SourceFile } from './source-tree.ts';

/** Every rule of the architecture, and where the tree breaks it, a line each. */
export function breaches(files: readonly SourceFile[]): string[] {
  return [
    ...foldersOf(files).flatMap(([folder, count]) =>
      count > MOST_FILES ? [`${folder} has ${count} source files; ${MOST_FILES} at most`] : [],
    ),
    ...doorBreaches(files),
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

/** Files of rooms that others may import. */
export function doorsOf(files: readonly SourceFile[]): string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => path.startsWith('src/') && roomOf(path) !== undefined && isDoor(path));
}

function doorBreaches(files: readonly SourceFile[]): string[] {
  const { length } = doorsOf(files);
  return length > MOST_DOORS
    ? [
        `other rooms may import ${length} files (doors); ${MOST_DOORS} at most: merge some, or let a door load what few need`,
      ]
    : [];
}

function placeBreaches({ path }: SourceFile): string[] {
  if (!path.startsWith('scripts/') && !/\.(ts|tsx)$/.test(path))
    return [`${path} is not TypeScript (.ts or .tsx)`];
  if (!path.startsWith('src/') || COMPOSITION.includes(path)) return [];
  const room = roomOf(path);
  const isKnown = room !== undefined && (room in LAYERS || room in NARROW);
  return isKnown ? [] : [`${path} is in no room`];
}

function importBreaches(file: SourceFile, imported: Import): string[] {
  const { path } = file;
  const { to, isLocal } = imported;
  const [from, target] = [roomOf(path), isLocal ? roomOf(to) : undefined];
  const found = pathBreaches(path, to);
  if (target === undefined || from === target) return found;
  if (!path.startsWith('scripts/') && !isDoor(to))
    found.push(`${path} imports ${to}, which is private to ${target}`);
  if (to.startsWith('src/upstream/dispatch/') && to !== SENDER && from !== 'road')
    found.push(`${path} imports the dispatcher ${to}; only the road may`);
  if (from !== undefined && !mayImport(from, target))
    found.push(`${path} (${from}) imports ${to} (${target}): not below it`);
  return found;
}

/** What no file may import, whatever its room. */
function pathBreaches(path: string, to: string): string[] {
  const isUnclear = to === COMPUTED || /^(\/|#|file:)/.test(to);
  if (isUnclear && !path.startsWith('scripts/'))
    return [`${path} imports ${to}: only a relative path or a package can be checked`];
  if (/\.test\.tsx?$/.test(to)) return [`${path} imports the test ${to}`];
  if (to === SENDER && path !== COMPOSER)
    return [`${path} imports the dispatcher ${to}; only ${COMPOSER} may`];
  return [];
}

function mayImport(from: string, target: string): boolean {
  const narrow = NARROW[from];
  if (narrow) return narrow.includes(target);
  // What a command starts hands the command line its runtime.
  if (from === 'start' && target === 'doors/cli') return true;
  return target in LAYERS && LAYERS[target]! < LAYERS[from]!;
}

/** The only file that names the methods by which callers use servers, and the only one that takes the connections of the servers. */
const SENDER = 'src/upstream/dispatch/dispatch.ts';
/** Builds the sender, once, for the road. */
const COMPOSER = 'src/app.ts';
const NAMES_METHOD =
  /['"`](?:tools\/call|prompts\/get|resources\/(?:directory\/)?read|completion\/complete|skills\/get)['"`]/;
const REACHES_SERVER =
  /\bconnectionsOf\b|[cC]lient\.(?:callTool|getPrompt|readResource|complete|subscribeResource|unsubscribeResource)\(/;
/** Defines what the sender takes. */
const CONNECTIONS = 'src/upstream/upstreams.ts';
/** Ways to load or reach something past the imports. */
const AROUND_IMPORTS = /\bcreateRequire\b|\bgetBuiltinModule\b|\bprocess\.binding\b/;
/** They load one package late, by its name. */
const LATE_LOADERS = [
  'src/catalog/arguments/argument-checker.ts',
  'src/db/postgres/connection.ts',
  'src/lib/pattern.ts',
];
const GLOBAL_CLIENT = /(?<![.\w#])(?<!async )fetch\(|\bnew (WebSocket|EventSource)\b/;
/** The typed REST client, which the command line uses; and the handshake that proves a connection to this proxy. */
const GLOBAL_CLIENT_USERS = [
  'src/contract/routes/client.ts',
  'src/log/witness/send.ts',
  'src/start/clients/prove-connection.ts',
];
/** Rooms that receive these methods, or offer them to others, and have no connection to a server. */
const RECEIVERS = ['doors/mcp', 'doors/cli', 'contract', 'tasks'];
/** Modules that reach another process, machine or database, and the folders and files that may. */
const OUTWARD: readonly (readonly [module: RegExp, places: readonly string[]])[] = [
  [
    /^@modelcontextprotocol\/client/,
    [
      'upstream/connection/connect.ts',
      'upstream/connection/negotiate-stdio.ts',
      'upstream/transport/http-connect.ts',
      'upstream/auth/protocol.ts',
    ],
  ],
  [
    /^(node:)?child_process$/,
    [
      'upstream/process',
      'approval/notify.ts',
      'doors/cli/run-editor.ts',
      'doors/cli/open-browser.ts',
      'start/clients/background.ts',
      'log/witness/send.ts',
      'start/connect/spawn-daemon.ts',
      'start/service.ts',
    ],
  ],
  [
    /^undici$|^(node:)?(tls|https|http2)$/,
    [
      'upstream/transport/http-connect.ts',
      'upstream/transport/http-exchange.ts',
      'upstream/transport/http-port.ts',
      'upstream/transport/light-fetch.ts',
      'upstream/auth/guarded-fetch.ts',
      'doors/mcp/relay/daemon-client.ts',
      'start/connect/send-http.ts',
    ],
  ],
  [
    /^(node:)?(http|net|dgram)$/,
    [
      'doors/http/server',
      'log/witness/send.ts',
      'upstream/auth/address-rank.ts',
      'start/connect/send-http.ts',
      'doors/mcp/relay/daemon-client.ts',
      // Several processes on one machine: the port that they share, and the programs.
      'start/workers/port.ts',
      'upstream/shared',
    ],
  ],
  [/^(node:)?worker_threads$/, ['log/verify']],
  [/sqlite|^pg$/, ['db', 'log']],
];
/** The members of a connection that write to its server, by any method name. */
const WRITES_TO_SERVER = /(?:\.|\[\s*['"`])(?:send|sendLine|request|ask)\b/;
/** The sender, and what follows a call that it has sent; the connection itself; its first messages; the lists and the shared subscriptions that the proxy asks for. */
const WRITERS = [
  SENDER,
  'src/upstream/dispatch/follow-task.ts',
  'src/upstream/transport/lane.ts',
  'src/upstream/connection/negotiate-stdio.ts',
  'src/upstream/connection/server-listing.ts',
  'src/upstream/connection/item-listing.ts',
  'src/upstream/connection/resource-watches.ts',
  'src/upstream/transport/stdio-transport.ts',
  // Passes on what lanes of other processes have sent, and sends nothing else but their cancellations.
  'src/upstream/shared/hosted-program.ts',
];

function sendingBreaches(file: SourceFile): string[] {
  const { path, text } = file;
  if (!path.startsWith('src/')) return [];
  const room = roomOf(path) ?? '';
  const sends =
    (!RECEIVERS.includes(room) && NAMES_METHOD.test(text)) ||
    (path !== CONNECTIONS && REACHES_SERVER.test(text));
  const only = (isBreach: boolean, does: string, allowed: readonly string[]): string[] =>
    isBreach && !allowed.includes(path) ? [`${path} ${does}; only ${allowed.join(', ')} may`] : [];
  return [
    ...only(sends, 'sends tools/call or another request of a caller', [SENDER]),
    ...only(room === 'upstream' && WRITES_TO_SERVER.test(text), 'writes to a connection', WRITERS),
    ...only(AROUND_IMPORTS.test(text), 'loads modules in a way that cannot be checked', LATE_LOADERS),
    ...only(
      GLOBAL_CLIENT.test(text),
      'uses a client of the platform (fetch, WebSocket, EventSource)',
      GLOBAL_CLIENT_USERS,
    ),
    ...file.imports.filter(({ isLocal }) => !isLocal).flatMap((imported) => moduleBreaches(file, imported)),
  ];
}

function moduleBreaches({ path }: SourceFile, { to, isTypeOnly }: Import): string[] {
  const room = roomOf(path) ?? '';
  const isForeign = room === 'contract' && to !== 'zod';
  const closed = OUTWARD.filter(
    ([module, places]) =>
      !isTypeOnly && module.test(to) && !places.some((place) => `${path}/`.startsWith(`src/${place}/`)),
  );
  return [
    ...(isForeign ? [`${path} imports ${to}; the contract needs zod alone`] : []),
    ...closed.map(([, places]) => `${path} imports ${to}; only ${places.join(', ')} may`),
  ];
}
