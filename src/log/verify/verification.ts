import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ActivityVerification } from '../../contract/activity.ts';
import { createChainCheck, type ChainCheck } from './check-chain.ts';
import type { Problem } from './claim.ts';
import { createClaims } from './claims.ts';
import {
  CHECKPOINT_FILE,
  HEAD_FILE,
  newestOf,
  readCheckpoints,
  readLocalCheckpoints,
} from '../chain/checkpoint-file.ts';
import {
  type Checkpoint,
  type EntryMark,
  type Tombstone,
  checkpointText,
  tombstoneText,
} from '../chain/hash-chain.ts';
import { HEAD_NOTE, readNewestHeads } from '../chain/head-note.ts';
import { createSignatureCheck, trustedKeys } from '../chain/signer.ts';
import { reportOf, unknownVerdict } from './report.ts';
import type { StopSignal } from './stop.ts';
import { compareWithWitness, readWitnessLines, withComparison } from '../witness/compare.ts';

export interface VerifyOptions {
  dataDir: string;
  /** Content of a checkpoint file kept elsewhere; by default that of the data directory. */
  checkpoints?: string | undefined;
  /** Lines with checkpoints from outside, to compare all of them with. */
  witness?: string | undefined;
  /** Trusted public keys as PEM; by default those of the data directory. */
  publicKey?: string | undefined;
  /** Pinned keys of other writers, by log id. */
  pinned?: ReadonlyMap<string, string>;
  /** The log of this proxy; by default the last one. */
  ownLog?: string;
  /** The last entry of each log that the database has acknowledged to this proxy; read before the snapshot. */
  heads?: ReadonlyMap<string, EntryMark>;
  /** Verify only these logs. */
  only?: ReadonlySet<string>;
  signal?: StopSignal | undefined;
  /** What mcpproxy did not make in the database of which a copy is verified. */
  foreign?: string | undefined;
}

export interface LogRow {
  log: number;
  log_id: string;
  public_key: string;
  base: string | null;
}

/** One snapshot of the logs, on either database. */
export interface SealedStore {
  logs(): Promise<LogRow[]>;
  /** Passes every entry of a log to the check in order, until the first problem. */
  walk(log: LogRow, check: ChainCheck): Promise<Problem | null>;
  countRecords(): Promise<number>;
  hashAt(log: LogRow, n: number): Promise<unknown>;
  lastEntry(log: LogRow): Promise<number>;
  /** A record whose columns do not follow from it; absent for a back-up, where they are made again. */
  findWrongColumns?(): Promise<{ id: unknown } | undefined>;
  /** Whether the counts of summaries and charts are those of the records; undefined where there are none, as in an earlier version. */
  countsAgree?(): Promise<boolean | undefined>;
  /** A record without a chain entry. */
  findUnsealed(): Promise<{ id: unknown } | undefined>;
  /** What mcpproxy did not make, and by which readers may see other rows than those that are stored. */
  findForeign(): Promise<string | undefined>;
}

/** Must be read before the snapshot: the file is never ahead of the database. */
export function readWitnesses({ checkpoints, dataDir }: VerifyOptions): Map<string, Checkpoint> {
  if (checkpoints !== undefined) return readCheckpoints(checkpoints);
  const { head, lines } = readLocalCheckpoints(dataDir);
  return newestOf(head, lines);
}

/** The same for the ends that were acknowledged, where the files of the data directory are compared with. */
export const readHeads = ({ checkpoints, dataDir }: VerifyOptions): Map<string, EntryMark> =>
  checkpoints === undefined ? readNewestHeads(dataDir) : new Map();

export async function verifyStore(
  store: SealedStore,
  options: VerifyOptions,
  witnesses: Map<string, Checkpoint>,
): Promise<ActivityVerification> {
  const result = await verifyChains(store, options, witnesses);
  if (options.witness === undefined) return result;
  const isSigned = anyOf(trustedPems(options).map((pem) => createSignatureCheck(pem)));
  const lines = await readWitnessLines(options.witness, isSigned);
  return withComparison(result, await compareWithWitness(store, lines));
}

