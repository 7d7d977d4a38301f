import { sql, type Transaction } from 'kysely';
import type { AnyDatabase, Tables, TokensTable } from '../db/index.ts';

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
export function createTokenStore({ kysely }: Pick<AnyDatabase, 'kysely'>): TokenStore {
  return {
    async revision() {
      return (await state('revision')) ?? 0;
    },
    all: () => kysely.selectFrom('tokens').selectAll().orderBy('id').execute(),
    insert: (row) =>
      kysely.transaction().execute(async (tx) => {
        await incrementRevision(tx);
        if ((await countUsable(tx)) >= MAX_TOKENS) return 'full';
        const { numInsertedOrUpdatedRows: inserted } = await tx
          .insertInto('tokens')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return inserted === 1n ? 'done' : 'name';
      }),
    replace: (row) =>
      kysely.transaction().execute(async (tx) => {
        await incrementRevision(tx);
        const replaced = await tx
          .updateTable('tokens')
          .set({ revoked_at: row.created_at, revoked_by: row.created_by })
          .where('name', '=', row.name)
          .where('revoked_at', 'is', null)
          .returning('id')
          .executeTakeFirst();
        if ((await countUsable(tx)) >= MAX_TOKENS) return 'full';
        await tx.insertInto('tokens').values(row).execute();
        await deleteOldestRevoked(tx);
        return { replaced: replaced?.id };
      }),
    revoke: (id, by, at) =>
      kysely.transaction().execute(async (tx) => {
        await incrementRevision(tx);
        const { numUpdatedRows: revoked } = await tx
          .updateTable('tokens')
          .set({ revoked_at: at, revoked_by: by })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        await deleteOldestRevoked(tx);
        return revoked === 1n;
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
    lastOperatorCall: () => state('operator_mcp_at'),
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

  async function state(key: string): Promise<number | null> {
    const row = await kysely
      .selectFrom('token_state')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst();
    return row?.value ?? null;
  }
}

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
