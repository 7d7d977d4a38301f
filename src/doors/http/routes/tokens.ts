import { audienceFor } from '../../../road/index.ts';
import { isTokenId } from '../../../contract/token.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

interface NamedToken {
  id: string;
  name: string;
}

type TokenHandlers = Pick<Handlers, 'listTokens' | 'createToken' | 'revokeToken'>;

export function tokenRoutes({ activity, catalog, tokens }: RestParts): TokenHandlers {
  return {
    async listTokens({ query }) {
      const all = await tokens.list();
      return { tokens: query.all ? all : all.filter(({ status }) => status !== 'revoked') };
    },
    /** The request is recorded; the secret is only in the answer. */
    async createToken({ body }, { caller }) {
      const change = {
        action: 'create_token',
        caller,
        wanted: body,
        outcome: ({ replaced, ...token }: NamedToken & { replaced?: string }) => ({
          ...namesOf(token),
          ...(replaced && { replaced }),
        }),
      };
      const made = await recordChange(activity, change, () => tokens.create(body, caller.principal));
      return { ...made, callable: catalog.reach(audienceFor(made)) };
    },
    revokeToken: ({ params }, { caller }) =>
      recordChange(
        activity,
        { action: 'revoke_token', caller, wanted: wantedToken(params.id), outcome: namesOf },
        () => tokens.revoke(params.id, caller.principal),
      ),
  };
}

/** A key that ends in "token" would be masked as a secret. */
const namesOf = ({ id, name }: NamedToken) => ({ token_name: name, token_id: id });

function wantedToken(nameOrId: string) {
  const given = nameOrId.slice(0, 64);
  return isTokenId(given) ? { token_id: given } : { token_name: given };
}
