import { sql, type Transaction } from 'kysely';
import type { AnyDatabase, RowSeal, Tables, TokensTable } from '../db/index.ts';

export interface TokenStore {
  /** Changes with every change of a token. */
  revision(): Promise<number>;
  all(): Promise<TokensTable[]>;
  /** `name`: an unrevoked token of this name exists. `full`: the limit is reached. */
  insert(row: TokensTable): Promise<'done' | 'name' | 'full'>;
  /** Also revokes the token of this name, and returns its id. Both or neither. */
  replace(row: TokensTable): Promise<{ replaced: string | undefined } | 'full'>;
  /** False where the token is already revoked, or does not exist. */
  revoke(id: string, by: string, at: string): Promise<boolean>;
  /** Stores when tokens were last used, by id. An older time never replaces a newer one of another proxy. */
  saveLastUsed(used: ReadonlyMap<string, string>): Promise<void>;
  /** The last tool call over MCP with the operator's key. */
  lastOperatorCall(): Promise<number | null>;
  saveOperatorCall(at: number): Promise<void>;
}

export const MAX_TOKENS = 1000;
/** Revoked tokens are kept so that a request with one gets the reason. */
const MAX_REVOKED = 1000;

/** On either engine. Each change increments the revision in its own transaction. */
export function createTokenStore({ kysely }: Pick<AnyDatabase, 'kysely'>, seal: RowSeal): TokenStore {
  const stateOf = (key: string) => kysely.selectFrom('token_state').select('value').where('key', '=', key);
  // Asked twice a second, so it is made once.
  const readRevision = stateOf('revision').compile();
  const readAll = () => kysely.selectFrom('tokens').selectAll().orderBy('id').execute();

  /** Runs a change, and remembers the versions that it has written once they are stored. */
  async function change<T>(
    work: (tx: Transaction<Tables>, write: (row: TokensTable) => void) => Promise<T>,
  ): Promise<T> {
    const written: TokensTable[] = [];
    const result = await kysely.transaction().execute(async (tx) => {
      await incrementRevision(tx);
      return work(tx, (row) => void written.push(row));
    });
    for (const row of written) seal.stored('tokens', row);
    return result;
  }

  /** Revokes a row as it is: also one that was changed by somebody else ends here. */
  async function end(tx: Transaction<Tables>, row: TokensTable, { by, at }: { by: string; at: string }) {
    const ended = seal.seal('tokens', { ...row, revoked_at: at, revoked_by: by }, row);
    const { revoked_at, revoked_by, seal: made } = ended;
    await tx
      .updateTable('tokens')
      .set({ revoked_at, revoked_by, seal: made })
      .where('id', '=', row.id)
      .execute();
    return ended;
  }

  return {
    async revision() {
      const { rows } = await kysely.executeQuery(readRevision);
      return rows[0]?.value ?? 0;
    },
    async all() {
      const rows = await readAll();
      // An answer may arrive after that of a later change; where a row is the same again, somebody has put it back.
      return rows.some((row) => seal.isOlder('tokens', row)) ? readAll() : rows;
    },
    insert: (row) =>
      change(async (tx) => {
        if ((await countUsable(tx)) >= MAX_TOKENS) return 'full';
        const { numInsertedOrUpdatedRows: inserted } = await tx
          .insertInto('tokens')
          .values(seal.seal('tokens', row))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return inserted === 1n ? 'done' : 'name';
      }),

    replace: (row) =>
      change(async (tx, written) => {
        const replaced = await unrevoked(tx).where('name', '=', row.name).executeTakeFirst();
        if (replaced) written(await end(tx, replaced, { by: row.created_by, at: row.created_at }));
        if ((await countUsable(tx)) >= MAX_TOKENS) return 'full';
        await tx.insertInto('tokens').values(seal.seal('tokens', row)).execute();
        await deleteOldestRevoked(tx);
        return { replaced: replaced?.id };
      }),

    revoke: (id, by, at) =>
      change(async (tx, written) => {
        const found = await unrevoked(tx).where('id', '=', id).executeTakeFirst();
        if (found) written(await end(tx, found, { by, at }));
        await deleteOldestRevoked(tx);
        return found !== undefined;
      }),

    saveLastUsed: (used) =>
      kysely.transaction().execute(async (tx) => {
        for (const [id, at] of used) {
          await tx
            .updateTable('tokens')
            .set({ last_used_at: at })
            .where('id', '=', id)
            .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
            .execute();
        }
      }),
    async lastOperatorCall() {
      const row = await stateOf('operator_mcp_at').executeTakeFirst();
      return row?.value ?? null;
    },
    async saveOperatorCall(at) {
      await kysely
        .insertInto('token_state')
        .values({ key: 'operator_mcp_at', value: at })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ value: at }).where('token_state.value', '<', at),
        )
        .execute();
    },
  };
}

const unrevoked = (tx: Transaction<Tables>) =>
  tx.selectFrom('tokens').selectAll().where('revoked_at', 'is', null);

/** Called first: on PostgreSQL the lock of the row serialises the changes of several proxies. */
async function incrementRevision(tx: Transaction<Tables>): Promise<void> {
  await tx
    .updateTable('token_state')
    .set({ value: sql`value + 1` })
    .where('key', '=', 'revision')
    .execute();
}

async function countUsable(tx: Transaction<Tables>): Promise<number> {
  const { n } = await tx
    .selectFrom('tokens')
    .select((row) => row.fn.countAll().as('n'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

async function deleteOldestRevoked(tx: Transaction<Tables>): Promise<void> {
  await tx
    .deleteFrom('tokens')
    .where('revoked_at', 'is not', null)
    .where('id', 'not in', (rows) =>
      rows
        .selectFrom('tokens')
        .select('id')
        .where('revoked_at', 'is not', null)
        .orderBy('revoked_at', 'desc')
        .limit(MAX_REVOKED),
    )
    .execute();
}
