import { z } from 'zod';
import {
  ChatAnswer,
  ChatExplainRequest,
  ChatExplanation,
  ChatRequest,
  ConversationDetail,
  ConversationPage,
  ConversationReplay,
  InvocationPage,
} from '../chat.ts';
import { type Route, cursor, limit } from './route.ts';

const byId = z.object({ id: z.string().max(100) });

export const chatRoutes = {
  chat: {
    method: 'POST',
    path: '/chat',
    token: true,
    summary: 'Send a message to the task assistant',
    body: ChatRequest,
    output: ChatAnswer,
  },
  explainChat: {
    method: 'POST',
    path: '/chat/explain',
    token: true,
    summary: 'Explain how a message would be classified and what would be decided; runs and stores nothing',
    body: ChatExplainRequest,
    output: ChatExplanation,
  },
  listConversations: {
    method: 'GET',
    path: '/conversations',
    token: true,
    summary: 'List your conversations with the task assistant, newest first',
    query: z.object({ limit: limit(50, 100), cursor }),
    output: ConversationPage,
  },
  getConversation: {
    method: 'GET',
    path: '/conversations/{id}',
    token: true,
    summary: 'Get a conversation with its messages',
    params: byId,
    query: z.object({ limit: limit(100, 500), cursor }),
    output: ConversationDetail,
  },
  listInvocations: {
    method: 'GET',
    path: '/conversations/{id}/invocations',
    token: true,
    summary: 'List the tool calls of a conversation as audit records, newest first',
    params: byId,
    query: z.object({ limit: limit(50, 100), cursor }),
    output: InvocationPage,
  },
  replayConversation: {
    method: 'GET',
    path: '/conversations/{id}/replay',
    token: true,
    summary: 'Repeat every decision of a conversation and list the differences',
    params: byId,
    output: ConversationReplay,
  },
} as const satisfies Record<string, Route>;
