import { createActivity, verifyLog } from '../log/index.ts';
import {
  destinationIsAhead,
  moveLogs,
  refuseDivergence,
  verifyOnPostgres,
  type MovedLog,
} from '../log/postgres/index.ts';
import type { MigrateOptions, MigrateProgress, MigrationReport, Place } from '../doors/cli/index.ts';
import { lockDataDir, parseConfig } from '../config/index.ts';
import type { ActivityVerification } from '../contract/activity.ts';
import { ProxyError } from '../contract/errors.ts';
import {
  moveTables,
  openDatabase,
  openRowSeal,
  type BrokenRow,
  type PostgresDatabase,
  type SqliteDatabase,
} from '../db/index.ts';
import { systemClock } from '../lib/clock.ts';
import { counted, visibleLine } from '../lib/visible-text.ts';
import { createLog } from '../lib/log.ts';
import { readPlaces, type Places } from './migrate-places.ts';

interface Watch {
  onProgress: (progress: MigrateProgress) => void;
  signal: AbortSignal;
}

const log = createLog('error');

/** `mcpproxy db migrate`: moves the data of an SQLite file to a PostgreSQL server and verifies the hash chain before and after. */
export async function dbMigrate(
  place: Place,
  options: MigrateOptions,
  watch: Watch,
): Promise<MigrationReport> {
  const where = readPlaces(place, options);
  const lock = lockDataDir(where.dataDir);
  try {
    const from = await openDatabase({ file: where.file, log });
    try {
      const to = await openDatabase({ url: where.url, log });
      try {
        return await move({ from, to, ...where, options, watch });
      } finally {
        await to.close();
      }
    } finally {
      await from.close();
    }
  } finally {
    lock.release();
  }
}

interface MoveParts extends Places {
  from: SqliteDatabase;
  to: PostgresDatabase;
  options: MigrateOptions;
  watch: Watch;
}

async function move({ from, to, dataDir, configFile, options, watch }: MoveParts): Promise<MigrationReport> {
  const { onProgress, signal } = watch;
  onProgress({ step: 'check', done: 0, total: 1 });
  await beginChain(from, dataDir);
  await refuseDivergence(from, to);
  const checkpoints = (await destinationIsAhead(from, to)) ? '' : undefined;
  const before = await verifyLog({ file: from.file, dataDir, checkpoints, signal });
  signal.throwIfAborted();
  if (before.verdict !== 'intact' && hasLog(from) && !options.allowBroken) throw broken(from.file, before);
  onProgress({ step: 'tables', done: 0, total: 1 });
  const { tables, broken: left } = await moveSealed({ from, to, dataDir, signal });
  const logs = await moveLogs({
    from,
    to,
    signal,
    onProgress: (done, total) => onProgress({ step: 'log', done, total }),
  });
  onProgress({ step: 'verify', done: 0, total: 1 });
  const only = new Set(logs.map(({ log: id }) => id));
  const after = await verifyOnPostgres(to, undefined, { dataDir, only, signal });
  signal.throwIfAborted();
  if (before.verdict === 'intact') checkMoved({ before, after, logs, place: to.place });
  return {
    from: from.file,
    to: to.place,
    tables,
    logs: after.logs.map(({ log: id, entries, records, head }) => ({ log: id, entries, records, head })),
    entries: after.entries,
    moved: logs.reduce((sum, { moved }) => sum + moved, 0),
    verdict: only.size === 0 ? 'intact' : after.verdict,
    warnings: [...left, ...warningsOf(options, tables, after)],
    config_file: configFile,
  };
}

/** Rows that let something pass are checked here and sealed for the destination. Gives what was left behind. */
async function moveSealed({
  from,
  to,
  dataDir,
  signal,
}: Pick<MoveParts, 'from' | 'to' | 'dataDir'> & { signal: AbortSignal }) {
  const broken: BrokenRow[] = [];
  const options = {
    dataDir,
    now: () => systemClock.now(),
    report: (row: BrokenRow) => void broken.push(row),
  };
  const source = await openRowSeal({ db: from, ...options });
  try {
    // Before anything is moved: the destination may have a key that this data directory lacks.
    const destination = await openRowSeal({ db: to, ...options });
    destination.close();
    const tables = await moveTables(from, to, { seal: source.seal, signal });
    return { tables, broken: broken.slice(0, MAX_WARNINGS).map(leftBehind) };
  } finally {
    source.close();
  }
}

const MAX_WARNINGS = 20;
const leftBehind = ({ table, row }: BrokenRow) =>
  `the row ${visibleLine(row)} of ${table} was not moved: it was changed outside of mcpproxy`;

/** Starting the log adds records of earlier versions, which had no chain, to a chain. */
async function beginChain(db: SqliteDatabase, dataDir: string): Promise<void> {
  const some = db.sqlite.prepare('SELECT 1 FROM activity LIMIT 1').get();
  if (hasLog(db) || some === undefined) return;
  const settings = () => parseConfig('{}', '').activity;
  const activity = await createActivity({
    db,
    dataDir,
    settings,
    clock: systemClock,
    log,
  });
  await activity.close();
}

const hasLog = ({ sqlite }: SqliteDatabase) =>
  sqlite.prepare('SELECT 1 FROM activity_log LIMIT 1').get() !== undefined;

interface Move {
  before: ActivityVerification;
  after: ActivityVerification;
  logs: readonly MovedLog[];
  place: string;
}

/** Source and destination must have the same chains with the same ends, unless the destination has newer entries since an earlier run. */
function checkMoved({ before, after, logs, place }: Move): void {
  if (after.verdict !== 'intact' && logs.length > 0) throw broken(place, after);
  for (const { log: id, head } of before.logs) {
    const there = after.logs.find((each) => each.log === id);
    const isAhead = logs.some((each) => each.log === id && each.ahead);
    if (!isAhead && there?.head !== head)
      throw new ProxyError(
        'LOG_BROKEN',
        `The end of log ${id} at ${place} differs from the end at the source`,
        { log: id },
      );
  }
}

function broken(place: string, { verdict, problem, why }: ActivityVerification): ProxyError {
  const said = problem ? `${problem.reason}: ${problem.message}` : (why ?? verdict);
  return new ProxyError(
    'LOG_BROKEN',
    `The activity log of ${place} failed verification (${said}). Run "mcpproxy activity verify" for details. To move it anyway, add --allow-broken`,
    { verdict, ...(problem && { problem }) },
  );
}

function warningsOf(
  { to }: MigrateOptions,
  tables: MigrationReport['tables'],
  { verdict, problem, why }: ActivityVerification,
): string[] {
  const warnings = tables
    .filter(({ conflicts }) => conflicts > 0)
    .map(
      ({ table, conflicts }) =>
        `${counted(conflicts, 'row')} of ${table} not moved: the destination already has the same keys`,
    );
  if (verdict !== 'intact' && (problem ?? why))
    warnings.push(`the log was moved although it failed verification: ${problem?.message ?? why}`);
  if (to !== undefined && URL.canParse(to) && new URL(to).password !== '')
    warnings.push(
      'the password in --to was visible in the process list; use MCPPROXY_DATABASE_URL or --to-file to keep it secret',
    );
  return warnings;
}
