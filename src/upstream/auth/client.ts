import {
  createPrivateKeyJwtAuth,
  registerClient,
  RegistrationRejectedError,
  selectClientAuthMethod,
} from './protocol.ts';
import type { OAuthConfig } from '../../contract/oauth.ts';
import type { FetchLike } from '../transport/light-fetch.ts';
import type { Discovered } from './discover.ts';
import { LoginError, quoted, reasonOf } from './login-error.ts';
import type { LoginClient, StoredLogin } from './login-store.ts';

/** The settings of a server for OAuth, with references resolved. */
export type ResolvedOAuth = Omit<OAuthConfig, 'scopes'> & { scopes?: string[] };

export interface ChooseOptions {
  found: Discovered;
  oauth: ResolvedOAuth;
  redirectUri: string;
  scopes: string[];
  /** The log-in before, whose registration is used again where it still fits. */
  before: StoredLogin | undefined;
  fetch: FetchLike;
}

/** As which client the proxy logs in: registered by hand, by its metadata document, or dynamically. */
export async function chooseClient(options: ChooseOptions): Promise<LoginClient> {
  const { found, oauth, redirectUri } = options;
  if (oauth.client_id !== undefined)
    return { client_id: oauth.client_id, from: 'configured', redirect_uri: redirectUri };
  const document = oauth.client_metadata_url;
  if (document !== undefined && found.metadata.client_id_metadata_document_supported === true)
    return { client_id: document, from: 'document', redirect_uri: redirectUri };
  const former = usableRegistration(options);
  if (former) return former;
  if (found.metadata.registration_endpoint !== undefined) return register(options);
  throw new LoginError(
    `${quoted(found.issuer)} has no registration for clients. Register a client there by hand with the redirect URI ${redirectUri}, then set oauth.client_id (and oauth.client_secret) of the server`,
  );
}

function usableRegistration({ before, found, redirectUri, scopes }: ChooseOptions): LoginClient | undefined {
  const client = before?.client;
  if (client?.from !== 'dynamic' || before?.server.issuer !== found.issuer) return undefined;
  // Some servers permit a client nothing but the scopes of its registration.
  if (client.scopes && !scopes.every((scope) => client.scopes!.includes(scope))) return undefined;
  const isExpired = client.secret_expires_at ? client.secret_expires_at * 1000 <= Date.now() : false;
  return client.redirect_uri === redirectUri && !isExpired ? client : undefined;
}

async function register({ found, redirectUri, scopes, fetch }: ChooseOptions): Promise<LoginClient> {
  const isLocal = redirectUri.startsWith('http:');
  try {
    const made = await registerClient(found.issuer, {
      metadata: found.metadata,
      clientMetadata: {
        client_name: 'mcpproxy',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: registeredMethod(found),
        application_type: isLocal ? 'native' : 'web',
      },
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      fetchFn: fetch,
    });
    return {
      client_id: made.client_id,
      from: 'dynamic',
      redirect_uri: redirectUri,
      ...(scopes.length > 0 && { scopes }),
      ...(made.client_secret !== undefined && { client_secret: made.client_secret }),
      ...(made.token_endpoint_auth_method !== undefined && {
        token_endpoint_auth_method: made.token_endpoint_auth_method,
      }),
      ...(made.client_secret_expires_at ? { secret_expires_at: made.client_secret_expires_at } : {}),
    };
  } catch (error) {
    if (error instanceof LoginError) throw error;
    const why =
      error instanceof RegistrationRejectedError
        ? `HTTP ${error.status} ${quoted(error.body)}`
        : reasonOf(error);
    throw new LoginError(
      `${quoted(found.issuer)} refuses to register the client (${why}). Register one there by hand with the redirect URI ${redirectUri}, then set oauth.client_id of the server`,
    );
  }
}

/** A program on a machine of a person keeps no secret well, so that none is asked for where the server permits that. */
function registeredMethod({ metadata }: Discovered): string {
  const offered = metadata.token_endpoint_auth_methods_supported;
  if (offered === undefined || offered.includes('none')) return 'none';
  return ['client_secret_basic', 'client_secret_post'].find((method) => offered.includes(method)) ?? 'none';
}

type Authenticate = ReturnType<typeof createPrivateKeyJwtAuth>;

/** What requests to the authorization server need to authenticate the client. */
export function clientAuthentication(client: LoginClient, oauth: ResolvedOAuth) {
  const isConfigured = client.from === 'configured';
  const { private_key: key, private_key_algorithm: alg = 'ES256' } = oauth;
  const secret = isConfigured ? oauth.client_secret : client.client_secret;
  const method = isConfigured ? oauth.token_endpoint_auth_method : client.token_endpoint_auth_method;
  const clientInformation = {
    client_id: client.client_id,
    ...(secret !== undefined && { client_secret: secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
  const addClientAuthentication =
    key !== undefined && client.from !== 'dynamic'
      ? keyAuthentication(client.client_id, { key, alg })
      : secretAuthentication(clientInformation);
  return { clientInformation, addClientAuthentication };
}

/** The SDK sends a name and a secret as they are, so that servers would misread those with a colon, a plus or a percent sign. */
function secretAuthentication(information: { client_id: string; client_secret?: string }): Authenticate {
  const { client_id: id, client_secret: secret } = information;
  return async (...[headers, params, , metadata]) => {
    const offered = metadata?.token_endpoint_auth_methods_supported ?? [];
    const method = selectClientAuthMethod(information, offered);
    if (method === 'client_secret_basic') {
      const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret ?? '')}`;
      return headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    }
    params.set('client_id', id);
    if (method === 'client_secret_post' && secret !== undefined) params.set('client_secret', secret);
  };
}

function keyAuthentication(clientId: string, { key, alg }: { key: string; alg: string }): Authenticate {
  const sign = createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey: key, alg });
  return async (...[headers, params, url, metadata]) => {
    params.set('client_id', clientId);
    try {
      await sign(headers, params, url, metadata);
    } catch {
      // The error of the library may quote the key.
      throw new LoginError(`oauth.private_key cannot be used with ${alg}: it must be a PKCS #8 key in PEM`);
    }
  };
}
