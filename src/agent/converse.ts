import { randomUUID } from 'node:crypto';
import type { OpenRecord, RecordDraft } from '../activity/recorder.ts';
import type { CallTool } from '../call/call-tool.ts';
import type { Classification, ToolCall } from '../contract/assistant.ts';
import type { Caller } from '../contract/caller.ts';
import type { ChatAnswer, ChatRequest } from '../contract/chat.ts';
import { toProxyError } from '../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { act, actAll, listOf, type ActParts, type StepOutcome } from './act.ts';
import { cleanMessage } from './clean-message.ts';
import { CONFIRMATION_MS, type Decided, type DecisionContext, type Mark } from './context.ts';
import type { ConversationStore, Held } from './conversation-store.ts';
import { decide } from './decide.ts';
import { holdConversation } from './hold-conversation.ts';
import { inSight } from './in-sight.ts';
import { loadContext } from './load-context.ts';
import type { Pendings } from './pendings.ts';
import { decisionDraft, decisionOutcome, recordRefused } from './record-decision.ts';
import { replyTo, type Reply } from './reply.ts';

export type Classify = (context: DecisionContext) => Classification;

export interface ConverseParts {
  store: ConversationStore;
  pendings: Pendings;
  callTool: CallTool;
  activity: { open(draft: RecordDraft): OpenRecord };
  classify: Classify;
  clock: Clock;
}

export type Converse = (
  request: ChatRequest,
  context: { caller: Caller; signal: AbortSignal },
) => Promise<ChatAnswer>;

/** How long answering one message may take; the hold on the conversation outlasts it. */
const ANSWER_MS = 60_000;

/**
 * Answers one message: holds the conversation, decides from what is stored, acts along the road, stores the answer. Nothing is kept in
 * memory between two messages. Once the conversation is held, the message is answered to its end, also where the sender has gone.
 */
export function createConverse(parts: ConverseParts): Converse {
  return async function converse(request, { caller: sender, signal }) {
    // A yes counts from whichever program the person says it, so the calls are not bound to one.
    const { client, ...person } = sender;
    const caller: Caller = { ...person, source: 'chat' };
    const now = new Date(parts.clock.now()).toISOString();
    const { held, message } = await take(parts, request, caller, { now, signal });
    const messageId = randomUUID();
    const turn: Turn = {
      held,
      messageId,
      message: message.text,
      now,
      caller: { ...caller, conversationId: held.id },
    };
    const record = parts.activity.open(decisionDraft(turn, { request, client, cleaned: message.cleaned }));
    try {
      const { decided, outcomes, reply } = await answer(parts, turn, record.id);
      await record.close(decisionOutcome(decided, outcomes, reply));
      const { user_intent, decision } = decided;
      return { conversation_id: held.id, message_id: messageId, reply: reply.text, user_intent, decision };
    } catch (cause) {
      const error = toProxyError(cause);
      await parts.store.release(held).catch(() => {});
      await record
        .close({ status: error.outcome, error_code: error.code, error_message: error.message })
        .catch(() => {});
      throw error;
    }
  };
}

/** One message on its way to its answer. */
export interface Turn {
  held: Held;
  messageId: string;
  message: string;
  now: string;
  caller: Caller;
}

/** Everything that may be wrong with a message comes before anything is held or done; a refusal is on record too. */
async function take(
  parts: ConverseParts,
  request: ChatRequest,
  caller: Caller,
  { now, signal }: { now: string; signal: AbortSignal },
) {
  try {
    const message = cleanMessage(request.message);
    const wanted = { id: request.conversation_id, userId: caller.userId, title: message.text, at: now };
    return { message, held: await holdConversation(parts, wanted, signal) };
  } catch (cause) {
    const error = toProxyError(cause);
    await recordRefused(parts.activity, request, caller, error).catch(() => {});
    throw error;
  }
}

