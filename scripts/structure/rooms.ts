/** Imports go down, never up, never sideways between rooms of one layer. */
export const LAYERS: Readonly<Record<string, number>> = {
  contract: 0,
  load: 1,
  json: 2,
  lib: 3,
  config: 4,
  db: 4,
  scanner: 4,
  upstream: 5,
  catalog: 5,
  log: 5,
  approval: 5,
  token: 5,
  tasks: 5,
  background: 5,
  revisions: 5,
  clients: 5,
  road: 6,
  observe: 7,
  assistant: 7,
  'doors/mcp': 8,
  'doors/http': 8,
  // What each command starts; on top of everything, like the composition root that it uses.
  start: 9,
};

/** Rooms that see only these others. The command line and the web app speak the REST contract and need nothing else. */
export const NARROW: Readonly<Record<string, readonly string[]>> = {
  'doors/cli': ['contract', 'lib', 'json'],
  web: ['contract', 'lib', 'json'],
};

/** The files that others may import. A room without an entry shows its index.ts alone. */
export const DOORS: Readonly<Record<string, readonly string[]>> = {
  // Schemas and names of everything that clients see: each room imports the subjects that it needs.
  contract: [
    'activity.ts',
    'audit.ts',
    'approval.ts',
    'approval-policy.ts',
    'call.ts',
    'chat.ts',
    'config.ts',
    'error-body.ts',
    'errors.ts',
    'issue-text.ts',
    'oauth.ts',
    'operation.ts',
    'time.ts',
    'status.ts',
    'token.ts',
    'item.ts',
    'tool.ts',
    'values.ts',
    'entry/server-entry.ts',
    'routes/api.ts',
    'routes/client.ts',
  ],
  // Independent leaves; the command line and the web app load only the ones they import.
  lib: [
    'clock.ts',
    'event-bus.ts',
    'log.ts',
    'message-stream.ts',
    'edit-distance.ts',
    'param-headers.ts',
    'pattern.ts',
    'rpc.ts',
    'resource-uri.ts',
    'state-seal.ts',
    'trace.ts',
    'visible-text.ts',
  ],
  // The second door of each of these is loaded without the first: it needs no schemas, no tokens of others, no SQLite.
  config: ['index.ts', 'daemon/index.ts'],
  'doors/mcp': ['index.ts', 'relay/index.ts'],
  token: ['index.ts', 'secret.ts'],
  log: ['index.ts', 'postgres/index.ts'],
  upstream: ['index.ts', 'dispatch/dispatch.ts', 'dispatch/dispatch-call.ts'],
  tasks: ['server.ts'],
};

/** Files that know every room. */
export const COMPOSITION = ['src/main.ts', 'src/app.ts', 'src/app-parts.ts'];

export const MOST_FILES = 20;
/** Files that other rooms may import, of all rooms together. */
export const MOST_DOORS = 60;
/** Files that run code for one `call_tool_write`. */
export const MOST_FILES_OF_A_CALL = 90;

/** `src/doors/mcp/http/post.ts` is of the room `doors/mcp`; undefined: of none, such as the composition root or a script. */
export function roomOf(path: string): string | undefined {
  const [top, first, second, third] = path.split('/');
  if (top === 'web') return 'web';
  if (top !== 'src' || second === undefined) return undefined;
  return first === 'doors' && third !== undefined ? `doors/${second}` : first;
}

export function isDoor(path: string): boolean {
  const room = roomOf(path);
  if (room === undefined) return true;
  const doors = DOORS[room] ?? ['index.ts'];
  return doors.some((door) => path === `src/${room}/${door}`);
}
