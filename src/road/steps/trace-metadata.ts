import type { ActivityMetadata } from '../../contract/activity.ts';
import type { Caller, ChatTrace } from '../../contract/caller.ts';

/** What leads from the record of a call to the message and the decision behind it. */
export function traceMetadata(trace: ChatTrace, caller: Caller): ActivityMetadata {
  return {
    conversation_id: caller.conversationId,
    message_id: trace.messageId,
    decision_id: trace.decisionId,
    sequence: trace.sequence,
    user_id: caller.userId,
    user_intent: trace.userIntent,
  };
}
