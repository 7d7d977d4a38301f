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
    summary: 'List approval requests, newest first',
    query: z.object({ status: ApprovalStatus.optional(), limit: limit(50, 200), cursor }),
    output: ApprovalPage,
  },
  explainApproval: {
    method: 'POST',
    path: '/approvals/explain',
    summary: 'Explain what the policy would do with a call',
    body: ExplainRequest,
    output: Explanation,
  },
  replayApprovals: {
    method: 'POST',
    path: '/approvals/replay',
    summary: 'Evaluate a policy against the calls in the log',
    body: ReplayRequest,
    output: Replay,
  },
  getApproval: {
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'Get an approval request: the call as it would run, and the difference to the last similar call',
    params: byId,
    output: ApprovalDetail,
  },
  decideApproval: {
    method: 'POST',
    path: '/approvals/{id}',
    summary: 'Approve or deny a call; the first decision is final',
    params: byId,
    body: DecisionBody,
    output: Approval,
  },
  listGrants: {
    method: 'GET',
    path: '/grants',
    summary: 'List grants, newest first: time-limited permissions to use a tool without an approval',
    query: z.object({ active: flag.describe('only active grants'), limit: limit(100, 1000) }),
    output: z.object({ grants: z.array(Grant) }),
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/grants/{id}',
    summary: 'Revoke a grant',
    params: byId,
    output: Grant,
  },
} as const satisfies Record<string, Route>;
