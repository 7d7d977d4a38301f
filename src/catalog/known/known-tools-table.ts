import { sql, type ExpressionBuilder, type Transaction } from 'kysely';
import { rowParts, type Database, type KnownToolsTable, type RowSeal, type Tables } from '../../db/index.ts';
import { distrusted, fromRow, isSameRow, REPLACED, toRow } from './known-tools-row.ts';
import {
  isSameAcceptance,
  mergeLearned,
  type Acceptance,
  type KnownTool,
  type ToolKey,
} from './known-tool.ts';

/** A tool as this proxy knows it, to be merged into the table. */
export interface LearnedRow {
  key: ToolKey;
  known: KnownTool;
  /** The accepted definition as JSON; null if it is too large to keep. */
  definition?: string | null;
  accepts?: Acceptance;
}

export type KnownToolsRows = ReturnType<typeof createKnownToolsTable>;

const PAGE = 5000;
const MOST_READS = 10;

/** The known tools in the database. Rows are merged under a lock, so several proxies can learn and decide concurrently. */
export function createKnownToolsTable(db: Database, seal: RowSeal) {
  const { kysely } = db;
  const locked = db.engine === 'postgres';

  async function* all(): AsyncGenerator<KnownToolsTable[]> {
    let after = { server: '', tool: '' };
    for (;;) {
      const page = await kysely
        .selectFrom('known_tools')
        .selectAll()
        .where(sql<boolean>`(server, tool) > (${after.server}, ${after.tool})`)
        .orderBy('server')
        .orderBy('tool')
        .limit(PAGE)
        .execute();
      if (page.length > 0) yield await latest(page);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = { server: last.server, tool: last.tool };
    }
  }

  function judge(row: KnownToolsTable): StoredRow {
    const trouble = seal.trouble('known_tools', row);
    return trouble === undefined
      ? { row, isIntact: true, known: fromRow(row) }
      : { row, isIntact: false, known: distrusted(row, trouble) };
  }

  /** A row that says the same keeps its seal. */
  function sealed(key: ToolKey, known: KnownTool, before: StoredRow | undefined): KnownToolsTable {
    const row = toRow(key, known);
    if (before?.isIntact && isSameRow(before.known, known)) return { ...row, seal: before.row.seal };
    return seal.seal('known_tools', row, before?.row);
  }

  async function transaction<T>(work: (trx: Transaction<Tables>, wrote: Wrote) => Promise<T>): Promise<T> {
    const written: KnownToolsTable[] = [];
    const result = await kysely.transaction().execute((trx) => work(trx, (rows) => written.push(...rows)));
    for (const row of written) seal.stored('known_tools', row);
    return result;
  }

  /** Returns the rows as stored, in the same order. */
  function learn(some: readonly LearnedRow[]): Promise<KnownTool[]> {
    return transaction(async (trx, wrote) => {
      const first = some.map(({ key, known }) => sealed(key, known, undefined));
      const fresh = await insertNew(trx, first);
      wrote(first.filter((row) => fresh.has(idOf(row))));
      const rest = some.filter(({ key }) => !fresh.has(idOf(key)));
      const stored = await lockRows(
        trx,
        rest.map(({ key }) => key),
        locked,
      );
      const judged = new Map([...stored].map(([id, row]) => [id, judge(row)]));
      const before = ({ key }: LearnedRow) => judged.get(idOf(key));
      const merged = new Map(rest.map((each) => [idOf(each.key), merge(each, before(each))]));
      const rows = rest.map((each) => sealed(each.key, merged.get(idOf(each.key))!, before(each)));
      await replaceRows(trx, rows);
      wrote(rows);
      const result = some.map(({ key, known }) => merged.get(idOf(key)) ?? known);
      await keepDefinitions(
        trx,
        some.filter(({ known }, i) => isSameAcceptance(result[i]!, known)),
      );
      return result;
    });
  }

  /** Applies one decision of the operator to the stored row. `notify` informs the other proxies within the transaction. */
  function change(
    key: ToolKey,
    decide: (stored: KnownTool | undefined) => { known: KnownTool; definition?: string | null },
    { initial, notify }: { initial: KnownTool; notify: (trx: Transaction<Tables>) => Promise<void> },
  ): Promise<KnownTool> {
    return transaction(async (trx, wrote) => {
      const first = sealed(key, initial, undefined);
      const fresh = await insertNew(trx, [first]);
      const stored = fresh.size > 0 ? undefined : (await lockRows(trx, [key], locked)).get(idOf(key));
      const { known, definition } = decide(stored && judge(stored).known);
      const row = seal.seal('known_tools', toRow(key, known), stored ?? first);
      await replaceRows(trx, [row]);
      wrote([row]);
      await keepDefinitions(trx, [{ key, known, ...(definition !== undefined && { definition }) }]);
      await notify(trx);
      return known;
    });
  }

  async function definition({ server, tool }: ToolKey): Promise<string | null> {
    const row = await kysely
      .selectFrom('accepted_definitions')
      .select('definition')
      .where('server', '=', server)
      .where('tool', '=', tool)
      .executeTakeFirst();
    return row?.definition ?? null;
  }

  async function read(keys: readonly ToolKey[]): Promise<KnownToolsTable[]> {
    return keys.length === 0 ? [] : latest(await select(keys));
  }

  const select = (keys: readonly ToolKey[]) =>
    kysely.selectFrom('known_tools').selectAll().where(isOneOf(keys)).execute();

  /** Without rows that were read right before they changed: those are read again. One that stays the same was put back. */
  async function latest(rows: KnownToolsTable[]): Promise<KnownToolsTable[]> {
    let newest = rows;
    for (let reads = 0, isSame = false; reads < MOST_READS && !isSame; reads++) {
      const older = newest.filter((row) => seal.isOlder('known_tools', row));
      if (older.length === 0) break;
      const again = new Map((await select(older)).map((row) => [idOf(row), row]));
      isSame = older.every((row) => again.get(idOf(row))?.seal === row.seal);
      newest = newest.map((row) => again.get(idOf(row)) ?? row);
    }
    return newest;
  }

  return {
    all,
    learn,
    change,
    read,
    definition,
    knownOf: (row: KnownToolsTable) => judge(row).known,
    /** Tools whose row is gone. */
    deleted: (isPresent: (key: ToolKey) => boolean) =>
      seal
        .deleted('known_tools', (name) => isPresent(keyOf(name)))
        .map(({ row, trouble }) => ({ key: keyOf(row), trouble })),
  };
}

