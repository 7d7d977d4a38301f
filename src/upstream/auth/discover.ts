import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type OAuthProtectedResourceMetadata,
} from './protocol.ts';
import type { FetchLike } from '../transport/light-fetch.ts';
import { isLoopbackUrl, rankOfHost, RANKS } from './address-rank.ts';
import { scopeList } from './challenge.ts';
import { namesProofs, requiresProofs } from './dpop.ts';
import { LoginError, quoted, reasonOf } from './login-error.ts';

/** What is known of the authorization server of an MCP server. */
export interface Discovered {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707). */
  resource: string;
  /** The scopes that the server names. */
  scopes: string[];
  /** Whether the authorization server binds tokens to a key, and whether the metadata of the server names such tokens. */
  proofs: { offered: boolean; named: boolean };
}

export interface DiscoverOptions {
  serverUrl: URL;
  fetch: FetchLike;
  /** Where the server says that its metadata is. */
  metadataUrl?: string | undefined;
  /** The only issuer that is accepted. */
  issuer?: string | undefined;
  /** The issuer of the last log-in; it is preferred where the server names several. */
  before?: string | undefined;
}

/** Protected resource metadata (RFC 9728), then the metadata of the authorization server (RFC 8414, OpenID). */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const { serverUrl, fetch } = options;
  const described = await resourceMetadata(options);
  const resource = resourceOf(serverUrl, described);
  const issuer = chosenIssuer(options, described);
  const metadata = await serverMetadata(issuer, fetch);
  if (!metadata && described)
    throw new LoginError(`${quoted(issuer)} publishes no metadata of an authorization server`);
  const known = metadata ?? formerEndpoints(serverUrl);
  checkEndpoints(known, serverUrl);
  const scopes = scopeList(described?.scopes_supported?.join(' '));
  const proofs = { offered: namesProofs(known), named: namesProofs(described) || requiresProofs(described) };
  return { issuer: known.issuer, metadata: known, resource, scopes, proofs };
}

/** Whether a server that rejected a request without saying why has metadata for a log-in. Asks nobody but the server itself. */
export async function offersLogin(serverUrl: URL, fetch: FetchLike): Promise<boolean> {
  const found = await resourceMetadata({ serverUrl, fetch }).catch(() => undefined);
  if (found) return true;
  const own = await discoverAuthorizationServerMetadata(serverUrl.origin, { fetchFn: fetch }).catch(
    () => undefined,
  );
  return own !== undefined;
}

async function resourceMetadata({
  serverUrl,
  fetch,
  metadataUrl,
}: DiscoverOptions): Promise<OAuthProtectedResourceMetadata | undefined> {
  let problem: unknown;
  for (const url of metadataUrl === undefined ? [undefined] : [metadataUrl, undefined]) {
    try {
      return await discoverOAuthProtectedResourceMetadata(
        serverUrl,
        url === undefined ? {} : { resourceMetadataUrl: url },
        fetch,
      );
    } catch (error) {
      problem ??= error;
    }
  }
  // Servers before 2025-06-18 have none. Anything that is there must be right.
  if (problem instanceof Error && problem.message.startsWith('Resource server does not implement'))
    return undefined;
  if (problem instanceof Error && /^HTTP 4\d\d trying/.test(problem.message)) return undefined;
  throw new LoginError(`the metadata of the server cannot be used: ${reasonOf(problem)}`);
}

/** The metadata must be about this server, or a token for another one could be asked for. */
function resourceOf(serverUrl: URL, described: OAuthProtectedResourceMetadata | undefined): string {
  const own = resourceUrlFromServerUrl(serverUrl);
  if (!described) return own.href;
  if (checkResourceAllowed({ requestedResource: own, configuredResource: described.resource }))
    return described.resource;
  throw new LoginError(`the metadata of the server is about another address (${quoted(described.resource)})`);
}

function chosenIssuer(
  { serverUrl, issuer, before }: DiscoverOptions,
  described: OAuthProtectedResourceMetadata | undefined,
): string {
  const named = described?.authorization_servers ?? [];
  if (issuer !== undefined) {
    if (named.length === 0 || named.some((each) => isSameIssuer(each, issuer))) return issuer;
    throw new LoginError(
      `the server names the authorization server ${quoted(named[0]!)}, but oauth.issuer permits only ${quoted(issuer)}`,
    );
  }
  return (
    named.find((each) => before !== undefined && isSameIssuer(each, before)) ??
    named[0] ??
    `${serverUrl.origin}/`
  );
}

/** A slash at the end makes no difference. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}

async function serverMetadata(
  issuer: string,
  fetchFn: FetchLike,
): Promise<AuthorizationServerMetadata | undefined> {
  if (!URL.canParse(issuer))
    throw new LoginError('the server names an authorization server that is no address');
  try {
    return await discoverAuthorizationServerMetadata(issuer, { fetchFn });
  } catch (error) {
    if (error instanceof LoginError) throw error;
    if (error instanceof IssuerMismatchError)
      throw new LoginError(
        `the metadata of ${quoted(issuer)} is that of another authorization server (${quoted(error.received ?? '')})`,
      );
    throw new LoginError(`the metadata of ${quoted(issuer)} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Of servers before 2025-06-18 without any metadata: fixed paths at the server itself, which had to support PKCE. */
function formerEndpoints({ origin }: URL): AuthorizationServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

/** Each address must use https; on this machine http too, but only for a server on this machine. */
function checkEndpoints(metadata: AuthorizationServerMetadata, serverUrl: URL): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const text of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (text === undefined) continue;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isLocal = url?.protocol === 'http:' && isLoopbackUrl(url) && isLoopbackUrl(serverUrl);
    if (url?.protocol !== 'https:' && !isLocal)
      throw new LoginError(`the authorization server names ${quoted(text)}, which does not use https`);
  }
  if (URL.canParse(authorization_endpoint))
    checkPage(new URL(authorization_endpoint), metadata.issuer, serverUrl);
}

/** The page is opened by a browser, without the guard of requests: the same rule for its address. */
function checkPage(page: URL, issuer: string, serverUrl: URL): void {
  if (page.username !== '' || page.password !== '')
    throw new LoginError(`the log-in page at ${quoted(page.host)} has a user name in its address`);
  if (page.origin === new URL(issuer).origin) return;
  const rank = rankOfHost(page.hostname) ?? 'public';
  const most = rankOfHost(serverUrl.hostname) ?? 'public';
  if (RANKS.indexOf(rank) > RANKS.indexOf(most))
    throw new LoginError(
      `the log-in page is at ${quoted(page.host)}, an address that a server outside of that network may not name`,
    );
}

/** PKCE protects the code on its way through the browser, so that a log-in without it is refused. */
export function requirePkce({
  code_challenge_methods_supported: methods,
}: AuthorizationServerMetadata): void {
  if (methods?.includes('S256')) return;
  throw new LoginError(
    'the authorization server does not offer PKCE with S256, without which the proxy does not log in',
  );
}
