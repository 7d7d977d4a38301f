import type { ApprovalDetail } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { isShownInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import { credentialName } from './credential-name.ts';
import type { DecisionLog } from './decide.ts';
import { readExactCall } from './exact-call.ts';
import { isOpen, type HoldStore } from './store/hold-store.ts';
import type { Holds } from './store/holds.ts';

interface RevealParts {
  store: Pick<HoldStore, 'keptCall' | 'markRevealed'>;
  holds: Pick<Holds, 'current'>;
  activity: DecisionLog;
  now: () => number;
}

/** An approval with the call exactly as it will run. */
export type Revealed = Omit<ApprovalDetail, 'findings' | 'similar'>;

/**
 * The call exactly as it will run, for those who may decide, while there is something to decide. That masked parts were shown is on
 * record before they are.
 */
export function createReveal({ store, holds, activity, now }: RevealParts) {
  return async function reveal(id: string, caller: Caller): Promise<Revealed> {
    const row = await holds.current(id);
    const approval = toApproval(row);
    if (isShownInList(approval)) return { ...approval, arguments_complete: true, masked_parts: [] };
    const kept = isOpen(row.status) && isOperator(caller) ? await store.keptCall(row.id) : undefined;
    if (!kept) return { ...approval, arguments_complete: false, masked_parts: [] };
    if (kept.revealed_ms === null) {
      if (approval.arguments_masked) await recordReveal(activity, row, caller);
      await store.markRevealed(row.id, now());
    }
    return {
      ...approval,
      ...readExactCall(kept.exact),
      arguments_truncated: false,
      arguments_masked: false,
      arguments_complete: true,
    };
  };
}

/** An agent's token never suffices, as for deciding. */
function isOperator({ principal, token }: Caller): boolean {
  return principal === 'operator' && token === undefined;
}

async function recordReveal(activity: DecisionLog, row: ApprovalRow, caller: Caller): Promise<void> {
  const record = activity.open({
    type: 'approval',
    source: caller.source,
    server_name: row.server,
    tool_name: row.tool,
    arguments: { approval_id: row.id },
    request_id: caller.requestId,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: 'show masked parts',
      approval: { id: row.id, digest: row.digest, asked_by: credentialName(row.principal) },
      principal: caller.principal,
    },
  });
  await record.durable();
  await record.close({ status: 'success' });
}