/** `known`: what it says, where its seal holds. */
interface StoredRow {
  row: KnownToolsTable;
  isIntact: boolean;
  known: KnownTool;
}

function merge({ known, accepts }: LearnedRow, stored: StoredRow | undefined): KnownTool {
  return stored ? mergeLearned(known, stored.known, accepts) : known;
}

/** Rows that a transaction has written. */
type Wrote = (rows: readonly KnownToolsTable[]) => void;

async function insertNew(trx: Transaction<Tables>, rows: KnownToolsTable[]): Promise<Set<string>> {
  const inserted = await trx
    .insertInto('known_tools')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['server', 'tool']).doNothing())
    .returning(['server', 'tool'])
    .execute();
  return new Set(inserted.map(idOf));
}

/** Locks in the order of the key, so that concurrent proxies cannot deadlock. SQLite runs one write transaction at a time and needs no row lock. */
async function lockRows(
  trx: Transaction<Tables>,
  keys: readonly ToolKey[],
  locked: boolean,
): Promise<Map<string, KnownToolsTable>> {
  if (keys.length === 0) return new Map();
  const rows = await trx
    .selectFrom('known_tools')
    .selectAll()
    .where(isOneOf(keys))
    .orderBy('server')
    .orderBy('tool')
    .$if(locked, (query) => query.forUpdate())
    .execute();
  return new Map(rows.map((row) => [idOf(row), row]));
}

async function replaceRows(trx: Transaction<Tables>, rows: KnownToolsTable[]): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('known_tools')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['server', 'tool'])
        .doUpdateSet((eb) =>
          Object.fromEntries(REPLACED.map((column) => [column, eb.ref(`excluded.${column}`)])),
        ),
    )
    .execute();
}

async function keepDefinitions(trx: Transaction<Tables>, some: readonly LearnedRow[]): Promise<void> {
  const rows = some.flatMap(({ key: { server, tool }, definition }) =>
    definition === undefined ? [] : [{ server, tool, definition }],
  );
  if (rows.length === 0) return;
  await trx
    .insertInto('accepted_definitions')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['server', 'tool'])
        .doUpdateSet((eb) => ({ definition: eb.ref('excluded.definition') })),
    )
    .execute();
}

/** Grouped by server, with one list of names each, because both engines then use the primary key. */
function isOneOf(keys: readonly ToolKey[]) {
  const servers = [...new Set(keys.map(({ server }) => server))];
  return (eb: ExpressionBuilder<Tables, 'known_tools'>) =>
    eb.or(
      servers.map((server) =>
        eb.and([
          eb('server', '=', server),
          eb(
            'tool',
            'in',
            keys.filter((key) => key.server === server).map(({ tool }) => tool),
          ),
        ]),
      ),
    );
}

function keyOf(name: string): ToolKey {
  const [server, tool] = rowParts(name);
  return { server, tool };
}

export function idOf({ server, tool }: ToolKey): string {
  return JSON.stringify([server, tool]);
}
