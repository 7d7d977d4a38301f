import { createHash } from 'node:crypto';
import type { ActivityRecord } from '../contract/activity.ts';
import { ToolInvocationRecord, UserIntent, type ConversationContext } from '../contract/chat.ts';
import type { ConversationMessagesTable } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { AnswerState, DecisionContext } from './context.ts';
import type { PendingDeletes } from './conversation/pending-deletes.ts';

/** The activity record of a call as an audit record; undefined if the record is incomplete. */
export function toInvocation(record: ActivityRecord): ToolInvocationRecord | undefined {
  const { metadata, status, error_message } = record;
  const intent = UserIntent.safeParse(metadata.user_intent);
  const success = status === 'success';
  const parsed = ToolInvocationRecord.safeParse({
    id: uuidFrom(record.id),
    conversation_id: record.conversation_id,
    message_id: metadata.message_id,
    user_id: metadata.user_id,
    tool_name: record.tool_name,
    parameters: record.arguments ?? {},
    intent_classification: intent.data?.intent_type,
    result: record.response ?? null,
    success,
    error_message: success ? null : (error_message ?? `The call ended with status ${status}`),
    invoked_at: record.timestamp,
    duration_ms: record.duration_ms ?? 0,
  });
  return parsed.success ? parsed.data : undefined;
}

/** A UUID (version 8) that is the same for the same record. */
function uuidFrom(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What the last decision was made from, and the delete that waits now. */
export async function currentContext(
  { pendingDeletes, clock }: { pendingDeletes: PendingDeletes; clock: Clock },
  rows: readonly ConversationMessagesTable[],
): Promise<ConversationContext | undefined> {
  const asked = rows.findLast(({ context }) => context !== null);
  if (!asked) return undefined;
  const { user_id, message, conversation_id, message_history } = JSON.parse(
    asked.context!,
  ) as DecisionContext;
  const { waiting } = JSON.parse(rows.at(-1)?.mark ?? '{}') as AnswerState;
  const isOpen =
    waiting !== undefined &&
    Date.parse(waiting.expires_at) > clock.now() &&
    (await pendingDeletes.isPending(waiting.approval_id));
  const context = { user_id, message, conversation_id, message_history };
  if (!isOpen) return context;
  const { action_type, task_id, task_description, created_at, expires_at } = waiting;
  return {
    ...context,
    pending_confirmation: { action_type, task_id, task_description, created_at, expires_at },
  };
}
