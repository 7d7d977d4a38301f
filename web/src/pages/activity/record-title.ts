import { actionOf } from '../../../../src/contract/activity.ts';
import type { RowRecord } from './use-records.ts';

/** What a record is about. A decision about a call is not the call, nor is a change, and each says what was done. */
export function titleOf(record: RowRecord): string {
  const { type, server_name: server, tool_name: tool } = record;
  const name = [server, tool].filter(Boolean).join(':');
  const done = actionOf(record) ?? (name && decisionOf(record));
  return [done, name].filter(Boolean).join(' ') || type;
}

function decisionOf({ type, metadata: { action } }: RowRecord): string | undefined {
  return type === 'decision' && typeof action === 'string' ? action : undefined;
}
