import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Place, RestoreOptions, RestoreReport } from '../../doors/cli/index.ts';
import { lockDataDir } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import {
  copySqlite,
  displayUrl,
  foldWal,
  markRowsRestored,
  readBackup,
  stagePostgres,
  unknownMigrations,
  unsealBackup,
  unusable,
  type BackedUpFile,
  type BackupInfo,
  type CopyWatch,
  type DatabaseLocation,
} from '../../db/index.ts';
import { newId } from '../../lib/clock.ts';
import { copiedLogs, readWitnesses, RESTORE_NOTE, type RestoreNote } from '../../log/index.ts';
import { lockHolders } from '../../log/postgres/index.ts';
import { readOrSalvage } from '../place.ts';
import { compareKeys, keysIn, requireKnownKeys } from './backup-keys.ts';
import { keptName, restoreFiles } from './data-files.ts';
import { backupFailed, type Watch } from './db-backup.ts';
import { createPrivate, putInPlace, removeDatabase, sha256Of, writePrivately } from './disk.ts';
import { requireIntact, verifyBackup, type Verified } from './verify-backup.ts';

/** `mcpproxy db restore`: checks a back-up, then puts it in the place of the database. */
export async function dbRestore(
  place: Place,
  file: string,
  { watch, ...options }: RestoreOptions & { watch: Watch },
): Promise<RestoreReport> {
  const found = readOrSalvage(place);
  if ('invalid' in found) throw found.invalid;
  const path = resolve(file);
  const { info, files, migrations } = readBackup(path);
  requireFitting({ path, info, migrations }, found.database);
  const lock = lockDataDir(found.dataDir);
  try {
    if ('file' in found.database && existsSync(found.database.file) && !options.replace)
      throw notEmpty(found.database.file);
    const brought = compareKeys(keysIn(files, copiedLogs(path, info.engine)), found.dataDir);
    const requireKnown = () => requireKnownKeys(path, brought.keys, options);
    if (!brought.isNew || ('file' in found.database && existsSync(found.database.file))) requireKnown();
    const date = newDate(found.database);
    const sha256 = await sha256Of(path);
    const with_ = { path, files, migrations, date, watch, options, requireKnown };
    const { verified, warnings, replaced } = await ('url' in found.database
      ? replacePostgres(found.database.url, with_)
      : replaceSqlite(found.database.file, with_));
    const changed = restoreFiles(files, found.dataDir, date);
    markRowsRestored(found.dataDir, Date.now);
    const { why: _, ...summary } = verified;
    const note: RestoreNote = {
      file: path,
      sha256,
      made_at: info.created_at,
      version: info.version,
      restored_at: new Date().toISOString(),
      user: userInfo().username,
      records: verified.records,
      entries: verified.entries,
      replaced,
      log_heads: Object.fromEntries(verified.logs.map(({ log, head }) => [log, head])),
    };
    writePrivately(join(found.dataDir, RESTORE_NOTE), JSON.stringify(note));
    return {
      file: path,
      created_at: info.created_at,
      version: info.version,
      engine: info.engine,
      to: 'url' in found.database ? displayUrl(found.database.url) : found.database.file,
      data_dir: found.dataDir,
      replaced,
      ...summary,
      files: changed,
      keys: brought.keys,
      behind: logsBehind(path, info.engine, found.dataDir),
      warnings,
    };
  } catch (cause) {
    throw backupFailed(`The restore of ${path}`, cause);
  } finally {
    lock.release();
  }
}

/** For the names of what is kept. Two restores in one second keep both. */
function newDate(database: DatabaseLocation): string {
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  let date = now;
  if ('file' in database)
    for (let n = 2; existsSync(keptName(database.file, date)); n++) date = `${now}-${n}`;
  return date;
}

function requireFitting(
  { path, info, migrations }: { path: string; info: BackupInfo; migrations: readonly string[] },
  database: DatabaseLocation,
): void {
  const target = 'url' in database ? 'postgres' : 'sqlite';
  if (info.engine !== target) throw unusable(path, OTHER_ENGINE[info.engine]);
  if (unknownMigrations(info.engine, migrations).length > 0)
    throw unusable(path, `it was made by mcpproxy ${info.version}, which is newer. Upgrade mcpproxy first`);
}

