import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  errorCode,
  createBlip,
  createGroupCommit,
  isServerFailure,
  errorReason,
  type Blip,
  type GroupCommit,
  type Heads,
  type PostgresDatabase,
} from '../../../db/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { logFields } from '../../record/entry.ts';
import type { Checkpoint, EntryMark, Links } from '../../chain/hash-chain.ts';
import { LINK, NOT_WHOLE } from './append.ts';
import { OtherLog } from './continue-log.ts';
import type { WriterFacets } from './facets.ts';
import { buildGroup, type OpenState, type PgEntry, type Written } from './group.ts';
import type { LogRef } from './own-log.ts';
import type { Session } from './session.ts';

/**
 * An entry to be written with its group, or alone where it may be the one that spoils the group, or again where nothing else will write it;
 * or work in a transaction of its own.
 */
export type WriteOp =
  | { entry: PgEntry; single?: boolean; again?: boolean; failed: () => void }
  | { alone: (client: pg.Client) => Promise<void>; failed: () => void };

type EntryOp = Extract<WriteOp, { entry: PgEntry }>;

export interface Writer {
  readonly writes: GroupCommit<WriteOp>;
  /** Runs a separate transaction between the groups. When it fails, only its caller gets the error. Its chain entries are stored with it. */
  write<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  /** The server has lost what it had acknowledged: what is missing of these entries is written again. */
  writeAgain(entries: readonly PgEntry[]): void;
  /** The connection is lost: another one is made, to see at once what its server has. */
  reconnect(): void;
  close(): Promise<void>;
}

export interface WriterParts {
  db: PostgresDatabase;
  own: LogRef;
  links: Links;
  facets: WriterFacets;
  session: Session;
  log: Log;
  committed: (written: readonly Written[]) => void;
  onCheckpoint: (checkpoint: Checkpoint) => void;
  /** Something was added to the chain, up to this entry. */
  grown: (mark: EntryMark) => void;
  /** Somebody else has added to the chain: where it goes on. */
  continueFrom: (client: pg.Client) => Promise<void>;
  /** What is newest of what calls are judged by, as of a statement that began at this time. */
  onHeads?: ((heads: Heads, began: number) => void) | undefined;
  /** What must be on disk before the records of the next statement are. */
  beforeWrite: (client: pg.Client) => Promise<void>;
}

/** Entries of one statement; a statement is one message, and PostgreSQL takes none of a gigabyte. */
const MAX_CHARACTERS = 8_388_608;
const ATTEMPTS = 4;
const RECONNECT_MS = 500;
const PAUSE_MS = 50;

/** Somebody else wrote to the same chain or record, or two waited for each other: the next attempt sees what is there. */
const RETRIED = new Set(['23505', '40001', '40P01', NOT_WHOLE]);

class LostTransaction extends Error {
  constructor(cause: unknown) {
    super('a transaction was lost', { cause });
  }
}

