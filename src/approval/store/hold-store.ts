import type { Kysely, Transaction, UpdateObject } from 'kysely';
import type { ApprovalStatus, DecidedFrom } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import { overwriting, type Tables } from '../../db/index.ts';
import type { ApprovalRow, NewHold } from './approval-row.ts';

export interface Limits {
  perCaller: number;
  total: number;
  /** Of what is kept of calls that a listing does not show whole. */
  bytesPerCaller: number;
  bytesTotal: number;
}

export interface DecisionChange {
  status: 'approved' | 'denied';
  by: string;
  from: DecidedFrom;
  reason: string | undefined;
  grantId: string | undefined;
}

const OPEN: ApprovalStatus[] = ['pending', 'approved'];
/** Waits, or may still be used. */
export const isOpen = (status: string) => (OPEN as string[]).includes(status);

/** Of a sweep: the rest has its turn in the next one. */
const BATCH = 500;

export type HoldStore = ReturnType<typeof createHoldStore>;

/**
 * Approvals on disk. Every change of a status is one UPDATE that names the status before it, so that of two who try, on whichever proxy,
 * one finds nothing to change. A change gives the row as it is now, or undefined.
 */
export function createHoldStore(kysely: Kysely<Tables>) {
  type Change = UpdateObject<Tables, 'approvals'>;
  const select = () => kysely.selectFrom('approvals').selectAll();

  async function change(
    id: string,
    from: ApprovalStatus[],
    set: Change,
    more: Condition = {},
  ): Promise<ApprovalRow | undefined> {
    let query = kysely.updateTable('approvals').set(set).where('id', '=', id).where('status', 'in', from);
    if (more.after !== undefined) query = query.where('expires_ms', '>', more.after);
    if (more.runner !== undefined) query = query.where('runner', '=', more.runner);
    return query.returningAll().executeTakeFirst();
  }

  return {
    get: (id: string): Promise<ApprovalRow | undefined> => select().where('id', '=', id).executeTakeFirst(),

    /** The last question about exactly this call. */
    newest: (digest: string): Promise<ApprovalRow | undefined> =>
      select().where('digest', '=', digest).orderBy('id', 'desc').limit(1).executeTakeFirst(),

    ofConversation: (conversationId: string, userId: string): Promise<ApprovalRow | undefined> =>
      select()
        .where('conversation_id', '=', conversationId)
        .where('user_id', '=', userId)
        .where('scope', '=', 'conversation')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),

    async list({
      status,
      before,
      limit,
    }: {
      status?: ApprovalStatus | undefined;
      before?: string | undefined;
      limit: number;
    }): Promise<ApprovalRow[]> {
      let query = select().orderBy('id', 'desc').limit(limit);
      if (status) query = query.where('status', '=', status);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.execute();
    },

    statuses: (ids: string[]): Promise<Array<{ id: string; status: string }>> =>
      kysely.selectFrom('approvals').select(['id', 'status']).where('id', 'in', ids).execute(),

    /** Undefined where there is an open one for the same call already. */
    open: async ({ row, call }: NewHold, limits: Limits): Promise<ApprovalRow | undefined> => {
      const insert = async (trx: Transaction<Tables>) => {
        await requireRoom(trx, row, limits);
        if (call) await requireBytes(trx, call, limits);
        const opened = await trx
          .insertInto('approvals')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .executeTakeFirst();
        if (opened && call) await trx.insertInto('approval_calls').values(call).execute();
        return opened;
      };
      return call ? overwriting(kysely, insert) : kysely.transaction().execute(insert);
    },

    /** The call as it will run, where a listing does not show it whole. */
    keptCall: (id: string): Promise<{ exact: string; revealed_ms: number | null } | undefined> =>
      kysely
        .selectFrom('approval_calls')
        .select(['exact', 'revealed_ms'])
        .where('approval_id', '=', id)
        .executeTakeFirst(),

    /** Undefined: nothing is kept. Null: nobody has been given it. */
    revealedMs: async (id: string): Promise<number | null | undefined> => {
      const query = kysely.selectFrom('approval_calls').select('revealed_ms').where('approval_id', '=', id);
      return (await query.executeTakeFirst())?.revealed_ms;
    },

    markRevealed: (id: string, now: number): Promise<unknown> =>
      overwriting(kysely, (trx) =>
        trx
          .updateTable('approval_calls')
          .set({ revealed_ms: now })
          .where('approval_id', '=', id)
          .where('revealed_ms', 'is', null)
          .execute(),
      ),

    eraseCall: (id: string): Promise<unknown> =>
      overwriting(kysely, (trx) => trx.deleteFrom('approval_calls').where('approval_id', '=', id).execute()),

    /** What a proxy that ended at the wrong moment has not erased. */
    eraseLeftCalls: async (): Promise<void> => {
      const open = kysely.selectFrom('approvals').select('id').where('status', 'in', OPEN);
      const left = await kysely
        .selectFrom('approval_calls')
        .select('approval_id')
        .where('approval_id', 'not in', open)
        .limit(BATCH)
        .execute();
      if (left.length === 0) return;
      const ids = left.map((each) => each.approval_id);
      await overwriting(kysely, (trx) =>
        trx.deleteFrom('approval_calls').where('approval_id', 'in', ids).execute(),
      );
    },

    decide: (id: string, now: number, { status, by, from, reason, grantId }: DecisionChange) =>
      kysely
        .updateTable('approvals')
        .set((of) => ({
          status,
          decided_ms: now,
          decided_by: by,
          decided_from: from,
          decision_reason: reason ?? null,
          grant_id: grantId ?? null,
          expires_ms: of('ttl_ms', '+', now),
          ...(status === 'denied' && { settled_ms: now }),
        }))
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('expires_ms', '>', now)
        .returningAll()
        .executeTakeFirst(),

    /** The one use of an approval. On disk when this resolves, so the call may be sent. */
    spend: (id: string, now: number, by: { runner: string; leaseMs: number; recordId: string | undefined }) =>
      change(
        id,
        ['approved'],
        {
          status: 'running',
          runner: by.runner,
          lease_ms: by.leaseMs,
          ...(by.recordId && { record_id: by.recordId }),
        },
        { after: now },
      ),

    /** Nothing was sent, so it may still be used. Fails where the same call has been asked about anew meanwhile. */
    giveBack: (id: string, runner: string) =>
      change(id, ['running'], { status: 'approved', runner: null, lease_ms: null }, { runner }),

    /** Who ran it knows best, also where it was given up for lost before. */
    finish: (id: string, runner: string, now: number, status: 'executed' | 'unknown' | 'cancelled') =>
      change(id, ['running', 'unknown'], { status, settled_ms: now, told: 1 }, { runner }),

    /** What a token has asked for and could still use. */
    openOfToken: (tokenId: string): Promise<Array<{ id: string }>> =>
      kysely
        .selectFrom('approvals')
        .select('id')
        .where('status', 'in', OPEN)
        .where('token_id', '=', tokenId)
        .execute(),

    cancel: (id: string, now: number, why: string, by: string) =>
      change(id, OPEN, { status: 'cancelled', settled_ms: now, decision_reason: why, decided_by: by }),

    /** True for the one who is to tell the caller. */
    tell: async (id: string): Promise<boolean> => {
      const { numUpdatedRows } = await kysely
        .updateTable('approvals')
        .set({ told: 1 })
        .where('id', '=', id)
        .where('told', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    expire: async (id: string, now: number): Promise<ApprovalRow | undefined> =>
      kysely
        .updateTable('approvals')
        .set({ status: 'expired', settled_ms: now })
        .where('id', '=', id)
        .where('status', 'in', OPEN)
        .where('expires_ms', '<=', now)
        .returningAll()
        .executeTakeFirst(),

    overdue: (now: number): Promise<Array<{ id: string }>> =>
      kysely
        .selectFrom('approvals')
        .select('id')
        .where('status', 'in', OPEN)
        .where('expires_ms', '<=', now)
        .limit(BATCH)
        .execute(),

    /** Used by a proxy that is gone: whether the call took effect is not known. */
    abandoned: async (now: number, runner: string | undefined): Promise<ApprovalRow[]> => {
      const query = kysely
        .updateTable('approvals')
        .set({ status: 'unknown', settled_ms: now })
        .where('status', '=', 'running');
      const whose =
        runner === undefined ? query.where('lease_ms', '<', now) : query.where('runner', '=', runner);
      return whose.returningAll().execute();
    },

    renew: async (ids: string[], runner: string, leaseMs: number): Promise<void> => {
      if (ids.length === 0) return;
      await kysely
        .updateTable('approvals')
        .set({ lease_ms: leaseMs })
        .where('id', 'in', ids)
        .where('runner', '=', runner)
        .where('status', '=', 'running')
        .execute();
    },

    pending: (now: number): Promise<number> => count(kysely, undefined, now),

    /** What is settled and older goes; so does what is beyond the number that is kept. */
    prune: async (beforeMs: number, keep: number): Promise<void> => {
      const settled = () => kysely.deleteFrom('approvals').where('status', 'not in', [...OPEN, 'running']);
      await settled().where('created_ms', '<', beforeMs).execute();
      const last = await kysely
        .selectFrom('approvals')
        .select('id')
        .orderBy('id', 'desc')
        .offset(keep)
        .limit(1)
        .executeTakeFirst();
      if (last) await settled().where('id', '<=', last.id).execute();
    },
  };
}

interface Condition {
  after?: number;
  runner?: string;
}

async function requireRoom(
  trx: Transaction<Tables>,
  { principal, created_ms: now }: ApprovalRow,
  { perCaller, total }: Limits,
): Promise<void> {
  const [own, all] = [await count(trx, principal, now), await count(trx, undefined, now)];
  if (own < perCaller && all < total) return;
  const [what, limit] = own >= perCaller ? ['calls of this caller', perCaller] : ['calls', total];
  throw new ProxyError(
    'APPROVAL_LIMIT',
    `${limit} ${what} wait for approval already; nothing was asked. Wait until some are decided`,
    { limit },
  );
}

async function requireBytes(
  trx: Transaction<Tables>,
  { principal, bytes }: NonNullable<NewHold['call']>,
  { bytesPerCaller, bytesTotal }: Limits,
): Promise<void> {
  const all = trx.selectFrom('approval_calls').select((of) => of.fn.sum<number | string>('bytes').as('n'));
  const sum = async (query: typeof all) => Number((await query.executeTakeFirst())?.n ?? 0);
  const [own, total] = [await sum(all.where('principal', '=', principal)), await sum(all)];
  if (own + bytes <= bytesPerCaller && total + bytes <= bytesTotal) return;
  throw new ProxyError(
    'APPROVAL_LIMIT',
    'The calls that wait for approval hold too many bytes of arguments already; nothing was asked. Wait until some are decided',
    { bytes, limit: own + bytes > bytesPerCaller ? bytesPerCaller : bytesTotal },
  );
}

async function count(db: Kysely<Tables>, principal: string | undefined, now = 0): Promise<number> {
  let query = db
    .selectFrom('approvals')
    .select((of) => of.fn.countAll<number | string>().as('n'))
    .where('status', '=', 'pending')
    .where('expires_ms', '>', now);
  if (principal !== undefined) query = query.where('principal', '=', principal);
  const { n } = await query.executeTakeFirstOrThrow();
  return Number(n);
}
