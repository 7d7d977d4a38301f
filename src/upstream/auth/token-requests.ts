import {
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  type AuthorizationServerMetadata,
  type OAuthTokens,
} from './protocol.ts';
import type { FetchLike } from '../transport/light-fetch.ts';
import { scopeList } from './challenge.ts';
import { clientAuthentication, type ResolvedOAuth } from './client.ts';
import { withProof, type ProofKey } from './dpop.ts';
import { LoginError } from './login-error.ts';
import { machineGrant, type CredentialsRequest } from './machine-grant.ts';
import type { LoginClient, StoredLogin } from './login-store.ts';

const MAX_TOKEN = 65_536;
const MAX_LIFETIME_S = 10 * 365 * 86_400;

export interface TokenParts {
  oauth: ResolvedOAuth;
  fetch: FetchLike;
  now: () => number;
}

export interface CodeExchange {
  metadata: AuthorizationServerMetadata;
  client: LoginClient;
  code: string;
  iss: string | undefined;
  verifier: string;
  redirectUri: string;
  resource: string;
  proofKey: ProofKey | undefined;
}

export async function exchangeCode(
  exchange: CodeExchange,
  { oauth, fetch, now }: TokenParts,
): Promise<Granted> {
  const { metadata, client, code, iss, verifier, redirectUri, resource, proofKey } = exchange;
  const tokens = await exchangeAuthorization(metadata.issuer, {
    metadata,
    ...clientAuthentication(client, oauth),
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
    codeVerifier: verifier,
    redirectUri,
    resource,
    fetchFn: withProof(fetch, proofKey, metadata.token_endpoint),
  });
  return granted(tokens, { now: now(), proofKey });
}

export async function refresh(login: StoredLogin, { oauth, fetch, now }: TokenParts): Promise<Granted> {
  const tokens = await refreshAuthorization(login.server.issuer, {
    metadata: asMetadata(login.server),
    ...clientAuthentication(login.client, oauth),
    refreshToken: login.tokens!.refresh_token!,
    ...(login.resource !== undefined && { resource: login.resource }),
    fetchFn: withProof(fetch, login.proof_key, login.server.token_endpoint),
  });
  return granted(tokens, { now: now(), proofKey: login.proof_key });
}

/** The grants of machines: no person takes part. */
export async function requestCredentials(asked: CredentialsRequest, parts: TokenParts): Promise<Granted> {
  const { server, client, scopes, resource, proof_key: proofKey } = asked;
  const { oauth, fetch, now } = parts;
  const { clientInformation, addClientAuthentication } = clientAuthentication(client, oauth);
  const tokens = await fetchToken(
    {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => ({ ...clientInformation, issuer: server.issuer }),
      async prepareTokenRequest(scope?: string) {
        const params = await machineGrant(asked, parts);
        if (scope) params.set('scope', scope);
        return params;
      },
      addClientAuthentication,
      tokens: () => undefined,
      saveTokens: () => undefined,
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => '',
    },
    server.issuer,
    {
      metadata: asMetadata(server),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      fetchFn: withProof(fetch, proofKey, server.token_endpoint),
    },
  );
  return granted(tokens, { now: now(), proofKey });
}

/** Revokes the refresh token, which ends the access token too, or the access token alone (RFC 7009). */
export async function revoke(login: StoredLogin, { oauth, fetch: guarded }: TokenParts): Promise<void> {
  const {
    revocation_endpoint: endpoint,
    revocation_auth_methods: methods,
    auth_methods: general,
  } = login.server;
  if (endpoint === undefined) throw new LoginError('the authorization server offers no revocation');
  const { access_token: access, refresh_token: refreshToken } = login.tokens!;
  const { addClientAuthentication } = clientAuthentication(login.client, oauth);
  for (const [token, kind] of [
    [refreshToken, 'refresh_token'],
    [access, 'access_token'],
  ] as const) {
    if (token === undefined) continue;
    const url = new URL(endpoint);
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const params = new URLSearchParams({ token, token_type_hint: kind });
    await addClientAuthentication(headers, params, url, {
      ...asMetadata(login.server),
      token_endpoint_auth_methods_supported: methods ?? general ?? [],
    });
    const response = await guarded(url, { method: 'POST', headers, body: params });
    if (!response.ok)
      throw new LoginError(`the authorization server refuses the revocation (HTTP ${response.status})`);
  }
}

export interface Granted {
  tokens: NonNullable<StoredLogin['tokens']>;
  /** Undefined: those that were asked for. */
  scopes: string[] | undefined;
}

/** A token goes into a header, so that its shape matters. */
function granted(
  given: OAuthTokens,
  { now, proofKey }: { now: number; proofKey: ProofKey | undefined },
): Granted {
  const {
    access_token: access,
    refresh_token: refreshToken,
    token_type: type,
    expires_in: seconds,
    scope,
  } = given;
  const isBound = type.toLowerCase() === 'dpop' && proofKey !== undefined;
  if (!isBound && type.toLowerCase() !== 'bearer')
    throw new LoginError(
      'the authorization server gave a token that is no bearer token, which the proxy cannot use',
    );
  for (const token of [access, refreshToken])
    if (token !== undefined && (token.length > MAX_TOKEN || !/^[\x21-\x7E]+$/.test(token)))
      throw new LoginError('the authorization server gave a token of the wrong shape');
  const lifetime = lifetimeOf(seconds);
  return {
    tokens: {
      access_token: access,
      ...(isBound && { type: 'DPoP' as const }),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(lifetime !== undefined && { lifetime_s: lifetime, expires_at: now + lifetime * 1000 }),
    },
    scopes: scope === undefined ? undefined : scopeList(scope),
  };
}

function lifetimeOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, MAX_LIFETIME_S);
}

/** The part of the metadata that token requests need, as it was at the log-in. */
export function endpointsOf(metadata: AuthorizationServerMetadata): StoredLogin['server'] {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: revocation } =
    metadata as {
      revocation_endpoint?: unknown;
      revocation_endpoint_auth_methods_supported?: unknown;
    };
  return {
    issuer: metadata.issuer,
    token_endpoint: metadata.token_endpoint,
    ...(typeof endpoint === 'string' && URL.canParse(endpoint) && { revocation_endpoint: endpoint }),
    ...(methods && { auth_methods: methods }),
    ...(isTextList(revocation) && { revocation_auth_methods: revocation }),
  };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function asMetadata({
  issuer,
  token_endpoint,
  auth_methods,
}: StoredLogin['server']): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: token_endpoint,
    token_endpoint,
    response_types_supported: ['code'],
    ...(auth_methods && { token_endpoint_auth_methods_supported: auth_methods }),
  };
}

/** The authorization server says that the token is dead, so that asking again cannot help. */
export function isFinal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    error instanceof Error &&
    [
      'invalid_grant',
      'invalid_client',
      'unauthorized_client',
      'invalid_scope',
      'unsupported_grant_type',
    ].includes(String(code))
  );
}
