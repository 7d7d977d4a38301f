import type { ChatMessage } from '../../contract/chat.ts';
import type { ConversationMessagesTable } from '../../db/index.ts';
import type { DecisionContext, AnswerState, PendingDelete, KnownTask, TaskSnapshot } from '../context.ts';
import type { ConversationStore, LockedConversation } from '../conversation/conversation-store.ts';
import type { PendingDeletes, PendingApproval } from '../conversation/pending-deletes.ts';
import { isTypoOf, wordsOf } from '../reply/task-words.ts';

const HISTORY = 10;
/** How much of an earlier message is kept with each decision. */
const HISTORY_LENGTH = 1000;

export interface Incoming {
  messageId: string;
  message: string;
  now: string;
}

/** Builds the context of a decision from stored data only, so that every proxy on the same database builds the same. */
export async function loadContext(
  { store, pendingDeletes }: { store: ConversationStore; pendingDeletes: PendingDeletes },
  held: LockedConversation,
  { messageId, message, now }: Incoming,
): Promise<DecisionContext> {
  const rows = await store.messages(held.id, { limit: HISTORY });
  const shown = await store.lastShown(held.id);
  const waiting = await pendingDeletes.pendingIn(held.id, held.userId);
  const mark = markOf(rows.at(-1));
  const pending = pendingOf(mark, waiting);
  // A proxy stopped before it could show this question.
  if (waiting?.status === 'pending' && !pending)
    await pendingDeletes.cancel(waiting.id, 'the question was never shown', held.userId);
  return {
    user_id: held.userId,
    message,
    conversation_id: held.id,
    message_id: messageId,
    now,
    message_history: rows.map(toMessage),
    ...(pending && { pending_confirmation: pending }),
    ...(shown !== undefined && { shown: JSON.parse(shown) as string[] }),
    ...(mark.recent !== undefined && { recent: mark.recent }),
    ...(mark.question && { question: mark.question }),
    ...(mark.undo && { undo: mark.undo }),
  };
}

function markOf(row: ConversationMessagesTable | undefined): AnswerState {
  return row?.mark ? (JSON.parse(row.mark) as AnswerState) : {};
}

/** The delete that the last reply asked about, unless it was decided elsewhere. */
function pendingOf(
  { waiting: asked }: AnswerState,
  waiting: PendingApproval | undefined,
): PendingDelete | undefined {
  if (!asked || waiting?.id !== asked.approval_id) return undefined;
  if (waiting.status !== 'pending' && waiting.status !== 'expired') return undefined;
  return { ...asked, created_at: waiting.created_at, expires_at: waiting.expires_at };
}

function toMessage({ role, content, created_at }: ConversationMessagesTable): ChatMessage {
  const characters = Array.from(content);
  return {
    role: role === 'user' ? 'user' : 'assistant',
    content:
      characters.length > HISTORY_LENGTH ? `${characters.slice(0, HISTORY_LENGTH - 1).join('')}…` : content,
    timestamp: created_at,
  };
}

const ALL_UP_TO = 200;

/** The tasks that a decision may need: all of them, or the matching ones of a very long list. Stored with each message. */
export function relevantTasks(
  list: { tasks: KnownTask[]; total: number },
  { message, ids }: { message: string; ids: ReadonlySet<string> },
): TaskSnapshot {
  const { tasks, total } = list;
  const listed = tasks.length;
  if (listed <= ALL_UP_TO) return { tasks, listed, total };
  const words = [...wordsOf(message).content];
  const isMeant = (task: KnownTask) => {
    const said = [...wordsOf(task.description).content];
    return words.some((word) => said.some((other) => isTypoOf(word, other)));
  };
  const meant = tasks.filter((task) => ids.has(task.task_id) || isMeant(task));
  // Keep at most so many, and always those that were mentioned.
  const kept = meant.filter((task, i) => i < ALL_UP_TO || ids.has(task.task_id));
  return { tasks: kept, listed, total };
}
