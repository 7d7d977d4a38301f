import { z } from 'zod';
import {
  ChatAnswer,
  ChatExplainRequest,
  ChatExplanation,
  ChatRequest,
  ConversationDetail,
  ConversationPage,
  ConversationReplay,
} from '../chat.ts';
import { type Route, cursor, limit } from './route.ts';

const byId = z.object({ id: z.string().max(100) });

export const chatRoutes = {
  chat: {
    method: 'POST',
    path: '/chat',
    token: true,
    summary: 'Say something to the task assistant',
    body: ChatRequest,
    output: ChatAnswer,
  },
  explainChat: {
    method: 'POST',
    path: '/chat/explain',
    token: true,
    summary: 'How a message would be understood and what would be decided, and why; runs and stores nothing',
    body: ChatExplainRequest,
    output: ChatExplanation,
  },
  listConversations: {
    method: 'GET',
    path: '/conversations',
    token: true,
    summary: 'Your conversations with the task assistant, the latest first',
    query: z.object({ limit: limit(50, 100), cursor }),
    output: ConversationPage,
  },
  getConversation: {
    method: 'GET',
    path: '/conversations/{id}',
    token: true,
    summary: 'One conversation with its messages',
    params: byId,
    query: z.object({ limit: limit(100, 500), cursor }),
    output: ConversationDetail,
  },
  replayConversation: {
    method: 'GET',
    path: '/conversations/{id}/replay',
    token: true,
    summary: 'Decide every stored context once more and show what differs',
    params: byId,
    output: ConversationReplay,
  },
} as const satisfies Record<string, Route>;
