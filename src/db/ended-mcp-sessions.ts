import type { Clock } from '../lib/clock.ts';
import type { AnyDatabase } from './any-database.ts';

export interface EndedMcpSession {
  /** The credential that opened the session. */
  owner: string;
  id: string;
  issuedMs: number;
}

/** Sessions that clients have ended. Their ids carry all that is needed to restore a session, so the end must be stored. */
export interface EndedMcpSessions {
  has(session: EndedMcpSession): Promise<boolean>;
  add(session: EndedMcpSession): Promise<void>;
}

interface Parts {
  db: Pick<AnyDatabase, 'kysely'>;
  clock: Clock;
  /** Older sessions cannot be restored, whether they are listed or not. */
  lifeMs: number;
  /** How many are stored individually, for each owner. */
  maxStored?: number;
}

const MAX_STORED = 1_000;
/** Rows are removed once in this many additions. */
const PRUNE_EVERY = 100;
/** The row that stands for all sessions of its owner up to a time. */
const ALL = '';

export function createEndedMcpSessions({
  db: { kysely },
  clock,
  lifeMs,
  maxStored = MAX_STORED,
}: Parts): EndedMcpSessions {
  let added = 0;

  const put = (owner: string, id: string, issuedMs: number) =>
    kysely
      .insertInto('ended_sessions')
      .values({ owner, id, issued_ms: issuedMs })
      .onConflict((conflict) => conflict.columns(['owner', 'id']).doUpdateSet({ issued_ms: issuedMs }))
      .execute();

  /** Ends all sessions of the owner up to the oldest that is kept: ending too many is safe, restoring one is not. */
  async function prune(owner: string): Promise<void> {
    const first = await kysely
      .selectFrom('ended_sessions')
      .select('issued_ms')
      .where('owner', '=', owner)
      .where('id', '!=', ALL)
      .orderBy('issued_ms', 'desc')
      .limit(1)
      .offset(maxStored)
      .executeTakeFirst();
    if (first) {
      await put(owner, ALL, first.issued_ms);
      await kysely
        .deleteFrom('ended_sessions')
        .where('owner', '=', owner)
        .where('id', '!=', ALL)
        .where('issued_ms', '<=', first.issued_ms)
        .execute();
    }
    await kysely
      .deleteFrom('ended_sessions')
      .where('issued_ms', '<', clock.now() - lifeMs)
      .execute();
  }

  return {
    async has({ owner, id, issuedMs }) {
      const rows = await kysely
        .selectFrom('ended_sessions')
        .select(['id', 'issued_ms'])
        .where('owner', '=', owner)
        .where('id', 'in', [id, ALL])
        .execute();
      return rows.some((row) => row.id === id || row.issued_ms >= issuedMs);
    },
    async add({ owner, id, issuedMs }) {
      await put(owner, id, issuedMs);
      if (added++ % PRUNE_EVERY === 0) await prune(owner);
    },
  };
}
