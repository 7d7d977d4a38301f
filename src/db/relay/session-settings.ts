import type { AnyDatabase } from '../any-database.ts';
import type { Clock } from '../../lib/clock.ts';

/** What a 2025 session has settled since its handshake. */
export interface SettledSession {
  level: string | undefined;
  /** The resources that it watches. */
  uris: string[];
}

/** In the database, so that every proxy serves the session alike. */
export interface SessionSettings {
  read(sessionId: string): Promise<SettledSession>;
  setLevel(sessionId: string, level: string): Promise<void>;
  watch(sessionId: string, uri: string): Promise<void>;
  unwatch(sessionId: string, uri: string): Promise<void>;
  /** The session has ended. */
  remove(sessionId: string): Promise<void>;
}

interface Parts {
  db: Pick<AnyDatabase, 'kysely'>;
  clock: Clock;
  /** Sessions that are older cannot be restored. */
  lifeMs: number;
}

const LEVEL = 'level';
const URI = 'uri ';
/** Rows of sessions that were never ended are removed once in this many changes. */
const PRUNE_EVERY = 100;

export function createSessionSettings({ db: { kysely }, clock, lifeMs }: Parts): SessionSettings {
  const table = 'session_settings';
  let changes = 0;

  async function put(sessionId: string, name: string, value: string): Promise<void> {
    const row = { session_id: sessionId, name, value, changed_ms: clock.now() };
    await kysely
      .insertInto(table)
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'name']).doUpdateSet({ value, changed_ms: row.changed_ms }),
      )
      .execute();
    if (changes++ % PRUNE_EVERY === 0)
      await kysely
        .deleteFrom(table)
        .where('changed_ms', '<', clock.now() - lifeMs)
        .execute();
  }

  return {
    async read(sessionId) {
      const rows = await kysely
        .selectFrom(table)
        .select(['name', 'value'])
        .where('session_id', '=', sessionId)
        .execute();
      return {
        level: rows.find(({ name }) => name === LEVEL)?.value,
        uris: rows.flatMap(({ name }) => (name.startsWith(URI) ? [name.slice(URI.length)] : [])),
      };
    },
    setLevel: (sessionId, level) => put(sessionId, LEVEL, level),
    watch: (sessionId, uri) => put(sessionId, URI + uri, ''),
    async unwatch(sessionId, uri) {
      await kysely
        .deleteFrom(table)
        .where('session_id', '=', sessionId)
        .where('name', '=', URI + uri)
        .execute();
    },
    async remove(sessionId) {
      await kysely.deleteFrom(table).where('session_id', '=', sessionId).execute();
    },
  };
}
