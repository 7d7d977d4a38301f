import { actionOf, isItemRequest } from '../../../../src/contract/activity.ts';
import type { RowRecord } from './use-records.ts';

/** The title of a record: the tool of a call; for decisions and changes also the action. */
export function titleOf(record: RowRecord): string {
  const { type, server_name: server, tool_name: tool } = record;
  const name = [server, tool].filter(Boolean).join(':');
  const done = actionOf(record) ?? (name && (isItemRequest(record) ? type : decisionOf(record)));
  return [done, name].filter(Boolean).join(' ') || type;
}

function decisionOf({ type, metadata: { action } }: RowRecord): string | undefined {
  return type === 'decision' && typeof action === 'string' ? action : undefined;
}
