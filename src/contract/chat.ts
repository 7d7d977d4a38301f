import { z } from 'zod';
import { AgentDecision, ChatMessage, UserIntent } from './assistant.ts';

/** Whose list it is follows from the credential alone; a user_id that is sent along is ignored, and the record says so. */
export const ChatRequest = z.looseObject({
  conversation_id: z
    .string()
    .max(100)
    .nullish()
    .describe('the conversation to go on with; absent: a new one'),
  message: z.string().describe('1–4,000 characters'),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatAnswer = z.object({
  conversation_id: z.string(),
  message_id: z.string().describe('of the message that was answered'),
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
    .describe('as if the delete of this task waited for a yes'),
  tasks: z
    .array(z.string().min(1).max(1000))
    .max(100)
    .optional()
    .describe('as if these were on the list, in this order; absent: the list is not looked at'),
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
  user_intent: UserIntent.optional().describe('of a message of the person'),
  decision: AgentDecision.optional(),
  because: z.array(z.string()).optional(),
});
export type ConversationMessage = z.infer<typeof ConversationMessage>;

export const ConversationDetail = Conversation.omit({ messages: true }).extend({
  total: z.number().describe('messages in all'),
  messages: z.array(ConversationMessage).describe('the newest page, oldest first'),
  next_cursor: z.string().nullable().describe('for the page before'),
});
export type ConversationDetail = z.infer<typeof ConversationDetail>;

/** Every stored context decided once more, and what comes out otherwise than it did. */
export const ConversationReplay = z.object({
  conversation_id: z.string(),
  decisions: z.number().describe('decided again'),
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
