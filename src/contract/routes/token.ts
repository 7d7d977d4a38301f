import { z } from 'zod';
import { type Route, flag } from './route.ts';
import { MadeToken, NewToken, TokenView } from '../token.ts';

export const tokenRoutes = {
  listTokens: {
    method: 'GET',
    path: '/tokens',
    summary: 'List agent tokens without their secrets, newest first',
    query: z.object({ all: flag.describe('include revoked tokens') }),
    output: z.object({ tokens: z.array(TokenView) }),
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    summary:
      'Create an agent token for /mcp and, if requested, the task assistant; the secret is shown only once',
    body: NewToken,
    output: MadeToken,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Revoke a token by id or name; its open sessions and streams end too',
    params: z.object({ id: z.string() }),
    output: TokenView,
  },
} as const satisfies Record<string, Route>;
