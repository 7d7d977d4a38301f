import { startAuthorizationServer } from '../fixtures/authorization-server.ts';
import type { AuthorizedClient } from '../fixtures/authorized-clients.ts';
import { startOidcProduct } from '../fixtures/oidc-product.ts';
import type { Protection } from '../fixtures/protected-server.ts';

/** A client that the operator of the proxy has registered by hand. */
export type KnownClient = Omit<AuthorizedClient, 'redirects'> & { machine?: boolean };

export interface GroundOptions {
  registration?: boolean;
  clients?: KnownClient[];
  /** Client ID metadata documents, by their address. */
  documents?: Record<string, object>;
}

/** An authorization server, whichever it is, and what a test wants to know of it. */
export interface Ground {
  issuer: string;
  verify: (token: string) => Promise<Permit | undefined> | Permit | undefined;
  /** The server whose tokens it issues. */
  serves(resource: string): void;
  secrets: Set<string>;
  /** Token requests of a grant type that it has answered with a token. */
  granted(type: string): number;
  registrations(): number;
  revocations(): number;
  /** Ends every access token now. */
  expire(): Promise<void> | void;
  stop(): void;
}

interface Permit {
  scopes: string[];
  resource: string | undefined;
}

export type StartGround = (options?: GroundOptions) => Promise<Ground>;

/** On loopback, with any port. */
export const REDIRECT = 'http://127.0.0.1/oauth/callback';
export const CHALLENGE: Partial<Protection> = { challenge: 'notes:read', scopes: ['notes:read'] };

async function startFixture({ clients = [], documents, registration = true }: GroundOptions = {}) {
  const server = await startAuthorizationServer({
    registration,
    ...(documents && { documents: documents as Record<string, { redirect_uris: string[] }> }),
  });
  for (const client of clients) server.clients.set(client.id, { ...client, redirects: [REDIRECT] });
  return {
    issuer: server.issuer,
    verify: server.verify,
    serves: (resource: string) => void server.behaviour.resources.push(resource),
    secrets: server.grants.secrets,
    granted: (type: string) => server.answered(type),
    registrations: () => server.requests('/register').length,
    revocations: () => server.requests('/revoke').length,
    expire: () => server.grants.expire(),
    stop: () => server.stop(),
  };
}

async function startProduct({ clients = [], ...options }: GroundOptions = {}) {
  const product = await startOidcProduct({ ...options, clients: clients.map(inItsWords) });
  const count = (line: string) => product.requests.filter((request) => request === line).length;
  return {
    issuer: product.issuer,
    verify: product.verify,
    serves: () => undefined,
    secrets: product.secrets,
    granted: (type: string) => count(`POST /token 200 ${type}`),
    registrations: () => count('POST /reg 201'),
    revocations: () => count('POST /token/revocation 200'),
    expire: () => product.expire(),
    stop: () => product.stop(),
  };
}

function inItsWords({ id, secret, method, key, machine }: KnownClient): object {
  return {
    client_id: id,
    ...(secret && { client_secret: secret }),
    ...(key && { jwks: { keys: [key.export({ format: 'jwk' })] } }),
    token_endpoint_auth_method: method,
    redirect_uris: machine ? [] : [REDIRECT],
    response_types: machine ? [] : ['code'],
    grant_types: machine ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    application_type: 'native',
  };
}

export const GROUNDS: Array<[name: string, start: StartGround]> = [
  ['the fixture', startFixture],
  ['oidc-provider', startProduct],
];
