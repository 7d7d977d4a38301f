import { z } from 'zod';

/** The intent of a person's message. The intent that a call declares is `IntentDeclaration`. */
export const IntentType = z.enum([
  'CREATE_TASK',
  'LIST_TASKS',
  'COMPLETE_TASK',
  'UPDATE_TASK',
  'DELETE_TASK',
  'GENERAL_CHAT',
  'AMBIGUOUS',
  'CONFIRM_YES',
  'CONFIRM_NO',
]);
export type IntentType = z.infer<typeof IntentType>;

/** In Unicode code points, like every length that is shown to people. */
export const MESSAGE_MAX_LENGTH = 4000;
export const DESCRIPTION_MAX_LENGTH = 1000;

const confidence = z.number().min(0).max(1).optional();
const none = z.object({});
const text = z.string().min(1);
function intent<Type extends IntentType, Params extends z.ZodObject>(type: Type, params: Params) {
  return z.object({ intent_type: z.literal(type), confidence, extracted_params: params });
}

/**
 * Parameters are absent when the message does not give them ("add a task"); the decision is then to ask for them.
 * An update that appends to the old text, or moves its time, has no new_description, because that needs the old text (see TaskChange).
 */
export const UserIntent = z.discriminatedUnion('intent_type', [
  intent('CREATE_TASK', z.object({ description: text.optional() })),
  intent('LIST_TASKS', none),
  intent('COMPLETE_TASK', z.object({ task_reference: text.optional() })),
  intent('UPDATE_TASK', z.object({ task_reference: text.optional(), new_description: text.optional() })),
  intent('DELETE_TASK', z.object({ task_reference: text.optional() })),
  intent('GENERAL_CHAT', none),
  intent('AMBIGUOUS', z.object({ possible_intents: z.array(IntentType) })),
  intent('CONFIRM_YES', none),
  intent('CONFIRM_NO', none),
]);
export type UserIntent = z.infer<typeof UserIntent>;

/** Which task a message refers to. `text` is the wording of the message: an exact title has priority over every other reading. */
export const TaskReference = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('title'), text }),
  z.object({ kind: z.literal('position'), text, position: z.number().int().min(1) }),
  z.object({ kind: z.literal('last'), text }).describe('the last task of the list that was shown'),
  z
    .object({ kind: z.literal('recent'), text, task_id: z.string().optional() })
    .describe('"it", "that one": the task mentioned before; with an id if a question named it'),
  z
    .object({ kind: z.literal('all'), text, task_ids: z.array(z.string()).optional() })
    .describe('every task, or every task that `text` describes; with ids if a question named them'),
]);
export type TaskReference = z.infer<typeof TaskReference>;

/** What an update does to the description. */
export const TaskChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('replace'), text }).describe('the new description'),
  z.object({ kind: z.literal('append'), text }).describe('text to append to the old description'),
  z
    .object({ kind: z.literal('when'), text })
    .describe('a new time or day; the rest of the description is unchanged'),
  z
    .object({ kind: z.literal('swap'), from: text, text })
    .describe('`from` in the old description becomes `text`'),
]);
export type TaskChange = z.infer<typeof TaskChange>;

/** The part of the list that a message asks for. */
export const ListFilter = z.object({
  status: z.enum(['pending', 'completed']).optional(),
  words: text.optional().describe('the title has all of these words'),
  count: z.literal(true).optional().describe('only their number is asked for'),
  more: z.literal(true).optional().describe('the tasks after those that were shown last'),
});
export type ListFilter = z.infer<typeof ListFilter>;

/** One request within a message. */
export const MessageClause = z.object({
  text: z.string().describe('this part of the message'),
  user_intent: UserIntent,
  reference: TaskReference.optional(),
  change: TaskChange.optional(),
  unsure: z.literal(true).optional().describe('words may be lost, so the person is asked before the change'),
  filter: ListFilter.optional(),
  reasons: z.array(z.string()).describe('reasons for this classification, for people'),
});
export type MessageClause = z.infer<typeof MessageClause>;

/**
 * The classification of a message. With one clause, `user_intent` is that of the clause. Several clauses run in order; `user_intent` is
 * theirs if they agree, AMBIGUOUS if one of them is destructive or unclear, otherwise that of the first.
 */
export const Classification = z.object({
  user_intent: UserIntent,
  clauses: z.array(MessageClause).min(1),
  reasons: z.array(z.string()),
});
export type Classification = z.infer<typeof Classification>;

export const ChatMessage = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** A delete that waits for the person's confirmation. */
export const PendingAction = z.object({
  action_type: z.literal('DELETE_TASK'),
  task_id: z.uuid(),
  task_description: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  expires_at: z.iso.datetime({ offset: true }),
});
export type PendingAction = z.infer<typeof PendingAction>;

