import { randomBytes } from 'node:crypto';
import { ProxyError } from '../../contract/errors.ts';
import { isMachineGrant } from '../../contract/oauth.ts';
import type { LoggedOut, LoginProgress, StartedLogin } from '../../contract/oauth.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLoopbackUrl } from './address-rank.ts';
import { chooseClient } from './client.ts';
import { discover, isSameIssuer, requirePkce, type Discovered } from './discover.ts';
import type { ProofKey } from './dpop.ts';
import { LoginError, loginFailed, quoted, reasonOf } from './login-error.ts';
import type { LoginClient, LoginStore, StoredLogin } from './login-store.ts';
import {
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type AuthorizationServerMetadata,
} from './protocol.ts';
import type { ServerAuth } from './server-auth.ts';
import { endpointsOf, exchangeCode, revoke } from './token-requests.ts';

export interface StartOptions {
  scopes?: string[] | undefined;
  redirectUri?: string | undefined;
  acceptIssuer?: boolean | undefined;
}

export interface LogInParts {
  store: LoginStore;
  /** The log-in of a server; throws where it can have none. */
  authOf: (server: string) => ServerAuth;
  /** Where the browser comes back to. */
  redirectUri: () => string;
  /** The log-in of a server has changed: it is connected again. */
  onChanged: (server: string) => void;
  clock: Clock;
}

/** Log-ins of people: begun by the operator, and completed by the browser or by hand. */
export interface LogIns {
  start(server: string, options: StartOptions): Promise<StartedLogin>;
  /** The server of an answer, if its state is one that is waited for. */
  serverOf(answer: URLSearchParams): string | undefined;
  complete(
    answer: URLSearchParams,
    server?: string,
  ): Promise<{ server: string; issuer: string; scopes: string[] }>;
  progress(server: string): LoginProgress;
  logOut(server: string): Promise<LoggedOut>;
}

interface Pending {
  server: string;
  state: string;
  verifier: string;
  metadata: AuthorizationServerMetadata;
  client: LoginClient;
  redirectUri: string;
  resource: string;
  scopes: string[];
  url: string;
  metadataUrl: string | undefined;
  proofKey: ProofKey | undefined;
  /** On the clock of `performance.now()`. */
  end: number;
}

const LIMIT_MS = 10 * 60_000;

export function createLogIns({ store, authOf, redirectUri, onChanged, clock }: LogInParts): LogIns {
  /** One per server, so that their number is bounded. */
  const pending = new Map<string, Pending>();
  const ended = new Map<string, LoginProgress>();

  function find(answer: URLSearchParams): Pending | undefined {
    const state = answer.get('state');
    return state === null
      ? undefined
      : [...pending.values()].find((each) => each.state === state && !isOver(each));
  }

  async function prepare(server: string, options: StartOptions) {
    const auth = authOf(server);
    const { url, oauth } = auth.settings();
    requireSecure(url);
    const before = await auth.stored();
    const { fetch } = auth.tokenParts();
    const metadataUrl = auth.challenge?.metadataUrl ?? before?.metadata_url;
    const found = await discover({
      serverUrl: url,
      fetch,
      metadataUrl,
      issuer: oauth.issuer,
      before: before?.server.issuer,
    });
    checkIssuer(server, { before, found, isAccepted: options.acceptIssuer === true });
    requirePkce(found.metadata);
    const scopes = chosenScopes(options.scopes, auth, found);
    const redirect = checkedRedirect(options.redirectUri ?? oauth.redirect_uri ?? redirectUri());
    const client = await chooseClient({ found, oauth, redirectUri: redirect, scopes, before, fetch });
    const proofKey = auth.proofKeyFor(found, before);
    return { found, client, scopes, redirect, url: url.href, metadataUrl, proofKey };
  }

  async function begin(server: string, options: StartOptions): Promise<StartedLogin> {
    const { found, client, scopes, redirect, ...prepared } = await prepare(server, options);
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
      metadata: found.metadata,
      clientInformation: { client_id: client.client_id },
      redirectUrl: redirect,
      state,
      resource: found.resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    pending.set(server, {
      server,
      state,
      verifier: codeVerifier,
      metadata: found.metadata,
      client,
      redirectUri: redirect,
      resource: found.resource,
      scopes,
      ...prepared,
      end: performance.now() + LIMIT_MS,
    });
    ended.delete(server);
    return {
      authorization_url: authorizationUrl.href,
      redirect_uri: redirect,
      expires_at: new Date(clock.now() + LIMIT_MS).toISOString(),
      issuer: found.issuer,
      scopes,
    };
  }

  async function asMachine(server: string, { scopes = [] }: StartOptions): Promise<StartedLogin> {
    const auth = authOf(server);
    requireSecure(auth.settings().url);
    const login = await auth.logInAsMachine(scopes);
    ended.set(server, { status: 'done' });
    onChanged(server);
    return { done: true, issuer: login.server.issuer, scopes: login.scopes };
  }

  async function exchange(login: Pending, answer: URLSearchParams): Promise<StoredLogin> {
    const { server, metadata, client, redirectUri: redirect, resource, proofKey } = login;
    const auth = authOf(server);
    if (auth.settings().url.href !== login.url)
      throw new LoginError('the address of the server has changed meanwhile');
    const { code, iss } = readAnswer(answer, metadata);
    const granted = await exchangeCode(
      { metadata, client, code, iss, verifier: login.verifier, redirectUri: redirect, resource, proofKey },
      auth.tokenParts(),
    );
    return {
      url: login.url,
      server: endpointsOf(metadata),
      client,
      resource,
      scopes: granted.scopes ?? login.scopes,
      grant: 'authorization_code',
      tokens: granted.tokens,
      ...(login.metadataUrl !== undefined && { metadata_url: login.metadataUrl }),
      ...(proofKey && { proof_key: proofKey }),
    };
  }

  return {
    async start(server, options) {
      try {
        const isMachine = isMachineGrant(authOf(server).settings().oauth.grant);
        return await (isMachine ? asMachine(server, options) : begin(server, options));
      } catch (error) {
        throw loginFailed(server, error);
      }
    },
    serverOf: (answer) => find(answer)?.server,
    async complete(answer, wanted) {
      const login = find(answer);
      if (!login || (wanted !== undefined && login.server !== wanted))
        throw new ProxyError(
          'LOGIN_FAILED',
          `No log-in waits for this answer: it is not the address that the browser came back to, was used already, has expired, or another log-in was begun. Begin again with: mcpproxy upstream login ${wanted ?? 'NAME'}`,
        );
      const { server } = login;
      // A state works once, whatever comes of it.
      pending.delete(server);
      const running: LoginProgress = { status: 'waiting' };
      ended.set(server, running);
      try {
        const stored = await exchange(login, answer);
        // A log-out, or another log-in, that came meanwhile counts.
        if (ended.get(server) !== running) {
          await revokeStored(stored, authOf(server));
          throw new LoginError('it was ended before the authorization server answered');
        }
        await store.write(server, stored);
        ended.set(server, { status: 'done' });
        onChanged(server);
        return { server, issuer: stored.server.issuer, scopes: stored.scopes };
      } catch (error) {
        const failure = loginFailed(server, error);
        if (ended.get(server) === running) ended.set(server, { status: 'failed', reason: failure.message });
        throw failure;
      }
    },
    progress(server) {
      const waiting = pending.get(server);
      if (!waiting) return ended.get(server) ?? { status: 'none' };
      if (!isOver(waiting)) return { status: 'waiting' };
      return { status: 'failed', reason: 'The log-in was not completed in time; begin again' };
    },
    async logOut(server) {
      const auth = authOf(server);
      pending.delete(server);
      ended.delete(server);
      const login = (await store.read(server))?.login;
      const outcome = await revokeStored(login, auth);
      await store.erase(server);
      auth.forget();
      onChanged(server);
      return outcome;
    },
  };
}

