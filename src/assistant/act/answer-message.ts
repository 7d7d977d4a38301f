import { randomUUID } from 'node:crypto';
import type { Activity, OpenRecord, RecordDraft } from '../../log/index.ts';
import type { CallTool } from '../../road/index.ts';
import type { Classification, ToolCall, ChatAnswer, ChatRequest, UserIntent } from '../../contract/chat.ts';
import type { Caller } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { callTaskTool, listFrom, type TaskCallParts } from './call-task-tool.ts';
import { executeDecision, prepareNextMessage, type DecidedContext } from './execute-decision.ts';
import { cleanMessage, type CleanMessage } from '../read/clean-message.ts';
import type { AnswerState, DecisionContext } from '../context.ts';
import type { ConversationStore } from '../conversation/conversation-store.ts';
import { decide } from '../decide/decide.ts';
import { targetsOf } from '../decide/decide-yes.ts';
import { completeIntent } from '../decide/draft.ts';
import { lockConversation } from '../conversation/lock-conversation.ts';
import { relevantTasks, loadContext } from './load-context.ts';
import type { PendingDeletes } from '../conversation/pending-deletes.ts';
import { isSmallTalk } from '../reply/small-talk.ts';
import { decisionDraft, decisionOutcome, recordRefused, toldDecision, type Turn } from './record-decision.ts';

export type Classify = (context: DecisionContext) => Classification;

export interface AnswerParts {
  store: ConversationStore;
  pendingDeletes: PendingDeletes;
  callTool: CallTool;
  activity: { open(draft: RecordDraft): OpenRecord } & Pick<Activity, 'list'>;
  classify: Classify;
  clock: Clock;
  /** How long the question before a delete stays open. */
  confirmationMs: () => number;
}

export type AnswerMessage = (
  request: ChatRequest,
  context: { caller: Caller; signal: AbortSignal },
) => Promise<ChatAnswer>;

/** Time limit for answering one message. The lock on the conversation lasts longer. */
const ANSWER_MS = 60_000;

/**
 * Answers one message: locks the conversation, decides from what is stored, makes the calls, stores the answer. Nothing is kept in
 * memory between two messages. Once the conversation is locked, the message is answered even if the client disconnects.
 */
export function createAnswerMessage(parts: AnswerParts): AnswerMessage {
  return async function converse(request, from) {
    const { turn, cleaned } = await admitMessage(parts, request, from);
    const { held, messageId } = turn;
    const record = parts.activity.open(decisionDraft(turn, { request, client: from.caller.client, cleaned }));
    try {
      const { decided, reply, outcomes, stopped } = await answer(parts, turn, record.id);
      const outcome = decisionOutcome(decided, outcomes, reply);
      await record.close(stopped ? { ...outcome, status: stopped } : outcome);
      const { user_intent } = decided;
      const decision = toldDecision(decided.decision, reply.text);
      return { conversation_id: held.id, message_id: messageId, reply: reply.text, user_intent, decision };
    } catch (cause) {
      const error = toProxyError(cause);
      // The first error is reported. A hold that is not released here expires.
      await parts.store.release(held).catch(() => {});
      await record
        .close({ status: error.outcome, error_code: error.code, error_message: error.message })
        .catch(() => {});
      throw error;
    }
  };
}

/** Checks the message before anything is locked or done. A rejected message is recorded too. */
async function admitMessage(
  parts: AnswerParts,
  request: ChatRequest,
  { caller: sender, signal }: { caller: Caller; signal: AbortSignal },
): Promise<{ turn: Turn; cleaned: boolean }> {
  const { store, clock, activity } = parts;
  // A person may confirm from another client program, so the calls are not bound to one.
  const { client: _program, ...person } = sender;
  const caller: Caller = { ...person, source: 'chat' };
  const time = () => new Date(clock.now()).toISOString();
  try {
    const { text, cleaned } = await cleanOrDrop(parts, request, caller);
    const wanted = {
      id: request.conversation_id ?? undefined,
      userId: caller.userId,
      title: text,
      at: time(),
    };
    const held = await lockConversation({ store, clock }, wanted, signal);
    const inConversation = { ...caller, conversationId: held.id };
    return {
      turn: { held, messageId: randomUUID(), message: text, now: time(), caller: inConversation },
      cleaned,
    };
  } catch (cause) {
    const error = toProxyError(cause);
    // The caller gets the refusal even when it cannot be recorded; a failing log reports itself.
    await recordRefused(activity, request, { caller: { ...sender, source: 'chat' }, error }).catch(() => {});
    throw error;
  }
}

