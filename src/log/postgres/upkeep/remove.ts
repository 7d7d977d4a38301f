import type pg from 'pg';
import { firstHash } from '../../chain/hash-chain.ts';
import type { ActivityRow } from '../../record/row.ts';
import { type Kept, confirmed, keptAs } from '../../retention/kept.ts';
import { storeCounts } from '../write/append.ts';
import type { Chains } from '../write/chains.ts';
import { createDeltas } from '../write/deltas.ts';
import type { WriterFacets } from '../write/facets.ts';
import { type LogRef, loadBase } from '../write/own-log.ts';
import type { Writer } from '../write/writer.ts';
import { type DroppedRange, LEADING, type Leading, type RemovalLimits, leadingRange } from './leading.ts';

/** Entries per transaction. */
export const BATCH = 500;

export interface RemovalParts {
  own: LogRef;
  writer: Writer;
  facets: WriterFacets;
  chains: Chains;
}

/** Removes the beginning of one log, in one transaction. */
type RemoveSome = (log: LogRef, limits: RemovalLimits) => Promise<{ entries: number; records: number }>;

export function createRemoval({ own, writer, facets, chains }: RemovalParts): RemoveSome {
  async function find(client: pg.Client, log: LogRef, limits: RemovalLimits) {
    const { rows } = await client.query<Leading>(LEADING, [log.log, BATCH, limits.upTo]);
    const items = await withoutUntold(client, rows);
    const range = leadingRange(items, limits, items.length === BATCH);
    return range && { range, items: items.slice(0, range.entries) };
  }

  /** The records that stay, by their logs, after a comparison with the entries that go. */
  async function keptRows(
    client: pg.Client,
    log: LogRef,
    { range, items }: { range: DroppedRange; items: readonly Leading[] },
  ): Promise<Map<number, Kept[]>> {
    const byLog = new Map<number, Kept[]>();
    if (range.kept.length === 0) return byLog;
    for (const { seq, of_log: of, facet_id: id, entry } of range.kept) {
      const { rows } = await client.query<ActivityRow & { log: number }>(
        'SELECT * FROM activity WHERE seq = $1 AND log = $2 FOR UPDATE',
        [seq, of ?? log.log],
      );
      const { log: at, ...row } = rows[0]!;
      const kept = byLog.get(at) ?? [];
      byLog.set(at, kept);
      kept.push({ row, facet: (await facets.get(client, id))!, entry });
    }
    const start = (await loadBase(client, log.log))?.head ?? firstHash(log.logId);
    confirmed(start, items, [...byLog.values()].flat());
    return byLog;
  }

  async function removeRows(client: pg.Client, { log }: LogRef, { rows, last }: DroppedRange): Promise<void> {
    const places = JSON.stringify(rows.map(({ seq, of_log: of }) => ({ seq, log: of ?? log })));
    for (const table of ['activity', 'activity_text'])
      await client.query(
        `DELETE FROM ${table} WHERE (seq, log) IN (SELECT seq, log FROM json_to_recordset($1::json) AS d (seq BIGINT, log INTEGER))`,
        [places],
      );
    await client.query('DELETE FROM activity_journal WHERE log = $1 AND n <= $2', [log, last.n]);
    const deltas = createDeltas();
    for (const { ts, facet_id: id, bytes } of rows) {
      deltas.move(ts, (await facets.get(client, id)) ?? null, null);
      deltas.grow(-bytes);
    }
    await storeCounts(client, own.log, deltas);
  }

  return (log, limits) =>
    writer.write(async (client) => {
      const found = await find(client, log, limits);
      if (!found) return { entries: 0, records: 0 };
      const { range } = found;
      const kept = await keptRows(client, log, found);
      await removeRows(client, log, range);
      for (const [of, rows] of kept)
        await chains.append(client, await refOf(client, of), (links) => {
          for (const { row, facet } of rows) links.append(keptAs(row, facet.status), row, facet);
        });
      const base = await loadBase(client, log.log);
      const stone = await chains.append(client, log, (links) =>
        links.dropped({
          log: log.logId,
          n: range.last.n,
          head: range.last.hash,
          records: range.rows.length + (base?.records ?? 0),
          from: base?.from ?? range.from,
          until: range.until,
        }),
      );
      await client.query('UPDATE activity_log SET base = $2 WHERE log = $1', [
        log.log,
        JSON.stringify(stone),
      ]);
      return { entries: range.entries, records: range.rows.length };
    });
}

async function refOf(client: pg.Client, log: number): Promise<LogRef> {
  const { rows } = await client.query<{ log_id: string }>('SELECT log_id FROM activity_log WHERE log = $1', [
    log,
  ]);
  return { log, logId: rows[0]!.log_id };
}

/**
 * A log that was moved here may end records of an older one. They go once the older one does not tell of them any more, so nothing is
 * dropped from such an entry on before that.
 */
async function withoutUntold(client: pg.Client, rows: readonly Leading[]): Promise<readonly Leading[]> {
  const other = rows.filter(({ of_log: of, facet_id: id }) => of !== null && id !== null);
  if (other.length === 0) return rows;
  const { rows: told } = await client.query<{ seq: number }>(
    'SELECT seq FROM activity_journal WHERE log = ANY ($1::int[]) AND seq = ANY ($2::bigint[])',
    [other.map((row) => row.of_log), other.map(({ seq }) => seq)],
  );
  const first = rows.findIndex((row) => row.of_log !== null && told.some(({ seq }) => seq === row.seq));
  return first < 0 ? rows : rows.slice(0, first);
}
