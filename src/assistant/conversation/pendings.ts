import type { Approval, ApprovalStatus } from '../../contract/approval.ts';
import type { Caller } from '../../contract/call.ts';

/** What the assistant needs of approvals: the delete that waits for the person's next message is one like any other. */
export interface Pendings {
  ask(draft: DeleteDraft): Promise<Pick<Approval, 'id' | 'created_at' | 'expires_at'>>;
  /** The one that waits in this conversation. One whose time is over comes back as expired. */
  pendingIn(conversationId: string, userId: string): Promise<Waiting | undefined>;
  /** False where the operator's policy wants another person to decide: an agent's token cannot say yes for the operator. */
  mayConfirm(caller: Caller): boolean;
  /** The person's answer. The status afterwards tells whether it was in time. */
  decide(id: string, answer: { approve: boolean; caller: Caller }): Promise<{ status: ApprovalStatus }>;
  cancel(id: string, why: string, by: string): Promise<unknown>;
}

export type Waiting = Pick<Approval, 'id' | 'status' | 'created_at' | 'expires_at'>;

export interface DeleteDraft {
  caller: Caller;
  args: Record<string, unknown>;
  /** The call in words. */
  description: string;
  ttlMs: number;
}
