import { actionOf, isAsk, isItemRequest, type ActivityRecord } from '../../../src/contract/activity.ts';

type TitledRecord = Pick<ActivityRecord, 'type' | 'server_name' | 'tool_name' | 'metadata'>;

/** The title of a record: the tool of a call; for decisions and changes also the action. */
export function recordTitle(record: TitledRecord): string {
  const { type, server_name: server, tool_name: tool } = record;
  const name = [server, tool].filter(Boolean).join(':');
  const done =
    actionOf(record) ?? (name && (isAsk(record) || isItemRequest(record) ? type : decisionOf(record)));
  return [done, name].filter(Boolean).join(' ') || type;
}

function decisionOf({ type, metadata: { action } }: TitledRecord): string | undefined {
  return type === 'decision' && typeof action === 'string' ? action : undefined;
}
