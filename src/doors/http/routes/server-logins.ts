import type { Caller } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { scopesOf, type LoggedOut, type StartedLogin } from '../../../contract/oauth.ts';
import { createFinishLogin } from '../finish-login.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';
import { waitUntilSettled } from '../server-changes.ts';

type LoginHandlers = Pick<Handlers, 'startLogin' | 'completeLogin' | 'loginProgress' | 'logoutServer'>;

/** Log-ins of the proxy to servers. Neither the address of the log-in nor the answer of the browser is recorded. */
export function serverLoginRoutes({ activity, upstreams, config }: RestParts): LoginHandlers {
  const { logIns } = upstreams;
  const finish = createFinishLogin({ activity, logIns });

  function aliasOf(name: string): string {
    if (upstreams.view(name)) return name;
    const servers = Object.entries(config.current().mcpServers);
    const alias = servers.find(([, { title }]) => title === name)?.[0];
    if (alias !== undefined && upstreams.view(alias)) return alias;
    throw new ProxyError(
      'NOT_FOUND',
      `Server '${name}' not found. For the names run: mcpproxy upstream list`,
      {
        server: name,
      },
    );
  }

  return {
    async startLogin({ params, body }, { caller }) {
      const server = aliasOf(params.name);
      const { redirect_uri: redirectUri, accept_issuer: acceptIssuer } = body;
      const scopes = body.scopes === undefined ? undefined : scopesOf(body.scopes);
      const change = {
        action: 'start_login',
        server,
        caller,
        ...((scopes || acceptIssuer) && {
          wanted: { ...(scopes && { scopes }), ...(acceptIssuer && { accept_issuer: true }) },
        }),
        outcome: (begun: StartedLogin) => ({
          issuer: begun.issuer,
          scopes: begun.scopes,
          ...(begun.done && { done: true }),
        }),
      };
      return recordChange(activity, change, () =>
        logIns.start(server, { scopes, redirectUri, acceptIssuer }),
      );
    },
    async completeLogin({ params, body }, { caller, signal }) {
      const server = aliasOf(params.name);
      await finish(answerOf(body.redirect), { caller, server });
      return (await waitUntilSettled(upstreams, server, signal)) ?? upstreams.view(server)!;
    },
    loginProgress: ({ params }) => logIns.progress(aliasOf(params.name)),
    async logoutServer({ params }, { caller }) {
      return logOut({ activity, logIns }, aliasOf(params.name), caller);
    },
  };
}

/** Revokes and erases the log-in to a server, with a record. */
export function logOut(
  { activity, logIns }: Pick<RestParts, 'activity'> & Pick<RestParts['upstreams'], 'logIns'>,
  server: string,
  caller: Caller,
): Promise<LoggedOut> {
  const change = { action: 'logout_server', server, caller, outcome: (result: unknown) => result };
  return recordChange(activity, change, () => logIns.logOut(server));
}

/** A whole address, or its query, as people copy it. */
function answerOf(redirect: string): URLSearchParams {
  const text = redirect.trim();
  if (URL.canParse(text)) return new URL(text).searchParams;
  return new URLSearchParams(text.slice(text.indexOf('?') + 1));
}