async function verifyChains(
  store: SealedStore,
  options: VerifyOptions,
  witnesses: Map<string, Checkpoint>,
): Promise<ActivityVerification> {
  const all = await store.logs();
  const logs = all.filter(({ log_id: id }) => options.only?.has(id) ?? true);
  const obstacle = cannotVerify(logs, options, witnesses);
  if (obstacle !== undefined) return unknownVerdict(obstacle);

  const isSigned = anyOf(all.map((log) => createSignatureCheck(log.public_key)));
  const claims = createClaims();
  const checks: ChainCheck[] = [];
  const noted = options.heads ?? new Map<string, EntryMark>();
  for (const log of logs) {
    const [base, witness] = [baseOf(log), witnesses.get(log.log_id)];
    const check = createChainCheck({ logId: log.log_id, isSigned, base, witness, claims });
    checks.push(check);
    const bad =
      badBase(log, base, isSigned) ??
      (await store.walk(log, check)) ??
      check.end() ??
      (await beforeNoted(store, log, { check, noted: noted.get(log.log_id) }));
    if (bad) return reportOf(checks, (await foreignObject(store, checks)) ?? bad, options.ownLog);
  }
  const bad = await problemOfAll(store, logs, checks);
  const result = reportOf(checks, bad, options.ownLog);
  if (bad) return result;
  Object.assign(result, await comparedCounts(store));
  const doubt = await missingWitness({ all, logs, checks, options, witnesses });
  return doubt === undefined ? result : { ...result, verdict: 'unknown', intact: false, why: doubt };
}

/** What is wrong where each log by itself is right. */
async function problemOfAll(
  store: SealedStore,
  logs: readonly LogRow[],
  checks: readonly ChainCheck[],
): Promise<Problem | null> {
  return (
    (await foreignObject(store, checks)) ??
    firstAmong(logs, checks) ??
    (await unsealed(store, logs, checks)) ??
    (await wrongColumns(store, logs, checks)) ??
    notAccepted(checks)
  );
}

/** The entries that this proxy was told are stored must be there, also where no checkpoint covers them yet. */
async function beforeNoted(
  store: SealedStore,
  log: LogRow,
  { check, noted }: { check: ChainCheck; noted: EntryMark | undefined },
): Promise<Problem | null> {
  const { n: last } = check.seen;
  if (!noted || noted.n <= (check.base?.n ?? 0) || isLost(check, noted.n)) return null;
  const problem = { log: log.log_id, record: null };
  if (noted.n > last)
    return {
      ...problem,
      entry: last + 1,
      reason: 'truncated',
      message: `${HEAD_NOTE} says that ${noted.n} entries were stored, the log ends after ${last}: the database has lost the others, or was replaced or put back`,
    };
  if ((await store.hashAt(log, noted.n)) === noted.hash) return null;
  const message = `entry ${noted.n} is not the one that was stored, as ${HEAD_NOTE} says: the database was replaced or put back`;
  return { ...problem, entry: noted.n, reason: 'hash', message };
}

const isLost = ({ seen }: ChainCheck, n: number) => seen.lost.some(({ from, to }) => n >= from && n <= to);

/** The log says itself that the database has lost entries. It is intact without them once the operator has accepted that. */
function notAccepted(checks: readonly ChainCheck[]): Problem | null {
  for (const { logId, seen } of checks) {
    const open = seen.lost.find(({ to }) => to > seen.acceptedAt);
    if (!open) continue;
    const { from, to, time } = open;
    const message = `entries ${from} to ${to} are missing: the database had lost them when the proxy looked at ${new Date(time).toISOString()}, and signed this. Everything else is intact. Find out why, then run mcpproxy activity accept-restore`;
    return { log: logId, entry: from, record: null, reason: 'gap', message };
  }
  return null;
}

