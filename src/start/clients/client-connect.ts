import { readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  clientsFolder,
  createConnections,
  recipeOf,
  usesStdio,
  type Connections,
  type Surroundings,
} from '../../clients/index.ts';
import { ensureDataDir, isInUse } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import {
  currentFolder,
  type ClientConnection,
  type ClientRuntime,
  type Place,
} from '../../doors/cli/index.ts';
import { configPaths } from '../config-commands.ts';
import { holdOrFind } from '../connect/hold-or-find.ts';

/** The files of client programs, as `connect` and `disconnect` use them. */
export const clientConnect: Omit<ClientRuntime, 'prove' | 'answers'> = {
  find: async (place) => (await open(place)).find(),
  plan: async (place, wanted) => (await open(place)).plan(wanted),
  print: async (place, wanted) => (await open(place)).print(wanted),
  apply: async (place, wanted, token) => viewOf(await (await open(place)).apply(wanted, token)),
  alone,
  status: async (place) => (await (await open(place)).status()).map(viewOf),
  named: async (name) => recipeOf(name).id,
  async disconnect(place, { client, scope, folder }) {
    const connections = await open(place);
    const done = await connections.disconnect(client, scope, folder);
    return done && { connection: viewOf(done.connection), files: done.files };
  },
};

async function alone<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { data_dir: dataDir } = await configPaths(place);
  ensureDataDir(dataDir);
  const held = await holdOrFind(clientsFolder(dataDir), { signal }).catch((error: unknown) => {
    throw isInUse(error)
      ? new ProxyError(
          'CONFLICT',
          'Another mcpproxy command changes the files of clients. End it, then run this command again',
        ).withCause(error)
      : error;
  });
  try {
    removeLeftovers(clientsFolder(dataDir));
    return await work();
  } finally {
    if ('lock' in held) held.lock.release();
  }
}

/** What a command that was killed has left: each may have a token in it. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^\.[0-9A-Z]{26}\.tmp$/.test(name)) rmSync(join(folder, name), { force: true });
}

async function open(place: Place): Promise<Connections> {
  const { data_dir: dataDir } = await configPaths(place);
  const around: Surroundings = {
    home: homedir(),
    cwd: currentFolder(),
    platform: process.platform,
    env: process.env,
  };
  const isDefault = dataDir === join(homedir(), '.mcpproxy');
  return createConnections({
    dataDir,
    around,
    stdio: {
      // A program that is started from a desktop has another PATH.
      command: process.execPath,
      args: [
        process.argv[1] ?? 'mcpproxy',
        'stdio',
        ...(place.config === undefined ? [] : ['--config', place.config]),
        ...(isDefault ? [] : ['--data-dir', dataDir]),
        ...(place.url === undefined ? [] : ['--url', place.url]),
      ],
    },
    now: () => Date.now(),
  });
}

type Status = Awaited<ReturnType<Connections['status']>>[number];

function viewOf(status: Status): ClientConnection {
  const { client, title, scope, folder, verified, rules, url, connected_at, taken, problems } = status;
  const { id, name } = status.token;
  const files = status.files.map(({ file, copy }) => ({ file, copy }));
  return {
    client,
    title,
    scope,
    folder,
    verified,
    rules,
    url,
    stdio: usesStdio(client),
    token: { id, name },
    connected_at,
    files,
    taken,
    problems,
  };
}
