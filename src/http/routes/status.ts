import type { Handlers, RestParts } from '../parts.ts';

export function statusRoutes({
  activity,
  catalog,
  upstreams,
  tokens,
  config,
  approvals,
  info,
}: RestParts): Pick<Handlers, 'status'> {
  return {
    async status() {
      const { intent_declaration, quarantine, require_mcp_auth } = config.current();
      const [{ active, expired }, operatorCall] = [tokens.counts(), await tokens.operatorCall()];
      const { strict_server_validation, operation_type, unannotated } = intent_declaration;
      return {
        version: info.version,
        uptime_s: Math.floor((Date.now() - info.startedAt) / 1000),
        pid: process.pid,
        listen: info.listen(),
        config_file: config.file,
        data_dir: info.dataDir,
        config_error: config.lastError(),
        protocol_revisions: [...info.protocolRevisions],
        servers: countByState(upstreams.views()),
        tools: catalog.coverage(),
        tokens: {
          active,
          expired,
          operator_mcp_call_at: operatorCall === null ? null : new Date(operatorCall).toISOString(),
        },
        require_mcp_auth,
        approvals_required: approvals.policy().rules > 0,
        quarantine,
        activity: { ...(await activity.stats()), ...activity.state() },
        approvals: {
          rules: approvals.policy().rules,
          pending: await approvals.pending(),
          in_client: config.current().approvals.in_client,
        },
        intent_declaration: { strict_server_validation, operation_type, unannotated },
      };
    },
  };
}

function countByState(views: ReadonlyArray<{ state: string }>): Record<string, number> {
  const counts: Record<string, number> = { total: views.length };
  for (const { state } of views) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
