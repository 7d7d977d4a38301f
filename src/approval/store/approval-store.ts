import type { Kysely, Transaction } from 'kysely';
import type { ApprovalStatus, DecidedFrom } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import { withSecureDelete, type Tables } from '../../db/index.ts';
import type { ApprovalRow, ListedRow, NewApproval } from './approval-row.ts';
import { OPEN_STATUSES, requireCallSpace, SWEEP_BATCH, type CallLimits } from './exact-call.ts';
import { createSealedApprovals, type SealedStoreParts } from './sealed-approvals.ts';

export interface PendingLimits extends CallLimits {
  perCaller: number;
  total: number;
}

type FinishedStatus = 'executed' | 'unknown' | 'cancelled';

export interface DecisionChange {
  status: 'approved' | 'denied';
  by: string;
  from: DecidedFrom;
  reason: string | undefined;
  grantId: string | undefined;
}

export type ApprovalStore = ReturnType<typeof createApprovalStore>;

/**
 * Approvals in the database. Every change of a status is one UPDATE that names the row before it: when two proxies try, only one
 * succeeds. A change returns the new row, or undefined where nothing was changed. Every row that is read or changed must be sealed.
 */
export function createApprovalStore(parts: SealedStoreParts) {
  const { kysely, seal } = parts;
  const { change, changeIntact, intact, listed } = createSealedApprovals(parts);
  const select = () => kysely.selectFrom('approvals').selectAll();

  return {
    get: async (id: string): Promise<ApprovalRow | undefined> =>
      intact(await select().where('id', '=', id).executeTakeFirst()),

    /** The last approval request for exactly this call. */
    newest: async (digest: string): Promise<ApprovalRow | undefined> => {
      const row = await intact(
        await select().where('digest', '=', digest).orderBy('id', 'desc').limit(1).executeTakeFirst(),
      );
      // Compared here too: what a database calls equal can be changed by somebody who administers it.
      return row?.digest === digest ? row : undefined;
    },

    ofConversation: async (conversationId: string, userId: string): Promise<ApprovalRow | undefined> =>
      intact(
        await select()
          .where('conversation_id', '=', conversationId)
          .where('user_id', '=', userId)
          .where('scope', '=', 'conversation')
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst(),
      ),

    async list({
      status,
      before,
      limit,
    }: {
      status?: ApprovalStatus | undefined;
      before?: string | undefined;
      limit: number;
    }): Promise<ListedRow[]> {
      let query = select().orderBy('id', 'desc').limit(limit);
      if (status) query = query.where('status', '=', status);
      if (before !== undefined) query = query.where('id', '<', before);
      const rows = await listed(await query.execute());
      return status ? rows.filter((row) => row.status === status) : rows;
    },

    statuses: (ids: string[]): Promise<Array<{ id: string; status: string }>> =>
      kysely.selectFrom('approvals').select(['id', 'status']).where('id', 'in', ids).execute(),

    /** Undefined where the same call already has an open request. */
    open: async ({ row, call }: NewApproval, limits: PendingLimits): Promise<ApprovalRow | undefined> => {
      const insert = async (trx: Transaction<Tables>) => {
        await requirePendingSlot(trx, row, limits);
        if (call) await requireCallSpace(trx, call, limits);
        const opened = await trx
          .insertInto('approvals')
          .values(seal.seal('approvals', row))
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .executeTakeFirst();
        if (opened && call)
          await trx.insertInto('approval_calls').values(seal.seal('approval_calls', call)).execute();
        return opened;
      };
      return call ? withSecureDelete(kysely, insert) : kysely.transaction().execute(insert);
    },

    decide: (id: string, now: number, { status, by, from, reason, grantId }: DecisionChange) =>
      change(id, {
        from: ['pending'],
        where: (row) => row.expires_ms > now,
        set: (row) => ({
          status,
          decided_ms: now,
          decided_by: by,
          decided_from: from,
          decision_reason: reason ?? null,
          grant_id: grantId ?? null,
          expires_ms: row.ttl_ms + now,
          ...(status === 'denied' && { settled_ms: now }),
        }),
      }),

    /** Uses the approval, once. The use is on disk when this resolves, so the call may be sent. */
    spend: (id: string, now: number, by: { runner: string; leaseMs: number; recordId: string | undefined }) =>
      change(id, {
        from: ['approved'],
        where: (row) => row.expires_ms > now,
        set: () => ({
          status: 'running',
          runner: by.runner,
          lease_ms: by.leaseMs,
          ...(by.recordId && { record_id: by.recordId }),
        }),
      }),

    /** Nothing was sent, so the approval may still be used. Fails where the same call has a new open request. */
    unspend: (id: string, runner: string) =>
      change(id, {
        from: ['running'],
        where: (row) => row.runner === runner,
        set: () => ({ status: 'approved', runner: null, lease_ms: null }),
      }),

    /** The proxy that ran the call knows its outcome, also where another one has marked it as unknown. */
    finish: (
      id: string,
      { runner, now, status, why }: { runner: string; now: number; status: FinishedStatus; why?: string },
    ) =>
      change(id, {
        from: ['running', 'unknown'],
        where: (row) => row.runner === runner,
        set: () => ({ status, settled_ms: now, told: 1, ...(why && { decision_reason: why }) }),
      }),

    /** Those that a person has approved and that were not used yet. */
    approved: (): Promise<Array<{ id: string }>> =>
      kysely.selectFrom('approvals').select('id').where('status', '=', 'approved').execute(),

    /** The open requests of a token. */
    openOfToken: (tokenId: string): Promise<Array<{ id: string }>> =>
      kysely
        .selectFrom('approvals')
        .select('id')
        .where('status', 'in', OPEN_STATUSES)
        .where('token_id', '=', tokenId)
        .execute(),

    /** The tokens that open approvals belong to. */
    openTokens: async (): Promise<string[]> => {
      const rows = await kysely
        .selectFrom('approvals')
        .select('token_id')
        .distinct()
        .where('status', 'in', OPEN_STATUSES)
        .where('token_id', 'is not', null)
        .execute();
      return rows.map(({ token_id: id }) => id!);
    },

    cancel: (id: string, { now, why, by }: { now: number; why: string; by: string }) =>
      changeIntact(id, {
        from: OPEN_STATUSES,
        set: () => ({ status: 'cancelled', settled_ms: now, decision_reason: why, decided_by: by }),
      }),

    /** True the first time: the outcome is reported to the caller once. */
    markReported: async (id: string): Promise<boolean> => {
      const { numUpdatedRows } = await kysely
        .updateTable('approvals')
        .set({ told: 1 })
        .where('id', '=', id)
        .where('told', '=', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    expire: (id: string, now: number): Promise<ApprovalRow | undefined> =>
      changeIntact(id, {
        from: OPEN_STATUSES,
        where: (row) => row.expires_ms <= now,
        set: () => ({ status: 'expired', settled_ms: now }),
      }),

    overdue: (now: number): Promise<Array<{ id: string }>> =>
      kysely
        .selectFrom('approvals')
        .select('id')
        .where('status', 'in', OPEN_STATUSES)
        .where('expires_ms', '<=', now)
        .limit(SWEEP_BATCH)
        .execute(),

    /** Running calls of a proxy that has stopped: whether they took effect is unknown. */
    markAbandoned: async (now: number, runner: string | undefined): Promise<ApprovalRow[]> => {
      const isAbandoned = (row: Pick<ApprovalRow, 'runner' | 'lease_ms'>) =>
        runner === undefined ? (row.lease_ms ?? now) < now : row.runner === runner;
      const running = kysely
        .selectFrom('approvals')
        .select(['id', 'runner', 'lease_ms'])
        .where('status', '=', 'running');
      const marked: ApprovalRow[] = [];
      for (const { id } of (await running.execute()).filter(isAbandoned)) {
        const row = await changeIntact(id, {
          from: ['running'],
          where: isAbandoned,
          set: () => ({ status: 'unknown', settled_ms: now }),
        });
        if (row) marked.push(row);
      }
      return marked;
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

    /** Deletes settled approvals that are older, or beyond the number to keep. */
    prune: async (beforeMs: number, keep: number): Promise<void> => {
      const settled = () =>
        kysely.deleteFrom('approvals').where('status', 'not in', [...OPEN_STATUSES, 'running']);
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

async function requirePendingSlot(
  trx: Transaction<Tables>,
  { principal, created_ms: now }: ApprovalRow,
  { perCaller, total }: PendingLimits,
): Promise<void> {
  const [own, all] = [await count(trx, principal, now), await count(trx, undefined, now)];
  if (own < perCaller && all < total) return;
  const [what, limit] = own >= perCaller ? ['calls of this caller', perCaller] : ['calls', total];
  throw new ProxyError(
    'APPROVAL_LIMIT',
    `${limit} ${what} wait for approval already, so no approval was requested. Wait until some of them are decided`,
    { limit },
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