/** The counts are derived: where they differ, the records are still what was recorded. */
async function comparedCounts(store: SealedStore): Promise<Pick<ActivityVerification, 'counts'>> {
  const agree = await store.countsAgree?.();
  return agree === undefined ? {} : { counts: agree ? 'agree' : 'differ' };
}

/** Why nothing can be said of these logs; undefined where they can be verified. */
function cannotVerify(
  logs: readonly LogRow[],
  options: VerifyOptions,
  witnesses: Map<string, Checkpoint>,
): string | undefined {
  if (logs.length === 0) return missingChainReason(witnesses);
  const isTrusted = trust(options);
  const untrusted = logs.find((log) => !isTrusted(log));
  if (untrusted) return `log ${untrusted.log_id} is signed by a key that is not known here`;
  if (options.checkpoints === undefined) return undefined;
  const foreign = [...witnesses.keys()].find((id) => !logs.some((log) => log.log_id === id));
  return foreign === undefined
    ? undefined
    : `the checkpoint is of log ${foreign}, which is not in this database`;
}

/** Also used if the database file is missing: the checkpoints tell what it contained. */
export function missingChainReason(witnesses: Map<string, Checkpoint>): string {
  const [gone] = witnesses.values();
  const found = 'there is no chain in this database';
  return gone ? `${found}, but ${goneLog(gone)}` : found;
}

const goneLog = ({ log, n }: Checkpoint) =>
  `${CHECKPOINT_FILE} names log ${log} with ${n} entries: the database was emptied or replaced, or another one is in use`;

/** A truncated log shows no trace of it, so a log is intact only if the checkpoint file covers it. */
async function missingWitness(found: {
  all: readonly LogRow[];
  logs: readonly LogRow[];
  checks: readonly ChainCheck[];
  options: VerifyOptions;
  witnesses: Map<string, Checkpoint>;
}): Promise<string | undefined> {
  const { all, logs, checks, options, witnesses } = found;
  if (options.checkpoints !== undefined || options.only) return undefined;
  const gone = [...witnesses.values()].find(({ log }) => !all.some(({ log_id: id }) => id === log));
  if (gone) return goneLog(gone);
  const own = trustedKeys(options.dataDir);
  const signed = logs.filter(
    (log) =>
      own.some((each) => sameKey(each, log.public_key)) && checks.some((check) => hasSigned(log, check)),
  );
  const { head, lines } = readLocalCheckpoints(options.dataDir);
  const cut = [...head.values()].find(({ log, n }) => n > (lines.get(log)?.n ?? Infinity));
  if (cut)
    return `${CHECKPOINT_FILE} lacks its newest lines: ${HEAD_FILE} names ${cut.n} entries of log ${cut.log}. Every entry is valid, but the file was cut`;
  const without = signed.find(({ log_id: id }) => !lines.has(id));
  if (!without || (await hasLine(options.dataDir, without.log_id))) return undefined;
  const file = existsSync(join(options.dataDir, CHECKPOINT_FILE))
    ? `${CHECKPOINT_FILE} has no line of log ${without.log_id}`
    : `${CHECKPOINT_FILE} is missing from the data directory`;
  return `${file}, although the log contains signed checkpoints. Every entry is valid, but the check cannot detect a truncated end; compare with a copy of the file: --checkpoint FILE`;
}

/** Whether the log's own writer signed its last checkpoint: on PostgreSQL other writers may sign too. */
function hasSigned(
  { log_id: id, public_key: key }: LogRow,
  { logId, seen: { checkpoint } }: ChainCheck,
): boolean {
  if (logId !== id || checkpoint === null) return false;
  return createSignatureCheck(key)(checkpointText(checkpoint), checkpoint.signature);
}

const LOOKS = 20;
const LOOK_MS = 50;

/** The first checkpoint of a log is in the database shortly before it is in the file. */
async function hasLine(dataDir: string, log: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if (readLocalCheckpoints(dataDir).lines.has(log)) return true;
    await pause(LOOK_MS);
  }
  return false;
}

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