async function answer(parts: ConverseParts, turn: Turn, decisionId: string) {
  const { store, classify, callTool } = parts;
  const { held, messageId, message, caller, now } = turn;
  const base = await loadContext(parts, held, { messageId, message, now });
  const classification = classify(base);
  const trace = { messageId, decisionId, userIntent: classification.user_intent };
  const acting: ActParts = { callTool, caller, message, trace, signal: AbortSignal.timeout(ANSWER_MS) };
  const { context, decided } = await decideOn(base, classification, acting);
  await store.append(held, {
    id: messageId,
    role: 'user',
    content: message,
    at: now,
    context: JSON.stringify(context),
    decided: JSON.stringify(decided),
  });
  const { outcomes, tooLate } = await carryOut(parts, context, decided, acting);
  const reply = tooLate ? { text: TOO_LATE } : replyTo(decided, outcomes);
  const mark = await markFor(parts, turn, context, decided, reply);
  await store.append(
    held,
    {
      id: randomUUID(),
      role: 'assistant',
      content: reply.text,
      at: new Date(parts.clock.now()).toISOString(),
      ...(reply.shown && { shown: JSON.stringify(reply.shown) }),
      mark: JSON.stringify(mark),
    },
    { release: true },
  );
  return { decided, outcomes, reply };
}

const TOO_LATE =
  'That question is no longer open, so nothing was done. Ask me again if you still want it deleted.';

/** Decides; where the list is needed for it, reads the list and decides with it. */
async function decideOn(base: DecisionContext, classification: Classification, acting: ActParts) {
  const first = decide(base, classification);
  if (!first.read_first) return { context: base, decided: first };
  const call: ToolCall = { tool_name: 'list_tasks', parameters: { user_id: base.user_id }, sequence: 1 };
  const list = listOf(await act(call, acting));
  const ids = new Set([...(base.shown ?? []), base.recent ?? '', base.pending_confirmation?.task_id ?? '']);
  const tasks = list ? inSight(list, { message: base.message, ids }) : null;
  const context = { ...base, tasks };
  return { context, decided: decide(context, classification) };
}

/** What becomes of the delete that waited, and then the calls. The yes is spent before anything is run. */
async function carryOut(
  { pendings }: ConverseParts,
  context: DecisionContext,
  decided: Decided,
  acting: ActParts,
): Promise<{ outcomes: StepOutcome[]; tooLate?: true }> {
  const id = context.pending_confirmation?.approval_id;
  const { caller } = acting;
  if (id !== undefined && decided.pending === 'execute') {
    const { status } = await pendings.decide(id, { approve: true, caller });
    if (status !== 'approved') return { outcomes: [], tooLate: true };
  } else if (id !== undefined && decided.pending === 'cancel') {
    await pendings.decide(id, { approve: false, caller });
  } else if (id !== undefined && decided.pending === 'drop') {
    await pendings.cancel(id, 'dropped by the next message', caller.userId);
  }
  const calls = (decided.decision.tool_calls ?? []).slice(-decided.steps.length);
  const outcomes =
    decided.steps.length > 0 ? await actAll(calls, { ...acting, ...(id && { approvalId: id }) }) : [];
  return { outcomes };
}

/** What the next message may refer to; puts the question about a delete where there is one. */
async function markFor(
  { pendings }: ConverseParts,
  { caller }: Turn,
  context: DecisionContext,
  decided: Decided,
  reply: Reply,
): Promise<Mark> {
  const still = decided.pending === undefined ? context.pending_confirmation : undefined;
  const mark: Mark = {
    ...(reply.recent !== undefined && { recent: reply.recent }),
    ...(decided.question && { question: decided.question }),
    ...(still && { waiting: still }),
  };
  const { asks } = decided;
  if (!asks) return mark;
  const { id } = await pendings.ask({
    caller,
    args: { user_id: context.user_id, task_id: asks.task_id },
    description: `Delete the task “${asks.task_description}”`,
    ttlMs: CONFIRMATION_MS,
  });
  return { ...mark, waiting: { ...asks, approval_id: id } };
}
