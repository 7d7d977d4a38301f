import { z } from 'zod';
import { type Route, flag } from './route.ts';
import { MadeToken, NewToken, TokenView } from '../token.ts';

export const tokenRoutes = {
  listTokens: {
    method: 'GET',
    path: '/tokens',
    summary: 'The tokens of agents, newest first; never their secrets',
    query: z.object({ all: flag.describe('also those that were revoked') }),
    output: z.object({ tokens: z.array(TokenView) }),
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    summary:
      'Make a token for an agent; it opens /mcp, the task assistant only where that is asked for, and is shown this once',
    body: NewToken,
    output: MadeToken,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'End a token, by its id or name; its open sessions and streams end too',
    params: z.object({ id: z.string() }),
    output: TokenView,
  },
} as const satisfies Record<string, Route>;
