import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureDataDir, readSmallFile, writeFileAtomically } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';

const StepShape = z.union([z.string(), z.object({ item: z.string(), by: z.literal('id').optional() })]);

const EditShape = z.union([
  z.object({ list: z.array(z.string()), values: z.array(z.string()) }),
  z.object({ at: z.array(StepShape), value: z.unknown().optional() }),
]);

const CutShape = z.object({
  text: z.string(),
  before: z.array(z.string()).nullable(),
  within: z.array(z.string()).optional(),
});

const UndoShape = z.union([
  z.object({ list: z.array(z.string()), added: z.array(z.string()), depth: z.number() }),
  z.object({
    at: z.array(StepShape),
    had: z.unknown().optional(),
    kept: z.union([z.string(), z.array(CutShape)]).optional(),
    depth: z.number(),
  }),
]);

/** A file of a client that was changed, with what is needed to take it back. */
const WrittenFile = z.object({
  file: z.string(),
  /** Null: a file of our own. */
  syntax: z.enum(['json', 'toml', 'yaml']).nullable(),
  /** Digest of the text before; null if there was no file. */
  before: z.string().nullable(),
  after: z.string(),
  /** The dated copy of the text before. */
  copy: z.string().nullable(),
  /** Where its text is written first. A process that was killed may have left it, with a token in it. */
  temporary: z.string().optional(),
  /** Permission bits before, if they were changed. */
  mode: z.number().nullable(),
  /** Folders that were made for it. */
  made: z.array(z.string()),
  /** Our parts, with the token masked. */
  edits: z.array(EditShape),
  undo: z.array(UndoShape),
});
export type WrittenFile = z.infer<typeof WrittenFile>;

const Connected = z.object({
  client: z.string(),
  scope: z.enum(['user', 'project']),
  /** The project folder; null for files of the user. */
  folder: z.string().nullable(),
  url: z.string(),
  token: z.object({ id: z.string(), name: z.string(), digest: z.string() }),
  connected_at: z.string(),
  files: z.array(WrittenFile),
  /** Files of the data directory that hold the token. */
  secrets: z.array(z.string()),
  /** Servers that were taken out of the client's files, to be behind the proxy. */
  taken: z.array(
    z.object({
      file: z.string(),
      names: z.array(z.string()),
      /** The project that they were for, in a file of the user. */
      folder: z.string().optional(),
    }),
  ),
});
export type Connected = z.infer<typeof Connected>;

const Manifest = z.object({ version: z.literal(1), connections: z.array(Connected) });

const MAX_BYTES = 4 * 1024 * 1024;

export function clientsFolder(dataDir: string): string {
  return join(dataDir, 'clients');
}

const fileOf = (dataDir: string) => join(clientsFolder(dataDir), 'connections.json');

/** What was written to the files of clients. */
export function readManifest(dataDir: string): Connected[] {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return [];
  // It names files that are changed and removed, so nobody else may have written it.
  ensureDataDir(dataDir);
  try {
    return Manifest.parse(JSON.parse(readSmallFile(file, MAX_BYTES))).connections;
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `${file}, which says what was written to the files of clients, cannot be read. Remove it to start afresh; the entries in the files of the clients then stay`,
      { client_file: file },
    ).withCause(error);
  }
}

/** Changes the list. Two commands at once would otherwise lose what one of them wrote, and with it the way back. */
export function updateManifest(
  dataDir: string,
  change: (connections: readonly Connected[]) => Connected[],
): void {
  ensureDataDir(dataDir);
  mkdirSync(clientsFolder(dataDir), { recursive: true, mode: 0o700 });
  const file = fileOf(dataDir);
  const unlock = lockFile(`${file}.lock`);
  try {
    const text = `${JSON.stringify({ version: 1, connections: change(readManifest(dataDir)) }, null, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new ProxyError('CONFIG_INVALID', `${file} would be larger than ${MAX_BYTES} bytes`);
    writeFileAtomically(file, text, 0o600);
  } finally {
    unlock();
  }
}

const STALE_MS = 10_000;
const STEP_MS = 10;

/** Held for some milliseconds only, so an old one was left by a process that was killed. */
function lockFile(file: string): () => void {
  for (;;)
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) rmSync(file, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
}

/** Whether a connection is the one of this client, scope and folder. */
export function isSame(a: ConnectionKey, b: ConnectionKey): boolean {
  return a.client === b.client && a.scope === b.scope && a.folder === b.folder;
}

export type ConnectionKey = Pick<Connected, 'client' | 'scope' | 'folder'>;
