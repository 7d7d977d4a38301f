import { createPolicy, replayPolicy } from '../../../approval/index.ts';
import { diffDefinitions } from '../../../catalog/index.ts';
import type { Approval, SimilarCall } from '../../../contract/approval.ts';
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
      return { ...approval, findings, similar: await lastSimilar(activity, approval) };
    },
    // By the credential of the request, not by what the client says of itself.
    decideApproval: ({ params, body }, { caller, via }) =>
      approvals.decide(params.id, { ...body, caller, from: via ?? 'api' }),
    explainApproval: ({ body }) => explain(body),
    async replayApprovals({ body: { since, until, require } }, { signal }) {
      const end = until ?? new Date().toISOString();
      const policy = createPolicy(require ?? config.current().approvals.require);
      const records = activity.export({ type: 'tool_call', start_time: since, end_time: end });
      return { since, until: end, ...(await replayPolicy(policy, records, signal)) };
    },
    listGrants: async ({ query }) => ({ grants: await approvals.grants(query) }),
    revokeGrant: ({ params }, { caller }) => approvals.revoke(params.id, caller),
  };
}

/** The last successful call of the tool, for comparison. */
async function lastSimilar(activity: RestParts['activity'], approval: Approval): Promise<SimilarCall | null> {
  const { server, tool } = approval;
  const { records } = await activity.list(
    { type: 'tool_call', server, tool, status: 'success' },
    { limit: 1 },
  );
  const [last] = records;
  if (!last) return null;
  const { id, timestamp, client } = last;
  const { changes } = diffDefinitions(last.arguments ?? {}, approval.arguments ?? {});
  return { record_id: id, timestamp, ...(client && { client }), changes };
}
