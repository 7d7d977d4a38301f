import type { Handlers, RestParts } from '../parts.ts';

type ChatHandlers = Pick<
  Handlers,
  'chat' | 'explainChat' | 'listConversations' | 'getConversation' | 'replayConversation'
>;

/** The task assistant. Whose conversations these are, is said by the credential of the request. */
export function chatRoutes({ assistant }: RestParts): ChatHandlers {
  return {
    chat: ({ body }, { caller, signal }) => assistant.chat(body, { caller, signal }),
    explainChat: ({ body }, { caller }) => assistant.explain(body, caller),
    listConversations: ({ query }, { caller }) => assistant.list(query, caller),
    getConversation: ({ params, query }, { caller }) => assistant.get(params.id, query, caller),
    replayConversation: ({ params }, { caller }) => assistant.replay(params.id, caller),
  };
}
