import type { Handlers, RestParts } from '../parts.ts';

type ChatHandlers = Pick<
  Handlers,
  'chat' | 'explainChat' | 'listConversations' | 'getConversation' | 'listInvocations' | 'replayConversation'
>;

/** The task assistant. The credential of the request decides whose conversations it sees. */
export function chatRoutes({ assistant }: RestParts): ChatHandlers {
  return {
    chat: async ({ body }, { caller, signal }) => (await assistant()).chat(body, { caller, signal }),
    explainChat: async ({ body }, { caller }) => (await assistant()).explain(body, caller),
    listConversations: async ({ query }, { caller }) => (await assistant()).list(query, caller),
    getConversation: async ({ params, query }, { caller }) =>
      (await assistant()).get(params.id, query, caller),
    listInvocations: async ({ params, query }, { caller }) =>
      (await assistant()).invocations(params.id, query, caller),
    replayConversation: async ({ params }, { caller }) => (await assistant()).replay(params.id, caller),
  };
}
