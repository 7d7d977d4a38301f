import { sql, type Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';

/**
 * Whether the database server is still the one under which approvals and grants were given. Another one, also the same started again, may
 * lack that they were used or revoked, at whichever proxy: so none of them counts on it, and a person is asked again.
 */
export interface ServerFence {
  /** Before an approval or a grant is used. The answer comes after: false, and the use does not count. */
  watch(): () => Promise<boolean>;
}

/** With SQLite there is one proxy, which knows what it has used. */
export const noFence: ServerFence = { watch: () => async () => true };

export const SERVER_CHANGED =
  'the database server was started again or failed over since, so whether this was used before cannot be told';

const KEY = 'approvals_server';

export interface FenceParts {
  kysely: Kysely<Tables>;
  /** Ends every approval that is not used yet, and every grant. */
  endAll: () => Promise<void>;
}

/** The server that approvals are good on is stored beside them, so that a server which lacks its own mark is noticed by every proxy. */
export async function createServerFence({ kysely, endAll }: FenceParts): Promise<ServerFence> {
  let known: number | undefined;

  async function look(): Promise<{ server: number; mark: number | null }> {
    const { rows } = await sql<{ server: number; mark: number | null }>`
      SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS server,
        (SELECT value FROM activity_state WHERE key = ${KEY}) AS mark`.execute(kysely);
    return rows[0]!;
  }

  /** Gives the server that is marked from now on. */
  async function settle(): Promise<number> {
    const { server, mark } = await look();
    if (server !== mark) {
      await endAll();
      await kysely
        .insertInto('activity_state')
        .values({ key: KEY, value: server })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: server }))
        .execute();
    }
    return (known = server);
  }

  await settle();
  return {
    watch() {
      const before = known;
      return async () => {
        const { server, mark } = await look();
        if (server === before && server === mark) return true;
        await settle();
        return false;
      };
    },
  };
}
