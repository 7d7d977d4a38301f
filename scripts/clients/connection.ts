import { runCli } from '../../test/e2e/run-cli.ts';
import { bad, good, type Cell } from './cell.ts';
import type { Drive } from './drive.ts';
import { changedPaths, leftBehind, takeSnapshot, type Snapshot } from './snapshot.ts';

export interface Connection {
  readonly before: Snapshot;
  readonly connected: Snapshot;
  /** What differed after a first `disconnect`, before the client ran. */
  readonly notUndone: readonly string[];
}

/** Connects the client with our command, takes it back, and connects it again. */
export async function connect(drive: Drive): Promise<Connection | { readonly failed: string }> {
  const { home } = drive.place;
  const before = takeSnapshot(home);
  let notUndone: string[] = [];
  for (const command of ['connect', 'disconnect', 'connect'] as const) {
    const failed = await run(drive, command);
    if (failed !== undefined) return { failed };
    if (command === 'disconnect') notUndone = changedPaths(before, takeSnapshot(home));
  }
  return { before, notUndone, connected: takeSnapshot(home) };
}

export function connectCell(connection: Connection): Cell {
  return good(listed(writtenPaths(connection)));
}

/** Takes the connection back and compares the files with those before. */
export async function disconnect(drive: Drive, connection: Connection): Promise<Cell> {
  const { before, connected, notUndone } = connection;
  const used = takeSnapshot(drive.place.home);
  const failed = await run(drive, 'disconnect');
  if (failed !== undefined) return bad('fails', failed);
  const after = takeSnapshot(drive.place.home);
  const { rest, url } = drive.stage.proxy();
  const moments = {
    beforeConnect: before,
    afterConnect: connected,
    beforeDisconnect: used,
    afterDisconnect: after,
  };
  const left = leftBehind(moments, [url, 'mcpp_']).filter((problem) => !COPY.test(problem));
  const differing = [...notUndone.map((path) => `${path} differs before the client ran`), ...left];
  if (differing.length > 0) return bad('leaves traces', differing.join('\n'));
  const { tokens } = await rest.request('listTokens', {});
  if (tokens.some(({ status }) => status === 'active')) return bad('the token stays active');
  const own = writtenPaths(connection).filter((path) => connected.get(path) !== used.get(path));
  const changed =
    own.length === 0 ? '' : `; the client itself has changed ${listed(own)}: without our entries`;
  return good(`byte-identical${changed}`);
}

/** The dated copy of a file; it stays where the client itself has changed the file. */
const COPY = /\.mcpproxy-[\d-]+\.bak/;

/** The files that `connect` wrote for the client. */
export function writtenPaths({ before, connected }: Pick<Connection, 'before' | 'connected'>): string[] {
  return changedPaths(before, connected).filter((path) => !COPY.test(path));
}

const listed = (paths: readonly string[]): string => paths.map((path) => `\`~/${path}\``).join(', ');

/** What the command said when it failed. */
async function run(
  { program, place, stage }: Drive,
  command: 'connect' | 'disconnect',
): Promise<string | undefined> {
  const { code, stdout, stderr } = await runCli([command, program.id, ...stage.proxy().place], {
    home: place.home,
  });
  return code === 0 ? undefined : `mcpproxy ${command} ${program.id}: exit code ${code}\n${stdout}${stderr}`;
}
