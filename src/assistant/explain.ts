import type { ChatExplainRequest, ChatExplanation } from '../contract/chat.ts';
import { cleanMessage } from './read/clean-message.ts';
import { CONFIRMATION_MS, type DecisionContext, type PendingDelete } from './context.ts';
import type { Classify } from './act/answer-message.ts';
import { decide } from './decide/decide.ts';

export interface ExplainParts {
  userId: string;
  now: number;
  classify: Classify;
}

/** Placeholder ids. */
const supposedId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const LIST_DECIDES = 'the list was not read; a task with exactly this title would be matched';

/** What would be understood and decided, and why, for the first message of a conversation. Reads, runs and stores nothing. */
export function explainMessage(request: ChatExplainRequest, parts: ExplainParts): ChatExplanation {
  const context = supposedContext(request, parts);
  const { user_intent, decision, because } = decide(context, parts.classify(context));
  const open = user_intent.intent_type === 'GENERAL_CHAT' || user_intent.intent_type === 'AMBIGUOUS';
  const unread = open && !context.tasks ? [LIST_DECIDES] : [];
  return { user_intent, decision, because: [...because, ...unread] };
}

function supposedContext(
  { message, pending, tasks }: ChatExplainRequest,
  { userId, now }: ExplainParts,
): DecisionContext {
  const known = tasks?.map((description, i) => ({
    task_id: supposedId(i + 1),
    description,
    status: 'pending' as const,
  }));
  const target =
    known?.find(({ description }) => description === pending?.task_description)?.task_id ?? supposedId(0);
  return {
    user_id: userId,
    message: cleanMessage(message).text,
    conversation_id: supposedId(0),
    message_id: supposedId(0),
    now: new Date(now).toISOString(),
    message_history: [],
    ...(pending && {
      pending_confirmation: supposedPending(target, pending.task_description, { userId, now }),
    }),
    ...(known && { tasks: { tasks: known, listed: known.length, total: known.length } }),
  };
}

function supposedPending(
  task_id: string,
  description: string,
  { userId, now }: Omit<ExplainParts, 'classify'>,
): PendingDelete {
  return {
    action_type: 'DELETE_TASK',
    task_id,
    task_description: description,
    task_status: 'pending',
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + CONFIRMATION_MS).toISOString(),
    approval_id: '',
    steps: [
      {
        call: { tool_name: 'delete_task', parameters: { user_id: userId, task_id } },
        done: '',
        wish: `delete ${description}`,
      },
    ],
  };
}
