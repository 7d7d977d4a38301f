import type { Selectable } from 'kysely';
import type { DecidedFrom, Grant } from '../../contract/approval.ts';
import { createMutex, latestRow, type GrantsTable } from '../../db/index.ts';
import { iso } from './approval-row.ts';
import type { BoundCall } from '../approval-request.ts';
import type { SealedStoreParts } from './sealed-approvals.ts';

export type GrantRow = Selectable<GrantsTable>;

/** The caller and the tool of a grant. All of it must be unchanged since the grant was given. */
type Bound = Pick<BoundCall, 'caller' | 'server' | 'serverIdentity' | 'tool' | 'definitionHash'>;

export type GrantStore = ReturnType<typeof createGrantStore>;

/** When another proxy changes a grant at the same time, it is read again. */
const ATTEMPTS = 20;

/** Grants in the database. One whose seal does not hold is revoked, and permits nothing. */
export function createGrantStore({ kysely, seal, now: clock }: SealedStoreParts) {
  // Uses of one grant in this process take turns instead of repeating each other's attempts.
  const mutex = createMutex();

  function matching({ caller, server, serverIdentity, tool, definitionHash }: Bound, now: number) {
    const { principal, userId, client } = caller;
    return kysely
      .selectFrom('grants')
      .selectAll()
      .where('server', '=', server)
      .where('tool', '=', tool)
      .where('principal', '=', principal)
      .where('server_identity', '=', serverIdentity)
      .where('definition_hash', '=', definitionHash)
      .where('user_id', '=', userId)
      .where((of) => of.or([of('client', 'is', null), of('client', '=', client ?? '')]))
      .where((of) => of.or([of('token_id', 'is', null), of('token_id', '=', caller.token?.id ?? '')]))
      .where('revoked_ms', 'is', null)
      .where('expires_ms', '>', now)
      .where((of) => of.or([of('max_calls', 'is', null), of('used', '<', of.ref('max_calls'))]))
      .orderBy('id', 'asc');
  }

  const get = (id: string): Promise<GrantRow | undefined> =>
    kysely.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();

  /** Undefined where the row has been changed meanwhile. */
  async function replace(row: GrantRow, set: Partial<GrantRow>): Promise<GrantRow | undefined> {
    const next = seal.seal('grants', { ...row, ...set }, row);
    const changed = await kysely
      .updateTable('grants')
      .set({ ...set, seal: next.seal })
      .where('id', '=', row.id)
      .where('seal', row.seal === null ? 'is' : '=', row.seal)
      .returningAll()
      .executeTakeFirst();
    // A trigger may have kept the row as it was: then nothing was used.
    if (!changed || changed.seal !== next.seal || seal.trouble('grants', changed)) return undefined;
    seal.stored('grants', changed);
    return changed;
  }

  /** A broken grant ends here: the call needs an approval again. */
  async function isIntact(row: GrantRow): Promise<boolean> {
    if (seal.trouble('grants', row) === undefined) return true;
    if (row.revoked_ms === null) await replace(row, { revoked_ms: clock(), revoked_by: 'mcpproxy' });
    return false;
  }

  /** `set` gives undefined where the row is not to be changed any more. */
  async function change(
    id: string,
    set: (row: GrantRow) => Partial<GrantRow> | undefined,
  ): Promise<GrantRow | undefined> {
    await mutex.acquire();
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const row = await get(id);
        const wanted = row && set(row);
        if (!wanted || !(await isIntact(row))) return undefined;
        const changed = await replace(row, wanted);
        if (changed) return changed;
      }
      return undefined;
    } finally {
      mutex.release();
    }
  }

  /** Counts one use; undefined where the grant has ended meanwhile, or another request took the last use. */
  const take = (id: string, bound: Bound, now: number) =>
    change(id, (row) =>
      covers(row, bound) && statusOf(row, now) === 'active' ? { used: row.used + 1 } : undefined,
    );

  return {
    get,

    async find(bound: Bound, now: number): Promise<GrantRow | undefined> {
      for (const found of await matching(bound, now).limit(10).execute()) {
        const row = await latestRow(seal, { table: 'grants', row: found, read: () => get(found.id) });
        if (row && covers(row, bound) && statusOf(row, now) === 'active' && (await isIntact(row))) return row;
      }
      return undefined;
    },

    /** Uses a grant that covers the call, once. */
    async use(bound: Bound, now: number): Promise<GrantRow | undefined> {
      for (const { id } of await matching(bound, now).limit(10).execute()) {
        const taken = await take(id, bound, now);
        if (taken) return taken;
      }
      return undefined;
    },

    unuse: (id: string) => change(id, (row) => (row.used > 0 ? { used: row.used - 1 } : undefined)),

    add: (row: GrantRow) => kysely.insertInto('grants').values(seal.seal('grants', row)).execute(),

    async list(options: { activeAt?: number | undefined; limit: number }): Promise<GrantRow[]> {
      let query = kysely.selectFrom('grants').selectAll().orderBy('id', 'desc').limit(options.limit);
      if (options.activeAt !== undefined) {
        query = query
          .where('revoked_ms', 'is', null)
          .where('expires_ms', '>', options.activeAt)
          .where((of) => of.or([of('max_calls', 'is', null), of('used', '<', of.ref('max_calls'))]));
      }
      const rows = await query.execute();
      const shown: GrantRow[] = [];
      for (const found of rows) {
        const row = await latestRow(seal, { table: 'grants', row: found, read: () => get(found.id) });
        // A broken one is shown as it is now, which is revoked.
        const now = row && ((await isIntact(row)) ? row : await get(row.id));
        if (now && (options.activeAt === undefined || now.revoked_ms === null)) shown.push(now);
      }
      return shown;
    },

    revoke: (id: string, now: number, by: string): Promise<GrantRow | undefined> =>
      change(id, (row) => (row.revoked_ms === null ? { revoked_ms: now, revoked_by: by } : undefined)),

    prune: (beforeMs: number) => kysely.deleteFrom('grants').where('expires_ms', '<', beforeMs).execute(),
  };
}