export const DecisionType = z.enum([
  'INVOKE_TOOL',
  'RESPOND_ONLY',
  'ASK_CLARIFICATION',
  'REQUEST_CONFIRMATION',
  'EXECUTE_PENDING',
  'CANCEL_PENDING',
]);
export type DecisionType = z.infer<typeof DecisionType>;

export const TaskToolName = z.enum(['add_task', 'list_tasks', 'update_task', 'complete_task', 'delete_task']);
export type TaskToolName = z.infer<typeof TaskToolName>;

export const ToolCall = z.object({
  tool_name: TaskToolName,
  parameters: z.record(z.string(), z.unknown()),
  sequence: z.number().int().min(1),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const AgentDecision = z.object({
  decision_type: DecisionType,
  tool_calls: z.array(ToolCall).optional(),
  response_text: z.string().optional(),
  clarification_question: z.string().optional(),
});
export type AgentDecision = z.infer<typeof AgentDecision>;

/** The credential alone determines the user; a user_id in the request is ignored, and the record says so. */
export const ChatRequest = z.looseObject({
  conversation_id: z.string().max(100).nullish().describe('conversation to continue; absent: a new one'),
  message: z.string().describe('1–4,000 characters'),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatAnswer = z.object({
  conversation_id: z.string(),
  message_id: z.string().describe('id of the message that was answered'),
  reply: z.string(),
  user_intent: UserIntent,
  decision: AgentDecision,
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

export const ChatExplainRequest = z.object({
  message: z.string().describe('1–4,000 characters'),
  pending: z
    .object({ task_description: z.string().min(1).max(1000) })
    .nullish()
    .describe('assume that the delete of this task waits for a confirmation'),
  tasks: z
    .array(z.string().min(1).max(1000))
    .max(100)
    .optional()
    .describe('assume that these tasks are on the list, in this order; absent: the list is not read'),
});
export type ChatExplainRequest = z.infer<typeof ChatExplainRequest>;

export const ChatExplanation = z.object({
  user_intent: UserIntent,
  decision: AgentDecision,
  because: z.array(z.string()),
});
export type ChatExplanation = z.infer<typeof ChatExplanation>;

export const Conversation = z.object({
  id: z.string(),
  title: z.string().describe('the beginning of its first message'),
  messages: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Conversation = z.infer<typeof Conversation>;

export const ConversationPage = z.object({
  conversations: z.array(Conversation),
  next_cursor: z.string().nullable(),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

export const ConversationMessage = ChatMessage.extend({
  id: z.string(),
  user_intent: UserIntent.optional().describe('intent of a message of the person'),
  decision: AgentDecision.optional(),
  because: z.array(z.string()).optional(),
});
export type ConversationMessage = z.infer<typeof ConversationMessage>;

/** Everything that the next decision of a conversation depends on, with its last message. */
export const ConversationContext = z.object({
  user_id: z.string(),
  message: z.string().describe('the last message of the person'),
  conversation_id: z.string(),
  message_history: z.array(ChatMessage).describe('the messages before it, oldest first'),
  pending_confirmation: PendingAction.optional().describe('the delete that waits for a yes'),
});
export type ConversationContext = z.infer<typeof ConversationContext>;

export const ConversationDetail = Conversation.omit({ messages: true }).extend({
  total: z.number().describe('total number of messages'),
  messages: z.array(ConversationMessage).describe('the newest page, oldest first'),
  next_cursor: z.string().nullable().describe('cursor of the previous page'),
  decision_context: ConversationContext.optional().describe('absent while no message was answered'),
});
export type ConversationDetail = z.infer<typeof ConversationDetail>;

/** The audit record of one call of a task tool: a view of the activity record. */
export const ToolInvocationRecord = z.object({
  id: z.uuid().describe('derived from the id of the activity record'),
  conversation_id: z.uuid(),
  message_id: z.uuid().describe('the message that led to the call'),
  user_id: z.string(),
  tool_name: TaskToolName,
  parameters: z.record(z.string(), z.unknown()),
  intent_classification: IntentType.describe('the intent that led to the call'),
  result: z.unknown().describe('what the tool returned; null if it returned nothing'),
  success: z.boolean(),
  error_message: z.string().nullable().describe('null if the call succeeded'),
  invoked_at: z.iso.datetime({ offset: true }),
  duration_ms: z.number().int(),
});
export type ToolInvocationRecord = z.infer<typeof ToolInvocationRecord>;

export const InvocationPage = z.object({
  invocations: z.array(ToolInvocationRecord).describe('newest first'),
  next_cursor: z.string().nullable(),
});
export type InvocationPage = z.infer<typeof InvocationPage>;

/** Every stored context decided again, and the decisions that differ from the stored ones. */
export const ConversationReplay = z.object({
  conversation_id: z.string(),
  decisions: z.number().describe('number of decisions that were repeated'),
  differences: z.array(
    z.object({
      message_id: z.string(),
      message: z.string(),
      was: z.unknown(),
      is: z.unknown(),
    }),
  ),
});
export type ConversationReplay = z.infer<typeof ConversationReplay>;
