import { createPolicy } from '../../../approval/index.ts';
import { diffDefinitions } from '../../../catalog/index.ts';
import type { Approval, SimilarCall } from '../../../contract/approval.ts';
import { replayPolicy } from '../../../road/index.ts';
import type { Handlers, RestParts } from '../parts.ts';

type ApprovalHandlers = Pick<
  Handlers,
  | 'listApprovals'
  | 'getApproval'
  | 'decideApproval'
  | 'explainApproval'
  | 'replayApprovals'
  | 'listGrants'
  | 'revokeGrant'
>;

export function approvalRoutes({
  approvals,
  explain,
  activity,
  catalog,
  config,
}: RestParts): ApprovalHandlers {
  return {
    listApprovals: ({ query }) => approvals.list(query),
    async getApproval({ params }, { caller }) {
      const approval = await approvals.reveal(params.id, caller);
      const tool = catalog.get(`${approval.server}:${approval.tool}`);
      const findings = tool ? catalog.judged(tool).findings : [];
      // As the log stores it: equal secrets have equal masks, and what an agent writes is none.
      const similar = await lastSimilar(activity, await approvals.get(params.id));
      return { ...approval, findings, similar };
    },
    // By the credential of the request, not by what the client says of itself.
    decideApproval: ({ params, body }, { caller, via }) =>
      approvals.decide(params.id, { ...body, caller, from: via ?? 'api' }),
    explainApproval: ({ body }) => explain(body),
    async replayApprovals({ body: { since, until, require, buckets } }, { signal }) {
      const end = until ?? new Date().toISOString();
      const policy = createPolicy(require ?? config.current().approvals.require);
      const records = activity.export(
        { type: 'tool_call', start_time: since, end_time: end },
        { isLight: true },
      );
      const range = { since: Date.parse(since), until: Date.parse(end), buckets };
      return { since, until: end, ...(await replayPolicy({ policy, range }, records, signal)) };
    },
    listGrants: async ({ query }) => ({ grants: await approvals.grants(query) }),
    revokeGrant: ({ params }, { caller }) => approvals.revoke(params.id, caller),
  };
}

/** The last successful call of the tool, for comparison; for a decided request the one before it. */
async function lastSimilar(activity: RestParts['activity'], approval: Approval): Promise<SimilarCall | null> {
  const { server, tool, status, created_at: end_time } = approval;
  const { records } = await activity.list(
    { type: 'tool_call', server, tool, status: 'success', ...(status !== 'pending' && { end_time }) },
    { limit: 2 },
  );
  // The record of a call that waited is older than its approval request.
  const last = records.find((record) => record.approval_id !== approval.id);
  if (!last) return null;
  const { id, timestamp, client } = last;
  const { changes } = diffDefinitions(last.arguments ?? {}, approval.arguments ?? {});
  return { record_id: id, timestamp, ...(client && { client }), changes };
}
