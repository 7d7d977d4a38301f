import type { Approval } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Requester } from '../../lib/log.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import { newApproval, toApproval, type ApprovalRow, type Masking, type NewApproval } from './approval-row.ts';
import type { ApprovalStore, PendingLimits } from './approval-store.ts';
import { isOpen } from './exact-call.ts';

export interface ApprovalRequestsParts extends Masking {
  store: ApprovalStore;
  limits: () => PendingLimits;
  now: () => number;
  /** Whether this process is running the call of the approval. */
  isRunning: (id: string) => boolean;
  changed: (row: ApprovalRow, by?: Requester) => void;
  /** A new request, not one that already existed. */
  onRequested: (approval: Approval, by: Requester) => void;
  /** Nobody decided, or nobody used the approval, in time. */
  onExpired: (row: ApprovalRow) => void;
}

export type ApprovalRequests = ReturnType<typeof createApprovalRequests>;

/** A caller that repeats the call within this time gets the outcome of its last request; later a new request is made. */
const OUTCOME_REPORTED_MS = 3_600_000;
const ATTEMPTS = 5;

/** Approval requests: one for each call however often it is repeated, and expired when read after their time. */
export function createApprovalRequests(parts: ApprovalRequestsParts) {
  const { store, digestOf, limits, now, isRunning, changed, onRequested, onExpired } = parts;

  /** The current row: an open one past its time is expired first. */
  async function fresh(row: ApprovalRow): Promise<ApprovalRow> {
    if (!isOpen(row.status) || row.expires_ms > now()) return row;
    return (await expire(row.id)) ?? (await get(row.id));
  }

  async function expire(id: string): Promise<ApprovalRow | undefined> {
    const row = await store.expire(id, now());
    if (row) {
      changed(row);
      onExpired(row);
    }
    return row;
  }

  async function get(id: string): Promise<ApprovalRow> {
    const row = await store.get(id);
    if (row) return row;
    const shown = id.slice(0, 64);
    throw new ProxyError('NOT_FOUND', `There is no approval ${shown}`, { approval_id: shown });
  }

  /** Whether a repeated call belongs to this request. Repeating a denied call does not make a new request. */
  function appliesToRepeat(row: ApprovalRow): boolean {
    switch (row.status as Approval['status']) {
      case 'pending':
      case 'approved':
        return true;
      case 'denied':
        return row.expires_ms > now();
      case 'expired':
      case 'unknown':
        return row.told === 0 && (row.settled_ms ?? 0) > now() - OUTCOME_REPORTED_MS;
      case 'running':
        return isRunning(row.id);
      case 'cancelled':
      case 'executed':
      default:
        return false;
    }
  }

  // One after the other, so that concurrent requests cannot exceed the limits between the count and the insert.
  let turn: Promise<unknown> = Promise.resolve();
  function open(approval: NewApproval): Promise<ApprovalRow | undefined> {
    const opened = turn.then(() => store.open(approval, limits()));
    // `opened` reports the error; the next one must not fail for it.
    turn = opened.catch(() => {});
    return opened;
  }

  async function ask(request: ApprovalRequest): Promise<ApprovalRow | undefined> {
    const row = await open(newApproval(request, now(), parts));
    if (!row) return undefined;
    changed(row, request.caller);
    onRequested(toApproval(row), request.caller);
    return row;
  }

  return {
    ask,
    expire,
    current: async (id: string) => fresh(await get(id)),
    markReported: (id: string) => store.markReported(id),

    /** The last request for exactly this call, where it still applies. */
    async last(request: ApprovalRequest): Promise<ApprovalRow | undefined> {
      const known = await store.newest(digestOf(request));
      const row = known && (await fresh(known));
      return row && appliesToRepeat(row) ? row : undefined;
    },

    /** The existing request for exactly this call, or a new one. */
    async attach(request: ApprovalRequest): Promise<ApprovalRow> {
      const digest = digestOf(request);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const known = await store.newest(digest);
        const row = known && (await fresh(known));
        if (row && appliesToRepeat(row)) return row;
        const opened = await ask(request);
        if (opened) return opened;
      }
      throw new ProxyError(
        'CONFLICT',
        'Requests for the same call are opened and withdrawn too fast; try again later',
      );
    },

    /** The approval that the caller names. It must be for exactly this call. */
    async named(id: string, request: ApprovalRequest): Promise<ApprovalRow> {
      const row = await fresh(await get(id));
      if (row.digest === digestOf(request)) return row;
      throw new ProxyError(
        'APPROVAL_MISMATCH',
        `Approval ${row.id} is for another call: the arguments, the tool or the policy have changed since. Request a new approval`,
        { approval_id: row.id },
      );
    },

    /** Cancels a pending request or an unused approval. Settled ones do not change. */
    async cancel(id: string, why: string, by: string): Promise<Approval> {
      const row = await store.cancel(id, { now: now(), why, by });
      if (row) changed(row);
      return toApproval(row ?? (await get(id)));
    },
  };
}
