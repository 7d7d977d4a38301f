import { actionOf, isAsk, isItemRequest, type ActivityRecord } from '../../../../contract/activity.ts';
import { isObject } from '../../../../json/index.ts';

/** The credential of a record: "operator", "token:NAME" or "anonymous"; undefined for events of the proxy itself. */
export function principalOf({ principal, metadata }: ActivityRecord): string | undefined {
  // Older daemons have it only in the metadata.
  const named = principal ?? metadata.principal;
  return typeof named === 'string' ? named : undefined;
}

/** The decision of a person about a pending call: "approve" or "deny". Undefined for other records and for decisions of the assistant. */
export function decisionOf({
  type,
  tool_name: tool,
  metadata: { action },
}: ActivityRecord): string | undefined {
  return type === 'decision' && tool !== undefined && typeof action === 'string' ? action : undefined;
}

/** The tool of a call; for other records the type, the action and the tool or token. */
export function whatOf(record: ActivityRecord): string {
  const { tool_name: tool, type } = record;
  const done = decisionOf(record) ?? actionOf(record);
  if (done !== undefined) return [`${type}: ${done}`, tool ?? tokenOf(record)].filter(Boolean).join(' ');
  if (tool === undefined) return type;
  return type === 'approval' || isAsk(record) || isItemRequest(record) ? `${type}: ${tool}` : tool;
}

/** The name of the created or revoked token. The request may contain only its id; the response has the name. */
function tokenOf({ type, response, arguments: asked }: ActivityRecord): string | undefined {
  if (type !== 'config_change') return undefined;
  return textAt(response, 'token_name') ?? textAt(asked, 'token_name');
}

/** A field of a stored value, if it is a text. */
export function textAt(value: unknown, key: string): string | undefined {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}
