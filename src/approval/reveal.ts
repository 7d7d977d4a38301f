import type { ApprovalDetail } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { recordReveal, type DecisionLog } from './audit-records.ts';
import type { ApprovalRequests } from './store/approval-requests.ts';
import { isCompleteInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import { isOpen, readExactCall, type CallStore } from './store/exact-call.ts';

interface RevealParts {
  calls: Pick<CallStore, 'get' | 'markRevealed'>;
  requests: Pick<ApprovalRequests, 'current'>;
  activity: DecisionLog;
  now: () => number;
}

/** An approval with the call exactly as it will run. */
export type Revealed = Omit<ApprovalDetail, 'findings' | 'similar'>;

/** A page that is open fetches the call again with every change; so often the same viewer is recorded. */
const VIEW_MS = 60_000;
const MAX_VIEWS = 1000;

/** Shows the call exactly as it will run to the operator, while it is open. Revealed secrets are recorded before they are shown. */
export function createReveal({ calls, requests, activity, now }: RevealParts) {
  const recordedAt = new Map<string, number>();

  async function record(row: ApprovalRow, caller: Caller): Promise<void> {
    const { source, client, sessionId } = caller;
    const view = JSON.stringify([row.id, source, client, sessionId]);
    if (now() - (recordedAt.get(view) ?? -Infinity) < VIEW_MS) return;
    await recordReveal(activity, row, caller);
    // Who is forgotten is only recorded more often.
    if (recordedAt.size >= MAX_VIEWS) recordedAt.clear();
    recordedAt.set(view, now());
  }

  return async function reveal(id: string, caller: Caller): Promise<Revealed> {
    const row = await requests.current(id);
    const approval = toApproval(row);
    if (isCompleteInList(approval)) return { ...approval, arguments_complete: true, masked_parts: [] };
    const kept = isOpen(row.status) && isOperator(caller) ? await calls.get(row.id) : undefined;
    if (!kept) return { ...approval, arguments_complete: false, masked_parts: [] };
    if (approval.arguments_masked) await record(row, caller);
    if (kept.revealed_ms === null) await calls.markRevealed(row.id, now());
    return {
      ...approval,
      ...readExactCall(kept.exact),
      arguments_truncated: false,
      arguments_masked: false,
      arguments_complete: true,
    };
  };
}

/** An agent token is never sufficient, as for deciding. */
function isOperator({ principal, token }: Caller): boolean {
  return principal === 'operator' && token === undefined;
}
