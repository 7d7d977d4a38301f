import { z } from 'zod';

const secret = z.string().min(1).max(20_000);

/** A scope of OAuth: printable characters without spaces, quotes and backslashes (RFC 6749). */
const Scope = z
  .string()
  .max(500)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'must be a scope without spaces, quotes and backslashes');

const HttpUrl = z
  .string()
  .max(2000)
  .regex(/^(https?:\/\/|\$\{)/, 'must start with https://, or http:// on this machine');

/** A list, or one text with spaces or commas between them. */
export const Scopes = z.union([z.array(Scope).max(100), z.string().max(5000)]);

export function scopesOf(given: z.infer<typeof Scopes>): string[] {
  return typeof given === 'string' ? given.split(/[\s,]+/).filter(Boolean) : given;
}

/** Log-ins to servers without a person. */
export const MACHINE_GRANTS = ['client_credentials', 'jwt_bearer'] as const;
export type MachineGrant = (typeof MACHINE_GRANTS)[number];
export const isMachineGrant = (grant: string | undefined): grant is MachineGrant =>
  MACHINE_GRANTS.some((each) => each === grant);

/** How the proxy logs in to a server. Without it everything is discovered. */
export const OAuthConfig = z.strictObject({
  client_id: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({
      description: 'client that was registered by hand at the authorization server',
      examples: ['abc123'],
    }),
  client_secret: secret
    .optional()
    .meta({ description: 'secret of `client_id`', examples: ['${env:CLIENT_SECRET}'] }),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post'])
    .optional()
    .meta({
      description:
        'how `client_secret` is sent, where the authorization server offers both; default client_secret_basic',
      examples: ['client_secret_post'],
    }),
  scopes: Scopes.optional().meta({
    description: 'scopes to ask for, instead of those that the server names',
    examples: [['files:read', 'files:write']],
  }),
  issuer: HttpUrl.optional().meta({
    description: 'the only authorization server that is accepted',
    examples: ['https://login.example.com'],
  }),
  client_metadata_url: HttpUrl.optional().meta({
    description: 'public address of a client ID metadata document, used as the client id',
    examples: ['https://example.com/mcpproxy-client.json'],
  }),
  redirect_uri: HttpUrl.optional().meta({
    description:
      'where the authorization server sends the browser back; default: /oauth/callback of the proxy',
    examples: ['https://mcp.example.com/oauth/callback'],
  }),
  grant: z
    .enum(['authorization_code', ...MACHINE_GRANTS])
    .optional()
    .meta({
      description:
        'authorization_code: a person logs in; client_credentials: the proxy logs in by itself with `client_secret` or `private_key`; jwt_bearer: with `assertion`',
      examples: ['client_credentials'],
    }),
  assertion: secret.optional().meta({
    description:
      'for the grant jwt_bearer: the token that a platform or an identity provider has issued about this proxy; a file is read at each log-in',
    examples: ['${file:/var/run/secrets/tokens/mcpproxy}'],
  }),
  idp_token_endpoint: HttpUrl.optional().meta({
    description:
      'for the grant jwt_bearer: token endpoint of the identity provider of your organisation, which exchanges `assertion`, an ID token, for one that the authorization server accepts',
    examples: ['https://idp.example.com/token'],
  }),
  idp_client_id: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'client that is registered at the identity provider', examples: ['mcpproxy'] }),
  idp_client_secret: secret
    .optional()
    .meta({ description: 'secret of `idp_client_id`', examples: ['${env:IDP_CLIENT_SECRET}'] }),
  private_key: secret.optional().meta({
    description: 'private key in PEM (PKCS #8) that signs in place of `client_secret` (private_key_jwt)',
    examples: ['${file:/run/secrets/mcpproxy_key.pem}'],
  }),
  private_key_algorithm: z
    .enum(['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
    .optional()
    .meta({ description: 'algorithm of `private_key`; default ES256', examples: ['RS256'] }),
});
export type OAuthConfig = z.infer<typeof OAuthConfig>;

/** The settings that are secrets. */
export const OAUTH_SECRETS = ['client_secret', 'private_key', 'assertion', 'idp_client_secret'] as const;

/** Whether a server needs a log-in, or as what the proxy is logged in. Never a token. */
export const LoginView = z.object({
  needed: z.boolean(),
  reason: z.string().optional().describe('why a log-in is needed'),
  issuer: z.string().optional().describe('authorization server'),
  scopes: z.array(z.string()).optional().describe('scopes that were granted, or that are needed'),
  since: z.string().optional().describe('since when a log-in is needed'),
  url_host: z.string().optional().describe('host of the server'),
  expires_at: z.string().optional().describe('when the access token expires'),
  refreshes: z.boolean().optional().describe('true: the access token is refreshed without a person'),
});
export type LoginView = z.infer<typeof LoginView>;

export const StartedLogin = z.object({
  done: z.boolean().optional().describe('true: logged in already, without a person'),
  authorization_url: z.string().optional().describe('page on which a person logs in'),
  redirect_uri: z.string().optional(),
  expires_at: z.string().optional().describe('until when the log-in can be completed'),
  issuer: z.string(),
  scopes: z.array(z.string()),
});
export type StartedLogin = z.infer<typeof StartedLogin>;

export const LoginProgress = z.object({
  status: z.enum(['none', 'waiting', 'done', 'failed']),
  reason: z.string().optional(),
});
export type LoginProgress = z.infer<typeof LoginProgress>;

export const LoggedOut = z.object({
  revoked: z.boolean().describe('true: the authorization server has revoked the tokens'),
  reason: z.string().optional().describe('why they are not revoked; they are erased here in any case'),
});
export type LoggedOut = z.infer<typeof LoggedOut>;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is one that a browser may be sent to: a page, not a program or a file. */
export function isLoginPage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  // A user name in front of the host makes an address look like one of another host.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