const isOver = ({ end }: Pending) => performance.now() > end;

async function revokeStored(login: StoredLogin | undefined, auth: ServerAuth): Promise<LoggedOut> {
  if (!login?.tokens) return { revoked: false, reason: 'there was no log-in' };
  try {
    await revoke(login, auth.tokenParts());
    return { revoked: true };
  } catch (error) {
    return { revoked: false, reason: reasonOf(error) };
  }
}

function requireSecure(url: URL): void {
  if (url.protocol === 'https:' || isLoopbackUrl(url)) return;
  throw new LoginError(
    'its url does not use https, so that a token would be readable on the way; correct the url',
  );
}

/** A server that leads to another authorization server may have been taken over, so that a person decides. */
function checkIssuer(
  server: string,
  { before, found, isAccepted }: { before: StoredLogin | undefined; found: Discovered; isAccepted: boolean },
): void {
  if (!before || isAccepted || isSameIssuer(before.server.issuer, found.issuer)) return;
  throw new LoginError(
    `the server now names the authorization server ${quoted(found.issuer)}, at the last log-in it was ${quoted(before.server.issuer)}. If that is right, run: mcpproxy upstream login ${server} --accept-issuer`,
  );
}

/** Those of the request; else the configured ones or those that the server names, and what it asked for beyond. */
function chosenScopes(wanted: string[] | undefined, auth: ServerAuth, found: Discovered): string[] {
  if (wanted && wanted.length > 0) return wanted;
  const { scopes: configured } = auth.settings().oauth;
  const needed = auth.neededScopes;
  if (configured) return [...new Set([...configured, ...needed])];
  const named = needed.length > 0 ? needed : (auth.challenge?.scopes ?? found.scopes);
  const { scopes_supported: offered } = found.metadata;
  const isLasting = named.length > 0 && offered?.includes('offline_access') === true;
  return isLasting ? [...new Set([...named, 'offline_access'])] : named;
}

function checkedRedirect(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackUrl(url))) return text;
  throw new LoginError(`the redirect URI ${quoted(text)} must use https, or http on this machine`);
}

/** The issuer is checked first: what an answer of another one says does not matter. */
function readAnswer(
  answer: URLSearchParams,
  metadata: AuthorizationServerMetadata,
): { code: string; iss: string | undefined } {
  for (const name of ['code', 'state', 'iss', 'error'])
    if (answer.getAll(name).length > 1) throw new LoginError(`the answer has several values of "${name}"`);
  const iss = answer.get('iss') ?? undefined;
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
  const error = answer.get('error');
  if (error !== null)
    throw new LoginError(
      `the authorization server answered ${quoted([error, answer.get('error_description')].filter(Boolean).join(': '))}`,
    );
  const code = answer.get('code');
  if (code === null || code === '') throw new LoginError('the answer has no code');
  return { code, iss };
}
