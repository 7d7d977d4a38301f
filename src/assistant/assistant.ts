import type { Caller } from '../contract/call.ts';
import type {
  ChatExplainRequest,
  ChatExplanation,
  Conversation,
  ConversationDetail,
  ConversationMessage,
  ConversationPage,
  ConversationReplay,
  InvocationPage,
} from '../contract/chat.ts';
import { ProxyError } from '../contract/errors.ts';
import type { ConversationMessagesTable, ConversationsTable } from '../db/index.ts';
import type { Decided, DecisionContext } from './context.ts';
import { createAnswerMessage, type AnswerMessage, type AnswerParts } from './act/answer-message.ts';
import { explainMessage } from './explain.ts';
import { conversationNotFound } from './conversation/lock-conversation.ts';
import { decide } from './decide/decide.ts';
import { toldDecision } from './act/record-decision.ts';
import { currentContext, toInvocation } from './records.ts';

/** The task assistant. Callers only see their own conversations. */
export interface Assistant {
  chat: AnswerMessage;
  explain(request: ChatExplainRequest, caller: Caller): ChatExplanation;
  list(page: { limit: number; cursor?: string | undefined }, caller: Caller): Promise<ConversationPage>;
  get(
    id: string,
    page: { limit: number; cursor?: string | undefined },
    caller: Caller,
  ): Promise<ConversationDetail>;
  invocations(
    id: string,
    page: { limit: number; cursor?: string | undefined },
    caller: Caller,
  ): Promise<InvocationPage>;
  replay(id: string, caller: Caller): Promise<ConversationReplay>;
}

const REPLAY_PAGE = 200;
const MOST_DIFFERENCES = 100;

export function createAssistant(parts: AnswerParts): Assistant {
  const { store, classify, clock } = parts;

  async function find(id: string, { userId }: Caller): Promise<ConversationsTable> {
    const found = await store.get(id, userId);
    if (!found) throw conversationNotFound(id);
    return found;
  }

  return {
    chat: createAnswerMessage(parts),
    explain: (request, { userId }) => explainMessage(request, { userId, now: clock.now(), classify }),

    async list({ limit, cursor }, { userId }) {
      const before = cursor === undefined ? undefined : fromListCursor(cursor);
      const rows = await store.list(userId, { limit: limit + 1, ...(before && { before }) });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        conversations: page.map(toConversation),
        next_cursor: rows.length > limit && last ? `${last.updated_at}_${last.id}` : null,
      };
    },

    async get(id, { limit, cursor }, caller) {
      const { messages: total, ...conversation } = toConversation(await find(id, caller));
      const before = cursor === undefined ? undefined : fromMessageCursor(cursor);
      const rows = await store.messages(id, { limit, ...(before !== undefined && { before }) });
      const first = rows[0]?.n ?? 1;
      const context = cursor === undefined ? await currentContext(parts, rows) : undefined;
      return {
        ...conversation,
        total,
        messages: rows.map((row, i) => toMessage(row, rows[i + 1])),
        next_cursor: first > 1 ? String(first) : null,
        ...(context && { decision_context: context }),
      };
    },

    async invocations(id, { limit, cursor }, caller) {
      await find(id, caller);
      const filter = { type: 'tool_call' as const, conversation_id: id };
      const { records, next_cursor } = await parts.activity.list(filter, { limit, cursor });
      return { invocations: records.flatMap((record) => toInvocation(record) ?? []), next_cursor };
    },

    async replay(id, caller) {
      const { messages } = await find(id, caller);
      const replay: ConversationReplay = { conversation_id: id, decisions: 0, differences: [] };
      for (let before = messages + 1; before > 1;) {
        const rows = await store.messages(id, { limit: REPLAY_PAGE, before });
        for (const row of rows.filter(({ context }) => context !== null)) {
          replay.decisions++;
          const difference = replayMessage(row, classify);
          if (difference && replay.differences.length < MOST_DIFFERENCES)
            replay.differences.unshift(difference);
        }
        before = rows[0]?.n ?? 1;
      }
      return replay;
    },
  };
}

type Difference = ConversationReplay['differences'][number];

/** Decides the stored context again and compares the JSON text. */
function replayMessage(
  row: ConversationMessagesTable,
  classify: AnswerParts['classify'],
): Difference | undefined {
  const context = JSON.parse(row.context!) as DecisionContext;
  const again = JSON.stringify(decide(context, classify(context)));
  if (again === row.decided) return undefined;
  const was = row.decided === null ? null : (JSON.parse(row.decided) as unknown);
  return { message_id: row.id, message: row.content, was, is: JSON.parse(again) as unknown };
}

function toConversation({ id, title, messages, created_at, updated_at }: ConversationsTable): Conversation {
  return { id, title, messages, created_at, updated_at };
}

/** `next`: the reply, which is what the person was told about the decision. */
function toMessage(
  { id, role, content, created_at, decided }: ConversationMessagesTable,
  next: ConversationMessagesTable | undefined,
): ConversationMessage {
  const stored = decided === null ? undefined : (JSON.parse(decided) as Decided);
  const said = stored && next ? { ...stored, decision: toldDecision(stored.decision, next.content) } : stored;
  return {
    id,
    role: role === 'user' ? 'user' : 'assistant',
    content,
    timestamp: created_at,
    ...(said && { user_intent: said.user_intent, decision: said.decision, because: said.because }),
  };
}

function fromListCursor(cursor: string): [string, string] {
  const parts = /^(\d{4}-[0-9T:.-]+Z)_([0-9a-f-]{36})$/.exec(cursor);
  if (!parts) throw invalidCursor();
  return [parts[1]!, parts[2]!];
}

function fromMessageCursor(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
  return Number(cursor);
}

function invalidCursor(): ProxyError {
  return new ProxyError('INVALID_REQUEST', 'Invalid cursor; leave it out to start with the newest', {
    in: 'query',
    parameter: 'cursor',
  });
}
