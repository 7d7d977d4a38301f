import { sql, type ExpressionBuilder, type Transaction } from 'kysely';
import type { Database, KnownToolsTable, Tables } from '../../db/index.ts';
import { fromRow, REPLACED, toRow } from './known-tools-row.ts';
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

/** The known tools in the database. Rows are merged under a lock, so several proxies can learn and decide concurrently. */
export function createKnownToolsTable(db: Database) {
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
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = { server: last.server, tool: last.tool };
    }
  }

  /** Returns the rows as stored, in the same order. */
  function learn(some: readonly LearnedRow[]): Promise<KnownTool[]> {
    return kysely.transaction().execute(async (trx) => {
      const fresh = await insertNew(trx, some);
      const rest = some.filter(({ key }) => !fresh.has(idOf(key)));
      const stored = await lockRows(
        trx,
        rest.map(({ key }) => key),
        locked,
      );
      const merged = new Map(rest.map((each) => [idOf(each.key), merge(each, stored.get(idOf(each.key)))]));
      await replaceRows(
        trx,
        rest.map(({ key }) => toRow(key, merged.get(idOf(key))!)),
      );
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
    return kysely.transaction().execute(async (trx) => {
      const fresh = await insertNew(trx, [{ key, known: initial }]);
      const stored = fresh.size > 0 ? undefined : (await lockRows(trx, [key], locked)).get(idOf(key));
      const { known, definition } = decide(stored);
      await replaceRows(trx, [toRow(key, known)]);
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
    return keys.length === 0
      ? []
      : kysely.selectFrom('known_tools').selectAll().where(isOneOf(keys)).execute();
  }

  return { all, learn, change, read, definition };
}

function merge({ known, accepts }: LearnedRow, stored: KnownTool | undefined): KnownTool {
  return stored ? mergeLearned(known, stored, accepts) : known;
}

async function insertNew(trx: Transaction<Tables>, some: readonly LearnedRow[]): Promise<Set<string>> {
  const inserted = await trx
    .insertInto('known_tools')
    .values(some.map(({ key, known }) => toRow(key, known)))
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
): Promise<Map<string, KnownTool>> {
  if (keys.length === 0) return new Map();
  const rows = await trx
    .selectFrom('known_tools')
    .selectAll()
    .where(isOneOf(keys))
    .orderBy('server')
    .orderBy('tool')
    .$if(locked, (query) => query.forUpdate())
    .execute();
  return new Map(rows.map((row) => [idOf(row), fromRow(row)]));
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

export function idOf({ server, tool }: ToolKey): string {
  return JSON.stringify([server, tool]);
}
