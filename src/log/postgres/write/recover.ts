import type pg from 'pg';
import type { PostgresDatabase } from '../../../db/index.ts';
import type { StoredFacet } from '../../record/entry.ts';
import { ABANDONED } from '../../chain/recover.ts';
import { keyText } from '../../counts/facets.ts';
import type { ActivityRow } from '../../record/row.ts';
import { storeCounts, WORD } from './append.ts';
import type { Chains } from './chains.ts';
import { createDeltas, type Deltas } from './deltas.ts';
import type { WriterFacets } from './facets.ts';
import { lockHolders, acquireTransactionLock } from './locks.ts';
import type { LogRef } from './own-log.ts';
import { indexedWords } from './words.ts';
import type { Writer } from './writer.ts';

export interface RecoverParts {
  db: PostgresDatabase;
  own: LogRef;
  writer: Writer;
  facets: WriterFacets;
  chains: Chains;
  /** For how long a log must have been without its writer before others settle what it left open. */
  graceMs: number;
}

export interface Recovery {
  /** What our own log was left with by an earlier run; gives the number of records. */
  own(): Promise<number>;
  /** The same for logs whose writer has been gone for a while. */
  others(): Promise<number>;
}

interface Move {
  from: StoredFacet;
  to: StoredFacet;
}

interface Settled {
  closed: Array<{ row: ActivityRow; facet: StoredFacet }>;
  deltas: Deltas;
}

const BATCH = 200;

/** Records that a writer which is gone has left open: nobody will close them any more. */
export function createRecovery(parts: RecoverParts): Recovery {
  const { db, own, writer, facets, chains, graceMs } = parts;
  const freeSince = new Map<number, number>();

  async function settle(log: LogRef): Promise<number> {
    let total = 0;
    for (;;) {
      const moves = await planMoves(log);
      if (moves.length === 0) return total;
      const settled = await writer.write((client) => settleSome(client, log, moves));
      if (settled === undefined) continue;
      if (settled === 0) return total;
      total += settled;
    }
  }

  /** Facets are made before the transaction: one that is rolled back must not take them along. */
  async function planMoves(log: LogRef): Promise<Move[]> {
    const { rows } = await db.pool.query<{ facet_id: number }>(
      `SELECT DISTINCT a.facet_id FROM activity_facet f JOIN activity a ON a.facet_id = f.id
       WHERE f.status = 'pending' AND a.log = $1`,
      [log.log],
    );
    const moves = [];
    for (const { facet_id: id } of rows) {
      const from = (await facets.get(db.pool, id))!;
      moves.push({ from, to: await facets.unknownLike(db.pool, from) });
    }
    return moves;
  }

  /** The server that has them may be gone. */
  async function areThere(client: pg.Client, moves: readonly Move[]): Promise<boolean> {
    for (const { to } of moves) {
      const found = await facets.get(client, to.id);
      if (!found || keyText(found, found.unlisted) !== keyText(to, to.unlisted)) return false;
    }
    return true;
  }

  /** Undefined where the facets must be made again. */
  async function settleSome(
    client: pg.Client,
    log: LogRef,
    moves: readonly Move[],
  ): Promise<number | undefined> {
    if (!(await areThere(client, moves))) return undefined;
    if (log.log !== own.log && !(await acquireTransactionLock(client, log.log))) return 0;
    const { rows } = await client.query<ActivityRow>(
      `SELECT * FROM activity WHERE facet_id = ANY ($1::int[]) AND log = $2 ORDER BY seq LIMIT ${BATCH} FOR UPDATE`,
      [moves.map(({ from }) => from.id), log.log],
    );
    if (rows.length === 0) return 0;
    const deltas = createDeltas();
    const closed = rows.map((row) => {
      const { from, to } = moves.find((move) => move.from.id === row.facet_id)!;
      deltas.move(row.ts, from, to);
      deltas.grow(Buffer.byteLength(ABANDONED));
      const error = { error_code: 'OUTCOME_UNKNOWN', error_message: ABANDONED };
      return { row: { ...row, ...error, facet_id: to.id }, facet: to };
    });
    await store(client, log, { closed, deltas });
    return rows.length;
  }

  async function store(client: pg.Client, log: LogRef, { closed, deltas }: Settled): Promise<void> {
    const changes = closed.map(({ row: { seq, facet_id } }) => ({ seq, facet_id }));
    await client.query(
      `UPDATE activity a SET facet_id = c.facet_id, error_code = 'OUTCOME_UNKNOWN', error_message = $3
       FROM json_to_recordset($2::json) AS c (seq BIGINT, facet_id INTEGER) WHERE a.seq = c.seq AND a.log = $1`,
      [log.log, JSON.stringify(changes), ABANDONED],
    );
    const words = closed.map(({ row, facet }) => ({ seq: row.seq, words: indexedWords(row, facet) }));
    await client.query(WORD, [log.log, JSON.stringify(words)]);
    await storeCounts(client, own.log, deltas);
    await chains.append(client, log, (links) => {
      for (const { row, facet } of closed) links.append('recovered', row, facet);
    });
  }

  /** Logs with open records and without a writer. */
  async function abandoned(): Promise<LogRef[]> {
    const { rows } = await db.pool.query<{ log: number; log_id: string }>(
      `SELECT log, log_id FROM activity_log WHERE log <> $1 AND incoming = 0 AND log IN (
         SELECT a.log FROM activity_facet f JOIN activity a ON a.facet_id = f.id WHERE f.status = 'pending')`,
      [own.log],
    );
    if (rows.length === 0) return [];
    const held = await lockHolders(db.pool);
    return rows.filter(({ log }) => !held.has(log)).map(({ log, log_id: logId }) => ({ log, logId }));
  }

  return {
    own: () => settle(own),
    async others() {
      const now = performance.now();
      const logs = await abandoned();
      for (const log of freeSince.keys()) if (!logs.some((each) => each.log === log)) freeSince.delete(log);
      let total = 0;
      for (const log of logs) {
        const since = freeSince.get(log.log) ?? now;
        freeSince.set(log.log, since);
        if (now - since >= graceMs) total += await settle(log);
      }
      return total;
    },
  };
}
