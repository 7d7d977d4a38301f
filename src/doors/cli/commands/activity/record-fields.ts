import type { ActivityRecord } from '../../../../contract/activity.ts';

/** The credential behind a record: "operator", "token:NAME" or "anonymous"; none where the proxy noted something by itself. */
export function principalOf({ principal, metadata }: ActivityRecord): string | undefined {
  // An older daemon tells it in the metadata alone.
  const named = principal ?? metadata.principal;
  return typeof named === 'string' ? named : undefined;
}

/** What a person decided about a held call: "approve" or "deny". Of other records, also the assistant's own decisions, undefined. */
export function decisionOf({
  type,
  tool_name: tool,
  metadata: { action },
}: ActivityRecord): string | undefined {
  return type === 'decision' && tool !== undefined && typeof action === 'string' ? action : undefined;
}

/** The tool that a record is about. A decision is not the call: it says so. Records without a tool are told by their type. */
export function whatOf(record: ActivityRecord): string {
  const decision = decisionOf(record);
  const { tool_name: tool, type } = record;
  if (decision !== undefined) return `decision: ${decision} ${tool}`;
  if (tool === undefined) return type;
  return type === 'approval' ? `approval: ${tool}` : tool;
}
