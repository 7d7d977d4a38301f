import { sql, type Transaction } from 'kysely';
import type { AnyDatabase, Engine } from '../any-database.ts';
import type { Tables } from '../schema.ts';
import {
  isMarkedSealed,
  keyId,
  keyMissing,
  markSealed,
  newRowKey,
  readRowKeys,
  writeRowKey,
} from './row-key.ts';
import { createRowSeal, type BrokenRow, type RowSeal } from './row-seal.ts';
import { SEALED, SEALED_TABLES, type SealedRow, type SealedTable } from './sealed-columns.ts';
import { openSeenVersions } from './seen-versions.ts';
import { createToldVersions, type ToldVersionsParts } from './told-versions.ts';

export interface OpenRowSealParts {
  db: Pick<AnyDatabase, 'kysely' | 'place'> & { engine: Engine };
  dataDir: string;
  now: () => number;
  report: (broken: BrokenRow) => void;
  /** Present in a proxy that shares its database with others. */
  shared?: Pick<ToldVersionsParts, 'db' | 'log'> | undefined;
}

export interface OpenedRowSeal {
  seal: RowSeal;
  /** Rows from before there were seals, which were sealed now. Empty at every later start. */
  sealedNow: Partial<Record<SealedTable, number>>;
  close: () => void;
}

/**
 * Finds the key of the data directory, or makes it at the first start. Rows that an earlier version left are sealed once: only while both
 * the database and the data directory say that it has not happened.
 */
export async function openRowSeal({
  db,
  dataDir,
  now,
  report,
  shared,
}: OpenRowSealParts): Promise<OpenedRowSeal> {
  const { kysely, place, engine } = db;
  const found = readRowKeys(dataDir);
  const keys = found ?? [newRowKey()];
  const ids = keys.map(keyId);
  const seen = openSeenVersions(dataDir, now);
  const seal = createRowSeal({
    keys,
    seen,
    place,
    report,
    ...(shared && { others: (texts) => createToldVersions({ ...shared, seen, ...texts }) }),
  });

  /** Makes the first key the one of the rows, and seals what is there where that has never happened. */
  async function claim(trx: Transaction<Tables>): Promise<OpenedRowSeal['sealedNow']> {
    const before = await lockClaim(trx);
    if (before === ids[0]) return {};
    // Where the database does not name a key although it must, somebody has removed it: that opens no way to new seals.
    const isOurs = before === undefined ? found !== undefined : before === null || ids.includes(before);
    if (!isOurs) throw keyMissing(dataDir, place);
    await setClaim(trx, ids[0]!, before);
    return before === null && !isMarkedSealed(dataDir, engine) ? sealUnsealed(trx, seal) : {};
  }

  const close = () => {
    seal.close();
    seen.close();
  };
  const forget = found ? () => {} : writeRowKey(dataDir, keys[0]!);
  try {
    const sealedNow = await kysely.transaction().execute(claim);
    markSealed(dataDir, engine);
    return { seal, sealedNow, close };
  } catch (error) {
    forget();
    close();
    throw error;
  }
}

/**
 * The key of the rows. Null: there is none yet. Undefined: the database does not say. The write makes proxies that start together take
 * turns.
 */
async function lockClaim(trx: Transaction<Tables>): Promise<string | null | undefined> {
  const row = await trx
    .updateTable('row_key')
    .set((of) => ({ key_id: of.ref('key_id') }))
    .where('id', '=', 1)
    .returning('key_id')
    .executeTakeFirst();
  return row?.key_id;
}

async function setClaim(
  trx: Transaction<Tables>,
  own: string,
  before: string | null | undefined,
): Promise<void> {
  if (before === undefined) await trx.insertInto('row_key').values({ id: 1, key_id: own }).execute();
  else await trx.updateTable('row_key').set({ key_id: own }).where('id', '=', 1).execute();
}

const PAGE = 500;

async function sealUnsealed(trx: Transaction<Tables>, seal: RowSeal): Promise<OpenedRowSeal['sealedNow']> {
  const counts: OpenedRowSeal['sealedNow'] = {};
  for (const table of SEALED_TABLES) {
    const count = await sealTable(trx, seal, table);
    if (count > 0) counts[table] = count;
  }
  return counts;
}

async function sealTable(trx: Transaction<Tables>, seal: RowSeal, table: SealedTable): Promise<number> {
  const key: readonly string[] = SEALED[table].key;
  for (let count = 0; ;) {
    const { rows } = await sql<
      SealedRow<SealedTable>
    >`SELECT * FROM ${sql.table(table)} WHERE seal IS NULL LIMIT ${PAGE}`.execute(trx);
    if (rows.length === 0) return count;
    for (const row of rows) {
      const same = key.map(
        (column) => sql`${sql.ref(column)} = ${(row as unknown as Record<string, unknown>)[column]}`,
      );
      await sql`UPDATE ${sql.table(table)} SET seal = ${seal.seal(table, row).seal} WHERE ${sql.join(same, sql` AND `)}`.execute(
        trx,
      );
    }
    count += rows.length;
  }
}
