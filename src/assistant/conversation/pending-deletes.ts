import { callFacts, type Approvals } from '../../approval/index.ts';
import type { CatalogTool } from '../../catalog/index.ts';
import { isOutOfScope } from '../../road/index.ts';
import { ProxyError, type ErrorCode } from '../../contract/errors.ts';
import type { Approval, ApprovalStatus } from '../../contract/approval.ts';
import type { Caller } from '../../contract/call.ts';

/** Approval requests for deletes: each waits for the person's next message. */
export interface PendingDeletes {
  ask(draft: DeleteDraft): Promise<Pick<Approval, 'id' | 'created_at' | 'expires_at'>>;
  /** The pending one of this conversation. After its time-out its status is expired. */
  pendingIn(conversationId: string, userId: string): Promise<PendingApproval | undefined>;
  /** False if the scope of the credential does not permit deletes. */
  mayDelete(caller: Caller): boolean;
  /** Whether the approval still waits for an answer. */
  isPending(id: string): Promise<boolean>;
  /** False if the policy requires the operator to decide: an agent token cannot confirm for the operator. */
  mayConfirm(caller: Caller): boolean;
  /** Records the person's answer. The status tells whether it was in time. */
  decide(id: string, answer: { approve: boolean; caller: Caller }): Promise<{ status: ApprovalStatus }>;
  cancel(id: string, why: string, by: string): Promise<unknown>;
}

export type PendingApproval = Pick<Approval, 'id' | 'status' | 'created_at' | 'expires_at'>;

export interface DeleteDraft {
  caller: Caller;
  args: Record<string, unknown>;
  /** Describes the call to the person. */
  description: string;
  ttlMs: number;
}

const SERVER = 'tasks';
const TOOL = 'delete_task';

export interface PendingDeletesParts {
  approvals: Pick<Approvals, 'ask' | 'pendingIn' | 'cancel' | 'decide' | 'get' | 'policy'>;
  catalog: { get(name: string): CatalogTool | undefined };
}

/** Settled in the meantime, or requested with another credential of the same person. */
const NOT_DECIDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CONFLICT', 'APPROVAL_FORBIDDEN']);

/** Approval requests for deletes: each is bound to exactly one call and can be used once. */
export function createPendingDeletes({ approvals, catalog }: PendingDeletesParts): PendingDeletes {
  return {
    mayDelete: ({ token }) => !isOutOfScope(token, `${SERVER}:${TOOL}`, catalog.get(`${SERVER}:${TOOL}`)),
    isPending: async (id) => (await approvals.get(id)).status === 'pending',
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
