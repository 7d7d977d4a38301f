import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { ActivityVerification } from '../contract/activity.ts';
import { LOG_SPAN } from './chain.ts';
import { createChainCheck, type ChainCheck, type Problem } from './check-chain.ts';
import { CHECKPOINT_FILE, readCheckpoints } from './checkpoint-file.ts';
import { tombstoneText, type Checkpoint, type SealedFacet, type Tombstone } from './seal.ts';
import { createSignatureCheck, trustedKeys } from './signer.ts';
import { COLUMNS, rowOf, type Values } from './stored-row.ts';

export interface VerifyOptions {
  file: string;
  dataDir: string;
  /** Text of a file of checkpoints that was kept elsewhere; else that of the data directory. */
  checkpoints?: string | undefined;
  /** The public key to trust, as PEM; else those of the data directory. */
  publicKey?: string | undefined;
  signal?: AbortSignal;
}

/** Entries per slice; others get their turn after each. */
const SLICE = 200;

const PROVES =
  'Every record is what was recorded when its entry was written, none is missing, none was added, up to the last checkpoint, as long as nobody else has the private key.';
const LIMITS =
  'Entries after the last checkpoint are linked but not signed yet. Whoever has the private key can rewrite everything since the last checkpoint that you keep elsewhere. It is not proven that everything which happened was recorded. Search index and counts are derived and not covered.';

interface LogRow {
  log: number;
  log_id: string;
  public_key: string;
  base: string | null;
}

/**
 * Reads the whole log through a connection of its own, in one snapshot, so that calls go on meanwhile. A database that cannot be read is
 * neither intact nor a reason to fall over: then nothing can be said.
 */
export async function verifyLog(options: VerifyOptions): Promise<ActivityVerification> {
  let sqlite: DatabaseSyncInstance | undefined;
  try {
    // Before the snapshot: the file is always behind the database, never ahead of it.
    const witnesses = witnessesOf(options);
    sqlite = new DatabaseSync(options.file, { readOnly: true, timeout: 5000 });
    sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN');
    return await verifySnapshot(sqlite, options, witnesses);
  } catch (cause) {
    return unknown(`the log cannot be read: ${(cause as Error).message}`);
  } finally {
    try {
      sqlite?.close();
    } catch {
      // Nothing was written, so nothing is lost.
    }
  }
}

async function verifySnapshot(
  sqlite: DatabaseSyncInstance,
  options: VerifyOptions,
  witnesses: Map<string, Checkpoint>,
): Promise<ActivityVerification> {
  const logs = sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as unknown as LogRow[];
  if (logs.length === 0) return unknown('there is no chain in this database');
  const trusted = options.publicKey === undefined ? trustedKeys(options.dataDir) : [options.publicKey];
  const untrusted = logs.find((log) => !trusted.some((key) => sameKey(key, log.public_key)));
  if (untrusted) return unknown(`log ${untrusted.log_id} is signed by a key that is not known here`);
  const foreign = [...witnesses.keys()].find((id) => !logs.some((log) => log.log_id === id));
  if (foreign !== undefined && options.checkpoints !== undefined)
    return unknown(`the checkpoint is of log ${foreign}, which is not in this database`);

  const isSigned = anyOf(logs.map((log) => createSignatureCheck(log.public_key)));
  const facets = loadFacets(sqlite);
  const checks: ChainCheck[] = [];
  for (const log of logs) {
    const base = log.base === null ? null : (JSON.parse(log.base) as Tombstone);
    const check = createChainCheck({ logId: log.log_id, isSigned, base, witness: witnesses.get(log.log_id) });
    checks.push(check);
    const bad =
      badBase(log, base, isSigned) ?? (await walk(sqlite, log, facets, check, options.signal)) ?? check.end();
    if (bad) return report(checks, bad);
  }
  return report(checks, wrongBase(logs, checks) ?? unsealed(sqlite, logs, checks));
}

