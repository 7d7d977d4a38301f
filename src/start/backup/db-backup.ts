import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackupOptions, BackupProgress, BackupReport, Place } from '../../doors/cli/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import {
  copyPostgres,
  copySqlite,
  displayUrl,
  isBackup,
  sealBackup,
  type BackedUpFile,
  type BackupInfo,
  type CopyWatch,
  type DatabaseLocation,
} from '../../db/index.ts';
import { newId } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { CHECKPOINT_FILE, copiedLogs, readCheckpoints } from '../../log/index.ts';
import { readOrSalvage } from '../place.ts';
import { VERSION } from '../version.ts';
import { keysIn } from './backup-keys.ts';
import { collectFiles, mergeLines } from './data-files.ts';
import { createPrivate, putInPlace, removeDatabase, sha256Of } from './disk.ts';
import { requireIntact, verifyBackup } from './verify-backup.ts';

export interface Watch {
  onProgress: (progress: BackupProgress) => void;
  signal: AbortSignal;
}

/** Errors of disks and databases, with what was tried; others stay as they are. */
export function backupFailed(what: string, cause: unknown): unknown {
  if (cause instanceof ProxyError || !(cause instanceof Error)) return cause;
  return new ProxyError('BACKUP_FAILED', `${what} failed: ${visibleLine(cause.message)}`).withCause(cause);
}

/** `mcpproxy db backup`: one file with the database and what is needed to verify it, made while the proxy serves. */
export async function dbBackup(
  place: Place,
  file: string,
  { watch, ...options }: BackupOptions & { watch: Watch },
): Promise<BackupReport> {
  const found = readOrSalvage(place);
  if ('invalid' in found) throw found.invalid;
  const path = resolve(file);
  requireFolder(dirname(path));
  requireFree(path, options);
  requireSource(found.database);
  const temporary = `${path}.${newId()}.partial`;
  try {
    createPrivate(temporary);
    const made = await make({ ...found, temporary, options, watch });
    requireFree(path, options);
    putInPlace(temporary, path);
    return { file: path, ...made };
  } catch (cause) {
    throw backupFailed(`The back-up to ${dirname(path)}`, cause);
  } finally {
    removeDatabase(temporary);
  }
}

interface MakeParts {
  dataDir: string;
  database: DatabaseLocation;
  temporary: string;
  options: BackupOptions;
  watch: Watch;
}

async function make(parts: MakeParts): Promise<Omit<BackupReport, 'file'>> {
  const { dataDir, database, temporary, options, watch } = parts;
  const { onProgress, signal } = watch;
  const info = infoOf(database);
  onProgress({ step: 'copy', done: 0, total: 1 });
  // Before the copy: then no checkpoint is ahead of it.
  const before = collectFiles(dataDir, options.withKeys === true);
  const foreign = await copy(database, temporary, {
    signal,
    onProgress: (done, total) => onProgress({ step: 'copy', done, total }),
  });
  const files = await withNewCheckpoints(before, { dataDir, temporary, engine: info.engine });
  sealBackup(temporary, info, files);
  onProgress({ step: 'verify', done: 0, total: 1 });
  const verified = await verifyBackup({ path: temporary, engine: info.engine, files, signal, foreign });
  const warnings = requireIntact(verified, { what: info.source, allowBroken: options.allowBroken });
  const sha256 = await sha256Of(temporary);
  signal.throwIfAborted();
  const { why: _, ...summary } = verified;
  return {
    created_at: info.created_at,
    engine: info.engine,
    source: info.source,
    bytes: statSync(temporary).size,
    sha256,
    ...summary,
    files: files.map(({ name }) => name),
    keys: keysIn(files, copiedLogs(temporary, info.engine)),
    with_keys: options.withKeys === true,
    warnings,
  };
}

/** In a copy of an SQLite database, the verification finds what mcpproxy did not make. */
async function copy(database: DatabaseLocation, to: string, watch: CopyWatch): Promise<string | undefined> {
  if ('url' in database) return copyPostgres(database.url, to, watch);
  await copySqlite(database.file, to, watch);
  return undefined;
}

function infoOf(database: DatabaseLocation): BackupInfo {
  return {
    format: 1,
    engine: 'url' in database ? 'postgres' : 'sqlite',
    created_at: new Date().toISOString(),
    version: VERSION,
    source: 'url' in database ? displayUrl(database.url) : database.file,
  };
}

const LOOKS = 20;
const LOOK_MS = 50;

/**
 * Checkpoints that were signed while the copy began are in it shortly before they are in the file. Later ones are left out: they name
 * entries that the copy does not have.
 */
async function withNewCheckpoints(
  files: readonly BackedUpFile[],
  { dataDir, temporary, engine }: { dataDir: string; temporary: string; engine: BackupInfo['engine'] },
): Promise<BackedUpFile[]> {
  const keys = files.filter(({ name }) => name.endsWith('.pub')).map(contentOf);
  const own = copiedLogs(temporary, engine).filter(({ publicKey }) => keys.includes(publicKey.trim()));
  let text = checkpointsIn(files);
  for (let look = 0; look < LOOKS; look++) {
    const known = readCheckpoints(text);
    const late = own.filter(({ id, signed }) => signed !== null && (known.get(id)?.n ?? -1) < signed);
    if (late.length === 0) break;
    if (look > 0) await pause(LOOK_MS);
    for (const line of completeLines(checkpointsIn(collectFiles(dataDir, false)))) {
      const [now] = readCheckpoints(line).values();
      if (late.some(({ id, n }) => id === now!.log && now!.n <= n)) text = mergeLines(text, line);
    }
  }
  const others = files.filter(({ name }) => name !== CHECKPOINT_FILE);
  return text === '' ? others : [...others, { name: CHECKPOINT_FILE, content: Buffer.from(text) }];
}

/** Another process may be writing the last one. */
const completeLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '');

const contentOf = ({ content }: BackedUpFile) => Buffer.from(content).toString('utf8').trim();

const checkpointsIn = (files: readonly BackedUpFile[]) =>
  Buffer.from(files.find(({ name }) => name === CHECKPOINT_FILE)?.content ?? []).toString('utf8');

function requireFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ProxyError(
      'BACKUP_FAILED',
      `There is no folder ${folder}, so no back-up was written. Create the folder, or choose another place`,
      { folder },
    );
}

function requireFree(path: string, { force }: BackupOptions): void {
  if (!force && existsSync(path))
    throw new ProxyError('USAGE', `${path} exists. Choose another name, or add --force to replace it`, {
      file: path,
    });
  // Only another back-up: the same name may be that of the database in use, or of a key.
  if (existsSync(path) && !isBackup(path))
    throw new ProxyError('USAGE', `${path} is not a back-up, so it is not replaced. Choose another name`, {
      file: path,
    });
}

function requireSource(database: DatabaseLocation): void {
  if ('file' in database && !existsSync(database.file))
    throw new ProxyError(
      'USAGE',
      `The database ${database.file} does not exist, so there is nothing to back up`,
      {
        file: database.file,
      },
    );
}