export function createWriter(parts: WriterParts): Writer {
  const { db, own, links, facets, session, onCheckpoint, grown } = parts;
  const open: OpenState = new WeakMap();
  /** The server has once lost what it had acknowledged: a record that is missing was not necessarily removed by retention. */
  let wentBack = false;
  let reconnecting: NodeJS.Timeout | undefined;
  let isClosed = false;
  const writes = createGroupCommit<WriteOp>({ commit, onRejected: (op) => op.failed() });

  async function commit(ops: readonly WriteOp[]): Promise<void> {
    const rest = [...ops];
    try {
      const health = db.health();
      if (!health.ok) throw new Error(health.reason);
      const blip = createBlip();
      while (rest.length > 0) await writeAll(rest).catch((cause: unknown) => rideOut(cause, rest, blip));
    } catch (cause) {
      if (isServerFailure(cause)) reconnect();
      for (const op of rest) op.failed();
      if (!(cause instanceof OtherLog)) db.reportFailure(cause);
      throw unavailable(db.place, cause);
    }
  }

  /** Takes out of `rest` what is on disk. */
  async function writeAll(rest: WriteOp[]): Promise<void> {
    const client = await session.client();
    while (rest.length > 0) {
      const first = rest[0]!;
      const taken = 'alone' in first ? [] : takeEntries(rest);
      if ('alone' in first) await runOnce(client, rest);
      else if (first.single) await writeSingle(client, first);
      else await writeEntries(client, entriesOf(taken));
      rest.splice(0, taken.length);
    }
  }

  /** A transaction of somebody else cannot be looked for, so it is never begun a second time. */
  async function runOnce(client: pg.Client, rest: WriteOp[]): Promise<void> {
    const op = rest[0] as Extract<WriteOp, { alone: unknown }>;
    try {
      await op.alone(client);
    } catch (cause) {
      throw new LostTransaction(cause);
    }
    rest.shift();
  }

  /** Returns after a pause where the next connection may do; entries whose statement is under way are looked for on it. */
  async function rideOut(cause: unknown, rest: readonly WriteOp[], blip: Blip): Promise<void> {
    const reason: unknown = cause instanceof LostTransaction ? cause.cause : cause;
    // Also the connection is given up: what becomes of the statement is found out on another one.
    if (isServerFailure(reason)) session.drop();
    links.reset();
    const isFinal = cause instanceof LostTransaction || cause instanceof OtherLog || !isServerFailure(reason);
    if (isFinal || blip.isOver(reason)) throw reason;
    for (const op of rest) if ('entry' in op) op.entry.uncertain = true;
    await sleep(PAUSE_MS);
  }

  /** An entry that the server does not take must not take others down with it, time after time. */
  async function writeSingle(
    client: pg.Client,
    { entry, failed }: { entry: PgEntry; failed: () => void },
  ): Promise<void> {
    try {
      await writeEntries(client, [entry]);
    } catch (error) {
      if (isServerFailure(error)) throw error;
      parts.log.warn({ ...logFields(entry), err: error }, 'a closed record still cannot be written');
      failed();
    }
  }

  /** Where it fails for what others did, it is looked at what is there, and what is missing is written. */
  async function writeEntries(client: pg.Client, entries: readonly PgEntry[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await parts.beforeWrite(client);
      const present = await lookForUncertain(client, entries);
      while (present.some((entry) => !facets.of(entry))) await facets.make(client, present);
      // In one go with the statement: an entry that ends while it is on its way is written again.
      for (const entry of entries) entry.queued = false;
      const group = buildGroup(present, { log: own.log, links, facets, open });
      try {
        const began = performance.now();
        const { rows } = await client.query<Heads>(group.query);
        parts.onHeads?.(rows[0]!, began);
      } catch (cause) {
        links.reset();
        if (attempt >= ATTEMPTS || !RETRIED.has(errorCode(cause))) throw cause;
        for (const entry of entries) entry.uncertain = true;
        await parts.continueFrom(client);
        continue;
      }
      stored();
      parts.committed(group.written);
      return;
    }
  }

  /** Whether an attempt that seemed to fail reached the server all the same. Gives the entries without those that retention took. */
  async function lookForUncertain(client: pg.Client, entries: readonly PgEntry[]): Promise<PgEntry[]> {
    const uncertain = entries.filter((entry) => entry.uncertain);
    if (uncertain.length === 0) return [...entries];
    const { rows } = await client.query<{ seq: number; id: string; facet_id: number }>(
      'SELECT seq, id, facet_id FROM activity WHERE log = $1 AND seq = ANY ($2::bigint[])',
      [own.log, uncertain.map(({ row }) => row.seq)],
    );
    const found = new Map(rows.map((row) => [row.id, row.facet_id]));
    const gone = new Set<PgEntry>();
    for (const entry of uncertain) {
      entry.uncertain = false;
      const facetId = found.get(entry.row.id);
      if (facetId === undefined && entry.onDisk && !wentBack) gone.add(entry);
      else entry.onDisk = facetId === undefined ? null : ((await facets.get(client, facetId)) ?? null);
    }
    return entries.filter((entry) => !gone.has(entry));
  }

  function stored(): void {
    const last = links.added.at(-1);
    const signed = links.committed();
    // First, as the checkpoint file must never be ahead of what is noted.
    if (last) grown(last);
    for (const checkpoint of signed) onCheckpoint(checkpoint);
  }

  async function runAlone<T>(client: pg.Client, work: (client: pg.Client) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query('BEGIN');
        const value = await work(client);
        if (links.added.length > 0) await client.query(LINK, [own.log, JSON.stringify(links.added)]);
        await client.query('COMMIT');
        stored();
        return value;
      } catch (cause) {
        links.reset();
        if (cause instanceof ProxyError || !isServerFailure(cause)) await client.query('ROLLBACK');
        if (attempt >= ATTEMPTS || !RETRIED.has(errorCode(cause))) throw cause;
        await parts.continueFrom(client);
      }
    }
  }

  return {
    writes,
    async write(work) {
      let outcome: { value: Awaited<ReturnType<typeof work>> } | { error: unknown } | undefined;
      const alone = async (client: pg.Client) => {
        try {
          outcome = { value: await runAlone(client, work) };
        } catch (error) {
          if (isServerFailure(error)) throw error;
          outcome = { error };
        }
      };
      await writes.add({ alone, failed: () => {} });
      if (outcome && 'value' in outcome) return outcome.value;
      throw outcome?.error;
    },
    writeAgain(entries) {
      wentBack = true;
      for (const entry of entries) {
        entry.wentBack = true;
        entry.uncertain = true;
        writeOnce(entry);
      }
    },
    reconnect,
    async close() {
      isClosed = true;
      clearTimeout(reconnecting);
      await writes.close();
      await session.close();
    },
  };

  /** Nobody waits for it; where it fails it is tried again. */
  function writeOnce(entry: PgEntry): void {
    if (isClosed || !entry.wentBack) return;
    const failed = () => {
      entry.uncertain = true;
      setTimeout(() => writeOnce(entry), RECONNECT_MS).unref();
    };
    void writes.add({ entry, again: true, failed }).catch(() => {});
  }

  function reconnect(): void {
    if (isClosed) return;
    reconnecting ??= setTimeout(() => {
      reconnecting = undefined;
      writes.add({ alone: async () => {}, failed: () => reconnect() }).catch(() => {});
    }, RECONNECT_MS).unref();
  }
}

/** From the front: entries that follow each other and fit into one statement. At least one. */
function takeEntries(ops: readonly WriteOp[]): EntryOp[] {
  const taken: EntryOp[] = [];
  let characters = 0;
  for (const op of ops) {
    if ('alone' in op || (op.single && taken.length > 0)) break;
    const { row } = op.entry;
    characters += 1000 + (row.arguments?.length ?? 0) + (row.response?.length ?? 0);
    if (taken.length > 0 && characters > MAX_CHARACTERS) break;
    taken.push(op);
    if (op.single) break;
  }
  return taken;
}

/** An entry that waits in the queue anyway is not written a second time. */
function entriesOf(ops: readonly EntryOp[]): PgEntry[] {
  const entries: PgEntry[] = [];
  for (const { again, entry } of ops) if (!again || !entry.queued) entries.push(entry);
  return entries;
}

function unavailable(place: string, cause: unknown): ProxyError {
  return new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${errorReason(cause)}); check the database ${place}`,
    { database: place },
  ).withCause(cause);
}
