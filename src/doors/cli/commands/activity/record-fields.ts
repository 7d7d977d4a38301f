import { z } from 'zod';
import { actionOf, type ActivityRecord } from '../../../../contract/activity.ts';

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

/** The tool that a record is about. What is not a call says what was done; other records without a tool are told by their type. */
export function whatOf(record: ActivityRecord): string {
  const { tool_name: tool, type } = record;
  const done = decisionOf(record) ?? actionOf(record);
  if (done !== undefined) return [`${type}: ${done}`, tool ?? tokenOf(record)].filter(Boolean).join(' ');
  if (tool === undefined) return type;
  return type === 'approval' ? `approval: ${tool}` : tool;
}

/** The token that was made or revoked. What was asked for may be its id, what came of it has the name. */
function tokenOf({ type, response, arguments: asked }: ActivityRecord): string | undefined {
  if (type !== 'config_change') return undefined;
  return Token.safeParse(response).data?.token_name ?? Token.safeParse(asked).data?.token_name;
}

const Token = z.object({ token_name: z.string() });
