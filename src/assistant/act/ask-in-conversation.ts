import type { Approvals } from '../../approval/index.ts';
import { judgeCall } from '../../road/index.ts';
import type { CatalogTool } from '../../catalog/index.ts';
import { ProxyError, type ErrorCode } from '../../contract/errors.ts';
import type { Pendings } from '../conversation/pendings.ts';

const SERVER = 'tasks';
const TOOL = 'delete_task';

export interface PendingsParts {
  approvals: Pick<Approvals, 'ask' | 'pendingIn' | 'cancel' | 'decide' | 'get' | 'policy'>;
  catalog: { get(name: string): CatalogTool | undefined };
}

/** It was settled otherwise meanwhile, or another credential of the same person asked. */
const NOT_DECIDED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CONFLICT', 'APPROVAL_FORBIDDEN']);

/** The delete that waits for a yes as an approval: bound to exactly the call that the yes will make, spent once by the road. */
export function createPendings({ approvals, catalog }: PendingsParts): Pendings {
  return {
    mayConfirm(caller) {
      const tool = catalog.get(`${SERVER}:${TOOL}`);
      if (!caller.token || !tool) return true;
      const variant = 'call_tool_destructive';
      return judgeCall(approvals.policy(), tool, variant, caller.principal).action !== 'ask';
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
