import { audienceFor } from '../../../road/index.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-change.ts';

type TokenHandlers = Pick<Handlers, 'listTokens' | 'createToken' | 'revokeToken'>;

export function tokenRoutes({ activity, catalog, tokens }: RestParts): TokenHandlers {
  return {
    async listTokens({ query }) {
      const all = await tokens.list();
      return { tokens: query.all ? all : all.filter(({ status }) => status !== 'revoked') };
    },
    /** What was asked for is in the log; what was made, the secret, is in the answer alone. */
    async createToken({ body }, { caller }) {
      const change = {
        action: 'create_token',
        caller,
        wanted: body,
        outcome: ({ id, replaced }: { id: string; replaced?: string }) => ({
          id,
          ...(replaced && { replaced }),
        }),
      };
      const made = await recordChange(activity, change, () => tokens.create(body, caller.principal));
      return { ...made, callable: catalog.reach(audienceFor(made)) };
    },
    revokeToken: ({ params }, { caller }) =>
      recordChange(
        activity,
        { action: 'revoke_token', caller, wanted: { token: params.id.slice(0, 64) } },
        () => tokens.revoke(params.id, caller.principal),
      ),
  };
}
