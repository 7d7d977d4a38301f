import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { StoredFacet } from '../../record/entry.ts';
import { type ActivityRow, COLUMNS } from '../../record/row.ts';
import { WORD } from '../write/append.ts';
import type { WriterFacets } from '../write/facets.ts';
import { RETENTION, acquireTransactionLock } from '../write/locks.ts';
import { WORDS_VERSION } from '../read/plan.ts';
import { indexedWords } from '../write/words.ts';

interface ReindexParts {
  pool: pg.Pool;
  facets: Pick<WriterFacets, 'get'>;
}

type Found = ActivityRow & { log: number };

const BATCH = 500;
/** So many times as long as a batch took, the server and this process are left to others. */
const SHARE_OF_OTHERS = 3;
const BUSY_MS = 1000;

/**
 * Reindexes records of earlier versions, newest first, so that a search by caller finds them too. Proxies that share the database take
 * turns by batches, and continue where the last one ended. Until then the index is not used for values that it may not contain.
 */
export async function reindexAll(parts: ReindexParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    const step = await reindexSome(parts);
    if (step === 'done') return;
    const rest = step === 'busy' ? BUSY_MS : SHARE_OF_OTHERS * (performance.now() - began);
    // Rejects only when the signal ends the loop.
    await pause(rest, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function reindexSome({ pool, facets }: ReindexParts): Promise<'done' | 'busy' | 'more'> {
  const form = await stateOf(pool, 'words_form');
  if (form === undefined || form >= WORDS_VERSION) return 'done';
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    // Also keeps retention from taking records away that are being looked at.
    const ours = await acquireTransactionLock(client, RETENTION);
    const step = ours ? await reindexBatch(client, facets) : 'busy';
    await client.query('COMMIT');
    broken = false;
    return step;
  } finally {
    // Ends the transaction, where it was not committed.
    client.release(broken);
  }
}

async function reindexBatch(client: pg.PoolClient, facets: ReindexParts['facets']): Promise<'done' | 'more'> {
  const before = (await stateOf(client, 'words_at')) ?? Number.MAX_SAFE_INTEGER;
  const { rows: found } = await client.query<{ first: number | null }>(
    'SELECT min(seq) AS first FROM (SELECT seq FROM activity WHERE seq < $1 ORDER BY seq DESC LIMIT $2) AS batch',
    [before, BATCH],
  );
  const first = found[0]!.first;
  if (first === null) {
    await saveState(client, 'words_form', WORDS_VERSION);
    return 'done';
  }
  // A record that ends meanwhile waits until its words are written, and then writes its own.
  const { rows } = await client.query<Found>(
    `SELECT log, ${COLUMNS.join()} FROM activity WHERE seq >= $1 AND seq < $2 FOR UPDATE`,
    [first, before],
  );
  for (const log of new Set(rows.map((row) => row.log))) {
    const words: object[] = [];
    for (const row of rows.filter((each) => each.log === log)) {
      const facet: StoredFacet | undefined = await facets.get(client, row.facet_id);
      if (facet) words.push({ seq: row.seq, words: indexedWords(row, facet) });
    }
    await client.query(WORD, [log, JSON.stringify(words)]);
  }
  await saveState(client, 'words_at', first);
  return 'more';
}

type Queryable = Pick<pg.ClientBase, 'query'>;

async function stateOf(client: Queryable, key: string): Promise<number | undefined> {
  const { rows } = await client.query<{ value: number }>('SELECT value FROM activity_state WHERE key = $1', [
    key,
  ]);
  return rows[0]?.value;
}

async function saveState(client: Queryable, key: string, value: number): Promise<void> {
  await client.query(
    'INSERT INTO activity_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [key, value],
  );
}