async function walk(
  sqlite: DatabaseSyncInstance,
  { log }: LogRow,
  facets: Map<unknown, SealedFacet>,
  check: ChainCheck,
  signal: AbortSignal | undefined,
): Promise<Problem | null> {
  const some = sqlite.prepare(
    `SELECT j.pos, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
     FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq
     WHERE j.pos >= CAST(? AS INTEGER) AND j.pos < CAST(? AS INTEGER) ORDER BY j.pos LIMIT ?`,
    { returnArrays: true },
  );
  for (let from = log * LOG_SPAN; ;) {
    const rows = some.all(from, (log + 1) * LOG_SPAN, SLICE) as unknown as Values[];
    for (const values of rows) {
      const row = values[4] === null ? null : rowOf(values);
      const facet = facets.get(row?.facet_id);
      const [pos, seq, entry, hash] = values as [number, number | null, unknown, unknown];
      const bad = check.take({ n: pos - log * LOG_SPAN, seq, entry, hash, row, facet });
      if (bad) return bad;
    }
    if (rows.length < SLICE) return null;
    from = (rows.at(-1)![0] as number) + 1;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
}

function badBase(
  log: LogRow,
  base: Tombstone | null,
  isSigned: ReturnType<typeof createSignatureCheck>,
): Problem | null {
  if (base === null || (base.log === log.log_id && isSigned(tombstoneText(base), base.signature)))
    return null;
  return {
    log: log.log_id,
    entry: 0,
    record: null,
    reason: 'bad signature',
    message: 'what retention has left in place of the beginning is not signed',
  };
}

/** The beginning of each log must be the one that its last statement of retention tells of. */
function wrongBase(logs: readonly LogRow[], checks: readonly ChainCheck[]): Problem | null {
  for (const log of logs) {
    const last = checks
      .map(({ seen }) => seen.dropped.get(log.log_id))
      .findLast((stone) => stone !== undefined);
    const base = log.base === null ? undefined : (JSON.parse(log.base) as Tombstone);
    if (last?.signature === base?.signature) continue;
    const message = 'the log does not begin where retention says that it does';
    return { log: log.log_id, entry: (base?.n ?? 0) + 1, record: null, reason: 'truncated', message };
  }
  return null;
}

/** Each record has exactly one entry that vouches for its present state. */
function unsealed(
  sqlite: DatabaseSyncInstance,
  logs: readonly LogRow[],
  checks: readonly ChainCheck[],
): Problem | null {
  const { n } = sqlite.prepare('SELECT count(*) AS n FROM activity NOT INDEXED').get() as { n: number };
  const vouched = checks.reduce((sum, { seen }) => sum + seen.records, 0);
  if (n === vouched) return null;
  const row = sqlite
    .prepare(
      `SELECT seq, id FROM activity NOT INDEXED WHERE seq NOT IN (SELECT seq FROM activity_journal WHERE seq IS NOT NULL)
       ORDER BY seq LIMIT 1`,
    )
    .get() as { id: string } | undefined;
  return {
    log: logs.at(-1)!.log_id,
    entry: checks.at(-1)!.seen.n,
    record: row && typeof row.id === 'string' ? row.id : null,
    reason: 'row without entry',
    message: row
      ? `record ${row.id} was not written by mcpproxy: no entry tells of it`
      : `${n} records stand against ${vouched} entries that vouch for one`,
  };
}

function report(checks: readonly ChainCheck[], problem: Problem | null): ActivityVerification {
  const last = checks.at(-1)!.seen;
  const { checkpoint } = last;
  return {
    verdict: problem ? 'broken' : 'intact',
    intact: problem === null,
    entries: checks.reduce((sum, { seen }) => sum + seen.entries, 0),
    records: checks.reduce((sum, { seen }) => sum + seen.records, 0),
    head: last.head,
    checkpoint: checkpoint && {
      log: checkpoint.log,
      n: checkpoint.n,
      head: checkpoint.head,
      time: new Date(checkpoint.time).toISOString(),
    },
    unsigned_entries: Math.max(0, last.n - (checkpoint ? checkpoint.n + 1 : 0)),
    ...(problem && { problem }),
    proves: PROVES,
    does_not_prove: LIMITS,
  };
}

function unknown(why: string): ActivityVerification {
  return {
    verdict: 'unknown',
    intact: false,
    entries: 0,
    records: 0,
    head: null,
    checkpoint: null,
    unsigned_entries: 0,
    why,
    proves: PROVES,
    does_not_prove: LIMITS,
  };
}

function witnessesOf({ checkpoints, dataDir }: VerifyOptions): Map<string, Checkpoint> {
  if (checkpoints !== undefined) return readCheckpoints(checkpoints);
  try {
    return readCheckpoints(readFileSync(join(dataDir, CHECKPOINT_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}

function anyOf(
  checks: Array<ReturnType<typeof createSignatureCheck>>,
): ReturnType<typeof createSignatureCheck> {
  return (text, signature) => checks.some((check) => check(text, signature));
}

const sameKey = (a: string, b: string) => a.trim() === b.trim();

function loadFacets(sqlite: DatabaseSyncInstance): Map<unknown, SealedFacet> {
  const rows = sqlite.prepare('SELECT * FROM activity_facet').all() as unknown as Array<
    Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }
  >;
  return new Map(rows.map(({ id, unlisted, ...facet }) => [id, { ...facet, unlisted: unlisted === 1 }]));
}
