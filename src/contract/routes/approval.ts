import { z } from 'zod';
import { type Route, cursor, flag, limit } from './route.ts';
import {
  Approval,
  ApprovalDetail,
  ApprovalPage,
  ApprovalStatus,
  DecisionBody,
  ExplainRequest,
  Explanation,
  Grant,
  Replay,
  ReplayRequest,
} from '../approval.ts';

const byId = z.object({ id: z.string() });

export const approvalRoutes = {
  listApprovals: {
    method: 'GET',
    path: '/approvals',
    summary: 'Calls that wait, or waited, for a person; newest first',
    query: z.object({ status: ApprovalStatus.optional(), limit: limit(50, 200), cursor }),
    output: ApprovalPage,
  },
  explainApproval: {
    method: 'POST',
    path: '/approvals/explain',
    summary: 'What would happen to a call, and why',
    body: ExplainRequest,
    output: Explanation,
  },
  replayApprovals: {
    method: 'POST',
    path: '/approvals/replay',
    summary: 'What a policy would have done with the calls in the log',
    body: ReplayRequest,
    output: Replay,
  },
  getApproval: {
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'One approval: the call as it would run, and the difference to the last similar call',
    params: byId,
    output: ApprovalDetail,
  },
  decideApproval: {
    method: 'POST',
    path: '/approvals/{id}',
    summary: 'Approve or deny; of several decisions the first one counts',
    params: byId,
    body: DecisionBody,
    output: Approval,
  },
  listGrants: {
    method: 'GET',
    path: '/grants',
    summary: 'Time-boxed permissions to use a tool without asking, newest first',
    query: z.object({ active: flag.describe('only those that still hold'), limit: limit(100, 1000) }),
    output: z.object({ grants: z.array(Grant) }),
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/grants/{id}',
    summary: 'End a grant now',
    params: byId,
    output: Grant,
  },
} as const satisfies Record<string, Route>;