/** What the database answers is compared here too: somebody who can change its operators or collations makes no grant fit another call. */
function covers(row: GrantRow, { caller, server, serverIdentity, tool, definitionHash }: Bound): boolean {
  const given = {
    server,
    tool,
    principal: caller.principal,
    server_identity: serverIdentity,
    definition_hash: definitionHash,
    user_id: caller.userId,
    client: row.client === null ? null : (caller.client ?? ''),
    token_id: row.token_id === null ? null : (caller.token?.id ?? ''),
  };
  return Object.entries(given).every(([column, value]) => row[column as keyof typeof given] === value);
}

export function toGrant(row: GrantRow, now: number): Grant {
  return {
    id: row.id,
    status: statusOf(row, now),
    server: row.server,
    tool: row.tool,
    principal: row.principal,
    user_id: row.user_id,
    ...(row.client !== null && { client: row.client }),
    definition_hash: row.definition_hash,
    created_at: iso(row.created_ms),
    created_by: row.created_by,
    created_from: row.created_from as DecidedFrom,
    expires_at: iso(row.expires_ms),
    max_calls: row.max_calls,
    used: row.used,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.approval_id !== null && { approval_id: row.approval_id }),
    ...(row.revoked_ms !== null && { revoked_at: iso(row.revoked_ms) }),
    ...(row.revoked_by !== null && { revoked_by: row.revoked_by }),
  };
}

function statusOf(
  { revoked_ms: revoked, expires_ms: expires, max_calls: most, used }: GrantRow,
  now: number,
): Grant['status'] {
  if (revoked !== null) return 'revoked';
  if (expires <= now) return 'expired';
  return most !== null && used >= most ? 'used up' : 'active';
}
