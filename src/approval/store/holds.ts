import type { Approval } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Requester } from '../../lib/log.ts';
import { newHold, toApproval, type ApprovalRow, type NewHold } from './approval-row.ts';
import { callDigest } from '../policy/digest.ts';
import type { HoldStore, Limits } from './hold-store.ts';
import type { FindMasked, Mask, Question } from '../question.ts';

export interface HoldParts {
  store: HoldStore;
  mask: Mask;
  findMasked: FindMasked;
  limits: () => Limits;
  now: () => number;
  /** Whether the call of a used approval is under way in this process. */
  isRunning: (id: string) => boolean;
  changed: (row: ApprovalRow, by?: Requester) => void;
  /** A new question, not one that was met again. */
  asked: (approval: Approval, by: Requester) => void;
  /** Nobody decided, or nobody used the decision. */
  lapsed: (row: ApprovalRow) => void;
}

export type Holds = ReturnType<typeof createHolds>;

/** How long a caller that comes back is still told how its last question ended, before it is asked about anew. */
const REMEMBERED_MS = 3_600_000;
const ATTEMPTS = 5;

/** Questions about calls: opened once however often the same call comes, expired as soon as somebody looks. */
export function createHolds(parts: HoldParts) {
  const { store, mask, findMasked, limits, now, isRunning, changed, asked, lapsed } = parts;

  /** The row as it is at this moment: one that is past its time is expired by whoever looks first. */
  async function fresh(row: ApprovalRow): Promise<ApprovalRow> {
    const isOpen = row.status === 'pending' || row.status === 'approved';
    if (!isOpen || row.expires_ms > now()) return row;
    return (await expire(row.id)) ?? (await get(row.id));
  }

  async function expire(id: string): Promise<ApprovalRow | undefined> {
    const row = await store.expire(id, now());
    if (row) {
      changed(row);
      lapsed(row);
    }
    return row;
  }

  async function get(id: string): Promise<ApprovalRow> {
    const row = await store.get(id);
    if (row) return row;
    const shown = id.slice(0, 64);
    throw new ProxyError('NOT_FOUND', `There is no approval ${shown}`, { approval_id: shown });
  }

  /** Whether the same call, coming again, belongs to this question. A denial is not asked away by repeating the call. */
  function meets(row: ApprovalRow): boolean {
    switch (row.status as Approval['status']) {
      case 'pending':
      case 'approved':
        return true;
      case 'denied':
        return row.expires_ms > now();
      case 'expired':
      case 'unknown':
        return row.told === 0 && (row.settled_ms ?? 0) > now() - REMEMBERED_MS;
      case 'running':
        return isRunning(row.id);
      case 'cancelled':
      case 'executed':
      default:
        return false;
    }
  }

  // One after the other, so that what comes at once cannot slip past the limits between the count and the insert.
  let turn: Promise<unknown> = Promise.resolve();
  function open(hold: NewHold): Promise<ApprovalRow | undefined> {
    const opened = turn.then(() => store.open(hold, limits()));
    turn = opened.catch(() => {});
    return opened;
  }

  async function ask(question: Question): Promise<ApprovalRow | undefined> {
    const row = await open(newHold(question, now(), mask, findMasked));
    if (!row) return undefined;
    changed(row, question.caller);
    asked(toApproval(row), question.caller);
    return row;
  }

  return {
    ask,
    expire,
    current: async (id: string) => fresh(await get(id)),
    tell: (id: string) => store.tell(id),

    /** The last question about exactly this call, where it still means something. */
    async last(question: Question): Promise<ApprovalRow | undefined> {
      const known = await store.newest(callDigest(question));
      const row = known && (await fresh(known));
      return row && meets(row) ? row : undefined;
    },

    /** The question about exactly this call: the one there is, or a new one. */
    async attach(question: Question): Promise<ApprovalRow> {
      const digest = callDigest(question);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const known = await store.newest(digest);
        const row = known && (await fresh(known));
        if (row && meets(row)) return row;
        const opened = await ask(question);
        if (opened) return opened;
      }
      throw new ProxyError(
        'CONFLICT',
        'The same call is asked about and withdrawn all the time; try again later',
      );
    },

    /** The approval that the caller names, which must have been given for exactly this call. */
    async named(id: string, question: Question): Promise<ApprovalRow> {
      const row = await fresh(await get(id));
      if (row.digest === callDigest(question)) return row;
      throw new ProxyError(
        'APPROVAL_MISMATCH',
        `Approval ${row.id} was given for another call: its arguments, its tool or the policy are others by now. Ask anew`,
        { approval_id: row.id },
      );
    },

    /** Ends an open question, or takes back an approval that was not used. What is settled stays as it is. */
    async cancel(id: string, why: string, by: string): Promise<Approval> {
      const row = await store.cancel(id, now(), why, by);
      if (row) changed(row);
      return toApproval(row ?? (await get(id)));
    },
  };
}
