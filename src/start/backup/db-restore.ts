import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Place, RestoreOptions, RestoreReport } from '../../doors/cli/runtime.ts';
import { lockDataDir } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import {
  displayUrl,
  foldWal,
  readBackup,
  stagePostgres,
  unknownMigrations,
  unsealBackup,
  unusable,
  type BackupInfo,
  type DatabaseLocation,
} from '../../db/index.ts';
import { newId } from '../../lib/clock.ts';
import { copiedLogs, readWitnesses } from '../../log/index.ts';
import { lockHolders } from '../../log/postgres/index.ts';
import { readOrSalvage } from '../place.ts';
import { keptName, restoreFiles } from './data-files.ts';
import type { Watch } from './db-backup.ts';
import { createPrivate, putInPlace, removeDatabase } from './disk.ts';
import { requireIntact, verifyBackup } from './verify-backup.ts';

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
    const { signal, onProgress } = watch;
    onProgress({ step: 'verify', done: 0, total: 1 });
    const verified = await verifyBackup({ path, engine: info.engine, files, signal });
    const warnings = requireIntact(verified, { what: path, allowBroken: options.allowBroken });
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const replaced = await replaceDatabase(found.database, { path, migrations, date, watch });
    const changed = restoreFiles(files, found.dataDir, date);
    const { why: _, ...summary } = verified;
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
      behind: logsBehind(path, info.engine, found.dataDir),
      warnings,
    };
  } finally {
    lock.release();
  }
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
  migrations: readonly string[];
  date: string;
  watch: Watch;
}

/** Returns where the replaced database is kept. */
const replaceDatabase = (database: DatabaseLocation, with_: Replacement) =>
  'url' in database ? replacePostgres(database.url, with_) : replaceSqlite(database.file, with_);

async function replaceSqlite(
  target: string,
  { path, date, watch: { signal, onProgress } }: Replacement,
): Promise<string | null> {
  const temporary = `${target}.${newId()}.partial`;
  try {
    onProgress({ step: 'load', done: 0, total: 1 });
    createPrivate(temporary);
    copyFileSync(path, temporary);
    unsealBackup(temporary);
    signal.throwIfAborted();
    const kept = keepSqlite(target, keptName(target, date));
    putInPlace(temporary, target);
    return kept;
  } finally {
    removeDatabase(temporary);
  }
}

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
  { path, migrations, date, watch: { signal, onProgress } }: Replacement,
): Promise<string | null> {
  const kept = `mcpproxy_replaced_${date.toLowerCase()}`;
  const staged = await stagePostgres(
    url,
    { path, migrations },
    {
      schema: `mcpproxy_restoring_${newId().toLowerCase()}`,
      watch: { signal, onProgress: (done, total) => onProgress({ step: 'load', done, total }) },
    },
  );
  try {
    signal.throwIfAborted();
    const isKept = await staged.commit(kept, async (client) => {
      if ((await lockHolders(client)).size > 0) throw inUse(displayUrl(url));
    });
    return isKept ? kept : null;
  } finally {
    await staged.discard();
  }
}

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