/** A message that cannot be read drops the pending delete, like every new message. */
async function cleanOrDrop(
  { store, pendingDeletes }: AnswerParts,
  { message, conversation_id: id }: ChatRequest,
  { userId }: Caller,
): Promise<CleanMessage> {
  try {
    return cleanMessage(message);
  } catch (cause) {
    const known = id ? await store.get(id, userId) : undefined;
    const waiting = known && (await pendingDeletes.pendingIn(known.id, userId));
    if (waiting?.status !== 'pending') throw cause;
    const [last] = await store.messages(known!.id, { limit: 1 });
    const { waiting: asked } = JSON.parse(last?.mark ?? '{}') as AnswerState;
    const ids = asked ? targetsOf(asked).map(({ approval_id }) => approval_id) : [waiting.id];
    for (const approval of ids) await pendingDeletes.cancel(approval, 'dropped by the next message', userId);
    const error = toProxyError(cause);
    throw new ProxyError(
      error.code,
      `${error.message}. The request to delete was dropped; nothing was deleted`,
      error.details,
    );
  }
}

async function answer(parts: AnswerParts, turn: Turn, decisionId: string) {
  const { store, pendingDeletes, classify, callTool, clock } = parts;
  const { held, messageId, message, caller, now } = turn;
  const base: DecisionContext = {
    ...(await loadContext(parts, held, { messageId, message, now })),
    confirmation_ms: parts.confirmationMs(),
    ...(pendingDeletes.mayDelete(caller) ? {} : { may_delete: false }),
  };
  const first = classify(base);
  const trace = { messageId, decisionId, userIntent: completeIntent(first.user_intent) };
  const reading: TaskCallParts = { callTool, caller, message, trace, signal: AbortSignal.timeout(ANSWER_MS) };
  const made = await decideWithList(base, first, { acting: reading, classify });
  const { context, decided } = made;
  const acting = { ...reading, trace: { ...trace, userIntent: decided.user_intent } };
  const [contextText, decidedText] = [JSON.stringify(context), JSON.stringify(decided)];
  const said = { id: messageId, role: 'user' as const, content: message, at: now };
  await store.append(held, { ...said, context: contextText, decided: decidedText });
  const done = await executeDecision(pendingDeletes, made, acting);
  const mark = await prepareNextMessage(pendingDeletes, made, { execution: done, caller });
  const { text, shown } = done.reply;
  const answered = {
    id: randomUUID(),
    role: 'assistant' as const,
    content: text,
    mark: JSON.stringify(mark),
  };
  const at = new Date(clock.now()).toISOString();
  await store.append(
    held,
    { ...answered, at, ...(shown && { shown: JSON.stringify(shown) }) },
    { release: true },
  );
  return { decided, ...done };
}

/** Looks at the list before it classifies and decides. Only small talk and a bare yes or no need no list. */
async function decideWithList(
  base: DecisionContext,
  classification: Classification,
  { acting, classify }: { acting: TaskCallParts; classify: Classify },
): Promise<DecidedContext> {
  const first = decide(base, classification);
  if (!first.read_first && isTalkAlone(base.message, first.user_intent))
    return { context: base, decided: first };
  const call: ToolCall = { tool_name: 'list_tasks', parameters: { user_id: base.user_id }, sequence: 1 };
  const read = await callTaskTool(call, acting);
  const list = listFrom(read);
  const tasks = list ? relevantTasks(list, { message: base.message, ids: idsIn(base) }) : null;
  // A message that is clear without the list does not fail because the list cannot be read.
  if (tasks === null && !first.read_first) return { context: base, decided: first };
  const code = read.state === 'failed' ? read.code : undefined;
  const context = { ...base, tasks, ...(code && { unread: code }) };
  return { context, decided: decide(context, classify(context)), ...(list && { read }) };
}

function idsIn({ shown = [], recent = '', pending_confirmation }: DecisionContext): Set<string> {
  return new Set([...shown, recent, pending_confirmation?.task_id ?? '']);
}

const LONGEST_TALK = 4;

function isTalkAlone(message: string, { intent_type }: UserIntent): boolean {
  if (intent_type === 'CONFIRM_YES' || intent_type === 'CONFIRM_NO') return true;
  const isShort = message.trim().split(/\s+/, LONGEST_TALK + 1).length <= LONGEST_TALK;
  return intent_type === 'GENERAL_CHAT' && isShort && isSmallTalk(message);
}
