import { existsSync, rmSync } from 'node:fs';
import { ProxyError } from '../../contract/errors.ts';
import { knownFolders, type Surroundings } from '../client-programs.ts';
import { checkFiles } from './check-files.ts';
import { digestOf } from './client-file.ts';
import { entryFacts, missingSecrets, secretFiles, writeSecret } from './entry-facts.ts';
import { findClients, type KnownClient } from './find-clients.ts';
import { isSame, readManifest, updateManifest, type Connected, type ConnectionKey } from './manifest.ts';
import { planFiles, type FileChange } from './plan-files.ts';
import { plannedFile, type PlannedFile } from './planned-file.ts';
import { printConnection, type PrintedConnection } from './print-connection.ts';
import type { ConnectScope, EntryFacts, Places, Recipe } from './recipes/recipe.ts';
import { namesOf, projectOf, recipeOf, tokenName, type ClientNames } from './recipes/recipes.ts';
import {
  ATTEMPTS,
  BUSY,
  ChangedMeanwhile,
  MASKED_TOKEN,
  prepareWrite,
  restoreFile,
  type RestoredFile,
} from './write-files.ts';

export interface ConnectionParts {
  dataDir: string;
  around: Surroundings;
  /** The command line of `mcpproxy stdio` for clients that start a program. */
  stdio: { command: string; args: string[] };
  now: () => number;
}

/** What is to be connected. */
export interface Wanted {
  client: string;
  scope: ConnectScope;
  /** The MCP endpoint. */
  url: string;
  /** Servers to take out of the client's files; absent: those that were taken before. */
  taken?: Connected['taken'];
}

/** What a connection changes. Nothing is written yet. */
export interface ConnectPlan extends ClientNames {
  client: string;
  scope: ConnectScope;
  token_name: string;
  /** The variable that a person sets to the token; absent where the client gets it by itself. */
  variable?: { name: string; how?: string };
  notes: readonly string[];
  files: PlannedFile[];
}

export interface ConnectionStatus extends Connected, ClientNames {
  /** What differs from what was written. */
  problems: string[];
}

const DIGITS = 6;

interface NewToken {
  id: string;
  name: string;
  secret: string;
}

export type Connections = ReturnType<typeof createConnections>;

