import type { OpenRecord, Outcome, RecordDraft } from '../../log/index.ts';
import { callerMetadata, type Caller } from '../../contract/call.ts';
import type { AgentDecision, ChatRequest } from '../../contract/chat.ts';
import type { ProxyError } from '../../contract/errors.ts';
import type { StepOutcome } from './call-task-tool.ts';
import type { Decided } from '../context.ts';
import type { Reply } from '../reply/reply.ts';
import { shorten } from '../reply/wording.ts';
import type { LockedConversation } from '../conversation/conversation-store.ts';

/** One message that is being answered. */
export interface Turn {
  held: LockedConversation;
  messageId: string;
  message: string;
  now: string;
  caller: Caller;
}

const PREVIEW = 200;

/** Every decision has its own record, with or without calls; the records of its calls refer to it. */
export function decisionDraft(
  { message, messageId, caller }: Turn,
  { request, client, cleaned }: { request: ChatRequest; client: string | undefined; cleaned: boolean },
): RecordDraft {
  const warnings = [
    ...(cleaned ? ['characters that cannot be seen were removed from the message'] : []),
    ...('user_id' in request && request.user_id !== caller.userId
      ? ['the supplied user_id was replaced by that of the caller']
      : []),
  ];
  return {
    ...common({ ...caller, ...(client && { client }) }),
    arguments: { message },
    ...(caller.conversationId && { conversation_id: caller.conversationId }),
    metadata: {
      ...callerMetadata(caller),
      user_id: caller.userId,
      message_id: messageId,
      conversation_id: caller.conversationId,
      ...(warnings.length > 0 && { warnings }),
    },
  };
}

export function decisionOutcome(
  { user_intent, decision, because, refused }: Decided,
  outcomes: readonly StepOutcome[],
  reply: Reply,
): Outcome {
  const has = (state: StepOutcome['state']) => outcomes.some((outcome) => outcome.state === state);
  const status = refused ? 'refused' : has('unknown') ? 'unknown' : has('failed') ? 'error' : 'success';
  return {
    status,
    response: { reply: reply.text, decision: toldDecision(decision, reply.text) },
    metadata: { user_intent, decision_type: decision.decision_type, because },
  };
}

/** The decision with the reply that the person got, also if a call failed. The question is told separately. */
export function toldDecision(
  { response_text: _planned, ...decision }: AgentDecision,
  reply: string,
): AgentDecision {
  const { clarification_question: question = '' } = decision;
  const told = (question && reply.endsWith(question) ? reply.slice(0, -question.length) : reply).trim();
  return { ...decision, ...(told && { response_text: told }) };
}

/** A message that was rejected: empty, too long, or for an unknown conversation. */
export async function recordRefused(
  activity: { open(draft: RecordDraft): OpenRecord },
  { message, conversation_id }: ChatRequest,
  { caller, error }: { caller: Caller; error: ProxyError },
): Promise<void> {
  const record = activity.open({
    ...common(caller),
    // Not recorded under the conversation, which may be another person's.
    arguments: {
      message: shorten(message.slice(0, 4 * PREVIEW), PREVIEW),
      ...(conversation_id && { conversation_id }),
    },
    metadata: { ...callerMetadata(caller), user_id: caller.userId },
  });
  await record.close({ status: error.outcome, error_code: error.code, error_message: error.message });
}

function common({
  source,
  requestId,
  client,
}: Caller): Pick<RecordDraft, 'type' | 'source' | 'request_id' | 'client'> {
  return { type: 'assistant_decision', source, request_id: requestId, ...(client && { client }) };
}
