import type { RowRecord } from './use-records.ts';

/** What a record is about. A decision about a call is not the call, and says so. */
export function titleOf({
  type,
  server_name: server,
  tool_name: tool,
  metadata: { action },
}: RowRecord): string {
  const name = [server, tool].filter(Boolean).join(':');
  if (type === 'decision' && name && typeof action === 'string') return `${action} ${name}`;
  return name || type;
}