function trustedPems({ publicKey, dataDir, pinned }: VerifyOptions): string[] {
  return publicKey === undefined
    ? [...trustedKeys(dataDir), ...(pinned?.values() ?? [])]
    : (publicKey.match(PEM) ?? []);
}

function trust({ publicKey, dataDir, pinned }: VerifyOptions): (log: LogRow) => boolean {
  const keys = publicKey === undefined ? trustedKeys(dataDir) : (publicKey.match(PEM) ?? []);
  return ({ log_id: id, public_key: key }) => {
    if (keys.some((each) => sameKey(each, key))) return true;
    const known = publicKey === undefined ? pinned?.get(id) : undefined;
    return known !== undefined && sameKey(known, key);
  };
}

const baseOf = ({ base }: LogRow) => (base === null ? null : (JSON.parse(base) as Tombstone));

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
    message: 'the tombstone of retention is not signed',
  };
}

/** Each log must begin where its last tombstone says. */
function wrongBase(logs: readonly LogRow[], checks: readonly ChainCheck[]): Problem | null {
  for (const log of logs) {
    const last = checks
      .map(({ seen }) => seen.dropped.get(log.log_id))
      .reduce((a, b) => (a && (!b || a.n > b.n) ? a : b), undefined);
    const base = baseOf(log);
    if (last?.signature === base?.signature) continue;
    const message = 'the log does not begin where retention says that it does';
    return { log: log.log_id, entry: (base?.n ?? 0) + 1, record: null, reason: 'truncated', message };
  }
  return null;
}

const firstAmong = (logs: readonly LogRow[], checks: readonly ChainCheck[]) =>
  wrongBase(logs, checks) ?? checks.at(-1)!.claims.firstUnresolved();

/** Comes before other problems, which may be its effect. */
async function foreignObject(store: SealedStore, checks: readonly ChainCheck[]): Promise<Problem | null> {
  const found = await store.findForeign();
  if (found === undefined) return null;
  const { logId, seen } = checks.at(-1)!;
  return {
    log: logId,
    entry: seen.n,
    record: null,
    reason: 'schema differs',
    message: `the database contains ${found}, which mcpproxy did not make: listings and audits may show other rows than the check has read. Find out who made it, remove it, restart the proxy, then verify again`,
  };
}

/** The chain does not cover the columns about who did what, by which filters find records: they follow from what it covers. */
async function wrongColumns(
  store: SealedStore,
  logs: readonly LogRow[],
  checks: readonly ChainCheck[],
): Promise<Problem | null> {
  const row = await store.findWrongColumns?.();
  if (!row) return null;
  const id = String(row.id);
  return {
    log: logs.at(-1)!.log_id,
    entry: checks.at(-1)!.seen.n,
    record: id,
    reason: 'derived value differs',
    message: `record ${id} is intact, but a column about who did what was replaced: filters miss the record or find it wrongly`,
  };
}

/** Each record must have exactly one entry that confirms its current state. */
async function unsealed(
  store: SealedStore,
  logs: readonly LogRow[],
  checks: readonly ChainCheck[],
): Promise<Problem | null> {
  const n = await store.countRecords();
  const vouched = checks.reduce((sum, { seen }) => sum + seen.records, 0);
  if (n === vouched) return null;
  const row = await store.findUnsealed();
  return {
    log: logs.at(-1)!.log_id,
    entry: checks.at(-1)!.seen.n,
    record: row && typeof row.id === 'string' ? row.id : null,
    reason: 'row without entry',
    message: row
      ? `record ${String(row.id)} was not written by mcpproxy: it has no entry`
      : `there are ${n} records, but ${vouched} entries that confirm one`,
  };
}

function anyOf(
  checks: Array<ReturnType<typeof createSignatureCheck>>,
): ReturnType<typeof createSignatureCheck> {
  return (text, signature) => checks.some((check) => check(text, signature));
}

const sameKey = (a: string, b: string) => a.trim() === b.trim();

export type FileToVerify = VerifyOptions & { file: string };
