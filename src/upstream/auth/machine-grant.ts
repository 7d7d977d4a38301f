import { LoginError, quoted } from './login-error.ts';
import type { FetchLike } from '../transport/light-fetch.ts';
import type { ResolvedOAuth } from './client.ts';
import type { ProofKey } from './dpop.ts';
import type { LoginClient, StoredLogin } from './login-store.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const MAX_ASSERTION = 65_536;

export interface CredentialsRequest {
  server: StoredLogin['server'];
  client: LoginClient;
  scopes: string[];
  resource: string | undefined;
  proof_key?: ProofKey | undefined;
}

interface GrantParts {
  oauth: ResolvedOAuth;
  fetch: FetchLike;
}

/** What a machine shows for a token: its own secret, or a token that somebody else has issued about it (RFC 7523). */
export async function machineGrant(asked: CredentialsRequest, parts: GrantParts): Promise<URLSearchParams> {
  const { grant, assertion: given = '', idp_token_endpoint: provider } = parts.oauth;
  if (grant !== 'jwt_bearer') return new URLSearchParams({ grant_type: 'client_credentials' });
  const token = given.trim();
  if (token === '') throw new LoginError('oauth.grant is jwt_bearer, which needs oauth.assertion');
  const assertion = provider === undefined ? token : await exchange(token, { ...asked, provider }, parts);
  return new URLSearchParams({ grant_type: `${GRANT}jwt-bearer`, assertion });
}

/** The identity provider of an organisation gives an assertion for this authorization server and resource (RFC 8693, ID-JAG). */
async function exchange(
  token: string,
  { provider, server, resource, scopes }: CredentialsRequest & { provider: string },
  { oauth, fetch: guarded }: GrantParts,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: `${GRANT}token-exchange`,
    requested_token_type: `${TYPE}id-jag`,
    subject_token: token,
    subject_token_type: `${TYPE}id_token`,
    audience: server.issuer,
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(oauth.idp_client_id !== undefined && { client_id: oauth.idp_client_id }),
    ...(oauth.idp_client_secret !== undefined && { client_secret: oauth.idp_client_secret }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const response = await guarded(provider, { method: 'POST', headers, body });
  if (!response.ok)
    throw new LoginError(
      `the identity provider refuses the token (HTTP ${response.status} ${await errorIn(response)})`,
    );
  const { access_token: assertion, issued_token_type: type } = (await response.json()) as Record<
    string,
    unknown
  >;
  const isUsable =
    type === `${TYPE}id-jag` && typeof assertion === 'string' && /^[\x21-\x7E]+$/.test(assertion);
  if (!isUsable || assertion.length > MAX_ASSERTION)
    throw new LoginError('the identity provider gave no assertion for the authorization server');
  return assertion;
}

async function errorIn(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: unknown };
  return typeof error === 'string' ? quoted(error) : '';
}
