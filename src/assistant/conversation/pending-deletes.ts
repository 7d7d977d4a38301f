import { callFacts, type Approvals } from '../../approval/index.ts';
import type { CatalogTool } from '../../catalog/index.ts';
import { ProxyError, type ErrorCode } from '../../contract/errors.ts';
import type { Approval, ApprovalStatus } from '../../contract/approval.ts';
import type { Caller } from '../../contract/call.ts';

/** What the assistant needs of approvals: the delete that waits for the person's next message is one like any other. */
export interface PendingDeletes {
  ask(draft: DeleteDraft): Promise<Pick<Approval, 'id' | 'created_at' | 'expires_at'>>;
  /** The one that waits in this conversation. One whose time is over comes back as expired. */
  pendingIn(conversationId: string, userId: string): Promise<PendingApproval | undefined>;
  /** False where the operator's policy wants another person to decide: an agent's token cannot say yes for the operator. */
  mayConfirm(caller: Caller): boolean;
  /** The person's answer. The status afterwards tells whether it was in time. */
  decide(id: string, answer: { approve: boolean; caller: Caller }): Promise<{ status: ApprovalStatus }>;
  cancel(id: string, why: string, by: string): Promise<unknown>;
}

export type PendingApproval = Pick<Approval, 'id' | 'status' | 'created_at' | 'expires_at'>;

export interface DeleteDraft {
  caller: Caller;
  args: Record<string, unknown>;
  /** The call in words. */
  description: string;
  ttlMs: number;
}

const SERVER = 'tasks';
const TOOL = 'delete_task';

export interface PendingDeletesParts {
  approvals: Pick<Approvals, 'ask' | 'pendingIn' | 'cancel' | 'decide' | 'get' | 'policy'>;
  catalog: { get(name: string): CatalogTool | undefined };
}

/** It was settled otherwise meanwhile, or another credential of the same person asked. */
const NOT_DECIDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CONFLICT', 'APPROVAL_FORBIDDEN']);

/** The delete that waits for a yes as an approval: bound to exactly the call that the yes will make, spent once by the road. */
export function createPendingDeletes({ approvals, catalog }: PendingDeletesParts): PendingDeletes {
  return {
    mayConfirm(caller) {
      const tool = catalog.get(`${SERVER}:${TOOL}`);
      if (!caller.token || !tool) return true;
      const facts = callFacts(tool, 'destructive', caller.principal);
      return approvals.policy().judge(facts).action !== 'ask';
    },
    ask: (draft) => approvals.ask({ ...draft, server: SERVER, tool: TOOL }),
    pendingIn: (conversationId, userId) => approvals.pendingIn(conversationId, userId),
    async decide(id, { approve, caller }) {
      try {
        const decision = approve ? 'approve' : 'deny';
        return await approvals.decide(id, { decision, caller, from: 'conversation' });
      } catch (error) {
        if (error instanceof ProxyError && NOT_DECIDED.has(error.code)) return approvals.get(id);
        throw error;
      }
    },
    cancel: (id, why, by) => approvals.cancel(id, why, by),
  };
}
