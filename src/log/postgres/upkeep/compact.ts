import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Deleted rows leave free room inside the files. This moves the rows at the end of a table into that room, some blocks at a time, so that
 * VACUUM can cut the end off. A row is locked for the moment of its slice; rows that somebody else has locked are left for the next round.
 */
export interface CompactOptions {
  client: pg.Client;
  signal: AbortSignal;
  /** The table, and an assignment that writes all of a row again, also what is stored outside of it. */
  table: string;
  rewrite: string;
  /** Rounds end here, by the monotonic clock; the next run goes on. */
  deadline: number;
}

/** Blocks per statement: 2 MB, and what is stored outside of their rows. */
const SLICE = 256;
/** A round moves this part of the file, then cuts it off. */
const ROUND = 1 / 6;
/** Of the blocks of a round. If fewer are freed, the room in front is used up. */
const LEAST_FREED = 0.3;

/** Returns whether it has come to an end, rather than to the deadline. */
export async function compact(options: CompactOptions): Promise<boolean> {
  const { client, table, signal, deadline } = options;
  await vacuum(options);
  for (;;) {
    const blocks = await blocksOf(client, table);
    const wanted = Math.max(1, Math.floor(blocks * ROUND));
    for (let end = blocks; end > blocks - wanted; end -= SLICE) {
      if (signal.aborted || performance.now() > deadline) return false;
      const began = performance.now();
      await moveSlice(options, Math.max(end - SLICE, blocks - wanted), end);
      // Half of the time is for others.
      await pause(Math.min(1_000, performance.now() - began));
    }
    await vacuum(options);
    if (blocks - (await blocksOf(client, table)) < wanted * LEAST_FREED) return true;
  }
}

/** What others hold is skipped, so that nobody waits for this while it waits for them. */
async function moveSlice(
  { client, table, rewrite }: CompactOptions,
  from: number,
  end: number,
): Promise<void> {
  await client.query(
    `UPDATE ${table} SET ${rewrite} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ctid >= '(${from},0)'::tid AND ctid < '(${end},0)'::tid FOR UPDATE SKIP LOCKED))`,
  );
}

/** Cuts the end off if nobody else uses the table in that moment; that needs a lock for some milliseconds. */
const vacuum = ({ client, table }: CompactOptions) =>
  client.query(`VACUUM (TRUNCATE, INDEX_CLEANUP ON) ${table}`);

async function blocksOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ blocks: number }>(
    `SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 AS blocks`,
    [table],
  );
  return rows[0]!.blocks;
}