const OTHER_ENGINE = {
  sqlite:
    'it contains an SQLite database, but database_url names a PostgreSQL server. Remove database_url for the restore, then run "mcpproxy db migrate"',
  postgres:
    'it contains a PostgreSQL database. Set database_url to an empty database of a PostgreSQL server, then run the command again',
} as const satisfies Record<BackupInfo['engine'], string>;

interface Replacement {
  path: string;
  files: readonly BackedUpFile[];
  migrations: readonly string[];
  date: string;
  watch: Watch;
  options: RestoreOptions;
  /** For a database that is in use, also from a new data directory. */
  requireKnown: () => void;
}

interface Replaced {
  verified: Verified;
  warnings: string[];
  /** Where the replaced database is kept. */
  replaced: string | null;
}

/** What is verified is what is put in place: the copy, not the file that it was made from. */
async function replaceSqlite(
  target: string,
  { path, files, date, watch, options }: Replacement,
): Promise<Replaced> {
  const temporary = `${target}.${newId()}.partial`;
  try {
    createPrivate(temporary);
    await copySqlite(path, temporary, loading(watch));
    watch.onProgress({ step: 'verify', done: 0, total: 1 });
    const verified = await verifyBackup({ path: temporary, engine: 'sqlite', files, signal: watch.signal });
    const warnings = requireIntact(verified, { what: path, ...options });
    unsealBackup(temporary);
    watch.signal.throwIfAborted();
    const replaced = keepSqlite(target, keptName(target, date));
    putInPlace(temporary, target);
    return { verified, warnings, replaced };
  } finally {
    removeDatabase(temporary);
  }
}

const loading = ({ signal, onProgress }: Watch): CopyWatch => ({
  signal,
  onProgress: (done, total) => onProgress({ step: 'load', done, total }),
});

/**
 * Keeps the database under another name. Its write-ahead log must not stay: beside another database it would damage that. A database that
 * cannot be opened is moved away together with it.
 */
function keepSqlite(target: string, kept: string): string | null {
  if (!existsSync(target)) return null;
  if (foldWal(target)) {
    // It stays under its own name too until the restored one replaces it, so that a crash leaves one of the two.
    linkSync(target, kept);
    for (const suffix of ['-wal', '-shm']) rmSync(`${target}${suffix}`, { force: true });
    return kept;
  }
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  return kept;
}

async function replacePostgres(
  url: string,
  { path, files, migrations, date, watch, options, requireKnown }: Replacement,
): Promise<Replaced> {
  const kept = `mcpproxy_replaced_${date.toLowerCase()}`;
  const schema = `mcpproxy_restoring_${newId().toLowerCase()}`;
  const staged = await stagePostgres(url, { path, migrations }, { schema, watch: loading(watch) });
  try {
    watch.onProgress({ step: 'verify', done: 0, total: 1 });
    const verified = await verifyBackup({
      path,
      staged: staged.url,
      engine: 'postgres',
      files,
      signal: watch.signal,
    });
    const warnings = requireIntact(verified, { what: path, ...options });
    watch.signal.throwIfAborted();
    const replaced = await staged.commit(kept, async (client, isUsed) => {
      if (isUsed && !options.replace) throw notEmpty(displayUrl(url));
      if ((await lockHolders(client)).size > 0) throw inUse(displayUrl(url));
      if (isUsed) requireKnown();
    });
    return { verified, warnings, replaced };
  } finally {
    await staged.discard();
  }
}

const notEmpty = (database: string) =>
  new ProxyError(
    'USAGE',
    `There is a database already: ${database}. To put the back-up in its place, add --replace; the present one is kept under another name`,
    { database },
  );

const inUse = (place: string) =>
  new ProxyError(
    'DATA_DIR_IN_USE',
    `Another mcpproxy uses the database ${place}. Stop every proxy on it, then run the command again`,
    { database: place },
  );

/** Entries that a checkpoint of the data directory names, but that were not restored. */
function logsBehind(path: string, engine: BackupInfo['engine'], dataDir: string): RestoreReport['behind'] {
  const ends = new Map(copiedLogs(path, engine).map(({ id, n }) => [id, n]));
  return [...readWitnesses({ dataDir }).values()]
    .map(({ log, n }) => ({ log, entries: ends.get(log) ?? 0, checkpoint: n }))
    .filter(({ entries, checkpoint }) => entries < checkpoint);
}