/** Connects clients: plans, writes and takes back the changes of their files. */
export function createConnections({ dataDir, around, stdio, now }: ConnectionParts) {
  const places: Places = { ...knownFolders(around), cwd: around.cwd, exists: existsSync };

  function keyOf(client: string, scope: ConnectScope): ConnectionKey {
    return { client, scope, folder: scope === 'project' ? around.cwd : null };
  }

  /** Undefined: it is no longer connected. */
  const record = (key: ConnectionKey, connection: Connected | undefined) =>
    updateManifest(dataDir, (all) => [
      ...all.filter((each) => !isSame(each, key)),
      ...(connection ? [connection] : []),
    ]);
  const connected = (key: ConnectionKey) => readManifest(dataDir).find((each) => isSame(each, key));

  /** Two projects in folders of one name must not replace the token of each other. */
  function freeTokenName(key: ConnectionKey): string {
    const name = connected(key)?.token.name ?? tokenName(key);
    const isTaken = readManifest(dataDir).some((each) => each.token.name === name && !isSame(each, key));
    return isTaken ? `${name}-${digestOf(key.folder ?? '').slice(0, DIGITS)}` : name;
  }

  function factsFor(recipe: Recipe, { scope, url }: Wanted, token: string): EntryFacts {
    const key = keyOf(recipe.id, scope);
    return entryFacts(recipe, { key, url, token, dataDir, platform: around.platform, stdio });
  }

  interface Changes {
    changes: FileChange[];
    taken: Connected['taken'];
    before: Connected | undefined;
  }

  async function changesFor(wanted: Wanted, token: string): Promise<Changes> {
    const recipe = recipeOf(wanted.client);
    const facts = factsFor(recipe, wanted, token);
    const parts =
      wanted.scope === 'user' ? recipe.user(facts, places) : projectOf(recipe).parts(facts, places);
    const key = keyOf(recipe.id, wanted.scope);
    const before = connected(key);
    const taken = wanted.taken ?? before?.taken ?? [];
    return { changes: await planFiles(parts, { taken, before, folder: key.folder }), taken, before };
  }

  /** A folder of a program that is not there would otherwise appear without a word. */
  function absentNotes({ id }: Recipe): string[] {
    const client = findClients(places, []).find((each) => each.id === id);
    return client?.found
      ? []
      : [`${client?.title ?? id} was not found on this machine; its files are made because you named it`];
  }

  async function applyOnce(wanted: Wanted, token: NewToken): Promise<ConnectionStatus> {
    const recipe = recipeOf(wanted.client);
    const key = keyOf(recipe.id, wanted.scope);
    const { changes, taken, before } = await changesFor(wanted, token.secret);
    const previousOf = (path: string) => before?.files.find(({ file }) => file === path);
    const writes = changes.map((change) =>
      prepareWrite(change, { scope: wanted.scope, previous: previousOf(change.file), now: now() }),
    );
    const secrets = secretFiles(recipe, factsFor(recipe, wanted, token.secret), token.secret);
    const next: Connected = {
      ...key,
      url: wanted.url,
      token: { id: token.id, name: token.name, digest: digestOf(token.secret) },
      connected_at: new Date(now()).toISOString(),
      files: writes.map(({ record }) => record),
      secrets: secrets.map(({ file }) => file),
      taken,
    };
    try {
      record(key, next);
      secrets.forEach(writeSecret);
      for (const write of writes) write.write();
    } catch (error) {
      for (const write of writes.toReversed()) write.undo();
      for (const { file } of secrets) if (!before?.secrets.includes(file)) rmSync(file, { force: true });
      record(key, before);
      throw error;
    }
    const unused = before?.files.filter(({ file }) => !changes.some((change) => change.file === file)) ?? [];
    for (const written of unused) await restoreFile(written, key.folder);
    for (const write of writes) write.finish();
    return statusOf(next);
  }

  return {
    find: (): KnownClient[] => findClients(places, readManifest(dataDir)),

    async plan(wanted: Wanted): Promise<ConnectPlan> {
      const recipe = recipeOf(wanted.client);
      const project = wanted.scope === 'project' ? projectOf(recipe) : undefined;
      const { changes } = await changesFor(wanted, MASKED_TOKEN);
      return {
        client: recipe.id,
        ...namesOf(recipe.id),
        scope: wanted.scope,
        token_name: freeTokenName(keyOf(recipe.id, wanted.scope)),
        ...(project && {
          variable: { name: project.variable, ...(project.how !== undefined && { how: project.how }) },
        }),
        notes: [...absentNotes(recipe), ...(recipe.notes ?? [])],
        files: await Promise.all(changes.map(plannedFile)),
      };
    },

    /** Writes the files. The record of what is written comes first; a failure takes everything back. */
    async apply(wanted: Wanted, token: NewToken): Promise<ConnectionStatus> {
      for (let attempt = 1; ; attempt++)
        try {
          return await applyOnce(wanted, token);
        } catch (error) {
          if (!(error instanceof ChangedMeanwhile)) throw error;
          if (attempt === ATTEMPTS)
            throw new ProxyError('CONFLICT', `A file of ${namesOf(wanted.client).title}: ${BUSY}`);
        }
    },

    /** Everything that is connected, and what differs from what was written. */
    status: async (): Promise<ConnectionStatus[]> => Promise.all(readManifest(dataDir).map(statusOf)),

    /** Takes back what was written for a client. Undefined: it is not connected. */
    async disconnect(
      client: string,
      scope: ConnectScope,
      folder?: string,
    ): Promise<{ connection: ConnectionStatus; files: RestoredFile[] } | undefined> {
      const own = keyOf(recipeOf(client).id, scope);
      const key = folder === undefined ? own : { ...own, folder };
      const connection = connected(key);
      if (!connection) return undefined;
      const files: RestoredFile[] = [];
      // The folder of a file may have been made for the one before it.
      for (const written of [...connection.files].reverse())
        files.unshift(await restoreFile(written, key.folder));
      for (const secret of connection.secrets) rmSync(secret, { force: true });
      record(key, undefined);
      return { connection: { ...connection, ...namesOf(connection.client), problems: [] }, files };
    },

    print(wanted: Wanted): Promise<PrintedConnection> {
      const recipe = recipeOf(wanted.client);
      return printConnection(recipe, factsFor(recipe, wanted, ''), { places, around });
    },
  };
}

async function statusOf(connection: Connected): Promise<ConnectionStatus> {
  const problems = [...(await checkFiles(connection)), ...missingSecrets(connection)];
  return { ...connection, ...namesOf(connection.client), problems };
}
