import type { Approval } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type { ApprovalRequests } from './store/approval-requests.ts';
import { toApproval } from './store/approval-row.ts';
import type { ApprovalStore } from './store/approval-store.ts';

/** An approval request to the person in a conversation. */
export interface ConversationDraft {
  /** The caller of the later call: with source, user and conversation. */
  caller: Caller;
  server: string;
  /** Without its server. */
  tool: string;
  args: Record<string, unknown>;
  description?: string;
  ttlMs?: number;
}

interface ConversationParts {
  store: ApprovalStore;
  requests: ApprovalRequests;
  /** The approval request for a draft, bound in the same way as the later call. */
  requestFor: (draft: ConversationDraft) => ApprovalRequest;
}

const CONVERSATION_TTL_MS = 300_000;

export function createConversationApprovals({ store, requests, requestFor }: ConversationParts) {
  return {
    async ask(draft: ConversationDraft): Promise<Approval> {
      const { ttlMs = CONVERSATION_TTL_MS, description } = draft;
      const request = { ...requestFor(draft), scope: 'conversation' as const, ttlMs, description };
      return toApproval((await requests.ask(request)) ?? (await requests.attach(request)));
    },

    async pendingIn(conversationId: string, userId: string): Promise<Approval | undefined> {
      const row = await store.ofConversation(conversationId, userId);
      if (!row) return undefined;
      const approval = toApproval(await requests.current(row.id));
      if (approval.status === 'pending') return approval;
      // Reported once, so that a person who answers too late learns that it has expired.
      return approval.status === 'expired' && (await store.markReported(approval.id)) ? approval : undefined;
    },
  };
}
