import type { Kysely, Selectable } from 'kysely';
import type { DecidedFrom, Grant } from '../../contract/approval.ts';
import type { GrantsTable, Tables } from '../../db/index.ts';
import { iso } from './approval-row.ts';
import type { BoundCall } from '../approval-request.ts';

export type GrantRow = Selectable<GrantsTable>;

/** The caller and the tool of a grant. All of it must be unchanged since the grant was given. */
type Bound = Pick<BoundCall, 'caller' | 'server' | 'serverIdentity' | 'tool' | 'definitionHash'>;

export type GrantStore = ReturnType<typeof createGrantStore>;

export function createGrantStore(kysely: Kysely<Tables>) {
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

  /** Counts one use; undefined where the grant has ended meanwhile, or another request took the last use. */
  function take(id: string, now: number): Promise<GrantRow | undefined> {
    return kysely
      .updateTable('grants')
      .set((of) => ({ used: of('used', '+', 1) }))
      .where('id', '=', id)
      .where('revoked_ms', 'is', null)
      .where('expires_ms', '>', now)
      .where((of) => of.or([of('max_calls', 'is', null), of('used', '<', of.ref('max_calls'))]))
      .returningAll()
      .executeTakeFirst();
  }

  return {
    get: (id: string) => kysely.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst(),

    find: (bound: Bound, now: number): Promise<GrantRow | undefined> =>
      matching(bound, now).limit(1).executeTakeFirst(),

    /** Uses a grant that covers the call, once. */
    async use(bound: Bound, now: number): Promise<GrantRow | undefined> {
      for (const { id } of await matching(bound, now).limit(10).execute()) {
        const taken = await take(id, now);
        if (taken) return taken;
      }
      return undefined;
    },

    unuse: (id: string) =>
      kysely
        .updateTable('grants')
        .set((of) => ({ used: of('used', '-', 1) }))
        .where('id', '=', id)
        .where('used', '>', 0)
        .execute(),

    add: (row: GrantRow) => kysely.insertInto('grants').values(row).execute(),

    async list(options: { activeAt?: number | undefined; limit: number }): Promise<GrantRow[]> {
      let query = kysely.selectFrom('grants').selectAll().orderBy('id', 'desc').limit(options.limit);
      if (options.activeAt !== undefined) {
        query = query
          .where('revoked_ms', 'is', null)
          .where('expires_ms', '>', options.activeAt)
          .where((of) => of.or([of('max_calls', 'is', null), of('used', '<', of.ref('max_calls'))]));
      }
      return query.execute();
    },

    revoke: (id: string, now: number, by: string): Promise<GrantRow | undefined> =>
      kysely
        .updateTable('grants')
        .set({ revoked_ms: now, revoked_by: by })
        .where('id', '=', id)
        .where('revoked_ms', 'is', null)
        .returningAll()
        .executeTakeFirst(),

    prune: (beforeMs: number) => kysely.deleteFrom('grants').where('expires_ms', '<', beforeMs).execute(),
  };
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
