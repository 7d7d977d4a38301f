import type pg from 'pg';
import {
  errorCode,
  createGroupCommit,
  isServerFailure,
  errorReason,
  type GroupCommit,
  type PostgresDatabase,
} from '../../../db/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { logFields } from '../../record/entry.ts';
import type { Checkpoint, Links } from '../../chain/hash-chain.ts';
import { LINK, NOT_WHOLE } from './append.ts';
import type { WriterFacets } from './facets.ts';
import { buildGroup, type OpenState, type PgEntry, type Written } from './group.ts';
import { loadHead, type LogRef } from './own-log.ts';
import type { Session } from './session.ts';

/** An entry to be written with its group, or alone where it may be the one that spoils the group; or work in a transaction of its own. */
export type WriteOp =
  | { entry: PgEntry; single?: boolean; failed: () => void }
  | { alone: (client: pg.Client) => Promise<void>; failed: () => void };

export interface Writer {
  readonly writes: GroupCommit<WriteOp>;
  /** Runs a separate transaction between the groups. When it fails, only its caller gets the error. Its chain entries are stored with it. */
  write<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
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
  /** Something was added to the chain, up to this position. */
  grown: (n: number) => void;
  /** What must be on disk before the records of the next statement are. */
  beforeWrite: (client: pg.Client) => Promise<void>;
}

/** Entries of one statement; a statement is one message, and PostgreSQL takes none of a gigabyte. */
const MAX_CHARACTERS = 8_388_608;
const ATTEMPTS = 4;

/** Somebody else wrote to the same chain or record, or two waited for each other: the next attempt sees what is there. */
const RETRIED = new Set(['23505', '40001', '40P01', NOT_WHOLE]);

export function createWriter(parts: WriterParts): Writer {
  const { db, own, links, facets, session, onCheckpoint, grown } = parts;
  const open: OpenState = new WeakMap();
  const writes = createGroupCommit<WriteOp>({ commit, onRejected: (op) => op.failed() });

  async function commit(ops: readonly WriteOp[]): Promise<void> {
    const rest = [...ops];
    try {
      const health = db.health();
      if (!health.ok) throw new Error(health.reason);
      const client = await session.client();
      while (rest.length > 0) {
        const first = rest[0]!;
        const entries = 'alone' in first ? [] : takeEntries(rest);
        if ('alone' in first) await first.alone(client);
        else if (first.single) await writeSingle(client, first);
        else await writeEntries(client, entries);
        rest.splice(0, Math.max(1, entries.length));
      }
    } catch (cause) {
      // Also the connection is given up: what becomes of the statement is found out on another one.
      if (isServerFailure(cause)) session.drop();
      links.reset();
      for (const op of rest) op.failed();
      db.reportFailure(cause);
      throw unavailable(db.place, cause);
    }
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
        await client.query(group.query);
      } catch (cause) {
        links.reset();
        if (attempt >= ATTEMPTS || !RETRIED.has(errorCode(cause))) throw cause;
        for (const entry of entries) entry.uncertain = true;
        links.reset(await loadHead(client, own));
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
      if (facetId === undefined && entry.onDisk) gone.add(entry);
      else entry.onDisk = facetId === undefined ? null : ((await facets.get(client, facetId)) ?? null);
    }
    return entries.filter((entry) => !gone.has(entry));
  }

  function stored(): void {
    const last = links.added.at(-1);
    for (const checkpoint of links.committed()) onCheckpoint(checkpoint);
    if (last) grown(last.n);
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
        links.reset(await loadHead(client, own));
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
      await writes.add({ alone, failed: () => {} }, 'now');
      if (outcome && 'value' in outcome) return outcome.value;
      throw outcome?.error;
    },
    async close() {
      await writes.close();
      await session.close();
    },
  };
}

/** From the front: entries that follow each other and fit into one statement. At least one. */
function takeEntries(ops: readonly WriteOp[]): PgEntry[] {
  const entries: PgEntry[] = [];
  let characters = 0;
  for (const op of ops) {
    if ('alone' in op || (op.single && entries.length > 0)) break;
    const { row } = op.entry;
    characters += 1000 + (row.arguments?.length ?? 0) + (row.response?.length ?? 0);
    if (entries.length > 0 && characters > MAX_CHARACTERS) break;
    entries.push(op.entry);
    if (op.single) break;
  }
  return entries;
}

function unavailable(place: string, cause: unknown): ProxyError {
  return new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${errorReason(cause)}); check the database ${place}`,
    { database: place },
  ).withCause(cause);
}
