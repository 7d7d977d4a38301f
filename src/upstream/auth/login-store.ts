import { z } from 'zod';
import { MACHINE_GRANTS } from '../../contract/oauth.ts';
import type { AnyDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { ProofKey } from './dpop.ts';
import type { LoginCipher } from './login-key.ts';

const Endpoints = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  auth_methods: z.array(z.string()).optional(),
  revocation_auth_methods: z.array(z.string()).optional(),
});

const Client = z.object({
  client_id: z.string(),
  /** Only of a client that was registered dynamically; a configured secret stays where it is. */
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  redirect_uri: z.string().optional(),
  /** Those that it was registered with; absent: any. */
  scopes: z.array(z.string()).optional(),
  from: z.enum(['configured', 'document', 'dynamic']),
  secret_expires_at: z.number().optional(),
});
export type LoginClient = z.infer<typeof Client>;

const Tokens = z.object({
  access_token: z.string(),
  /** It works only together with the key; absent: it works for everybody who has it. */
  type: z.literal('DPoP').optional(),
  refresh_token: z.string().optional(),
  /** By the clock of the proxy that received it. */
  expires_at: z.number().optional(),
  lifetime_s: z.number().optional(),
});

/** Everything that is kept of a log-in. It holds for this address of the server and this issuer only. */
export const StoredLogin = z.object({
  url: z.string(),
  server: Endpoints,
  client: Client,
  resource: z.string().optional(),
  scopes: z.array(z.string()),
  /** Where the server said that its metadata is. */
  metadata_url: z.string().optional(),
  grant: z.enum(['authorization_code', ...MACHINE_GRANTS]),
  proof_key: ProofKey.optional(),
  /** Absent: logged out by an expired refresh token; the client and the issuer are still known. */
  tokens: Tokens.optional(),
});
export type StoredLogin = z.infer<typeof StoredLogin>;

export interface ReadLogin {
  version: number;
  /** Undefined: the key that opens it is not here. */
  login: StoredLogin | undefined;
}

export interface LoginStore {
  read(server: string): Promise<ReadLogin | undefined>;
  /** Returns the version of the row. */
  write(server: string, login: StoredLogin): Promise<number>;
  erase(server: string): Promise<void>;
  /** Locks the row, so that one proxy at a time refreshes a token. False: another one has it now. */
  claim(server: string, owner: string): Promise<boolean>;
  release(server: string, owner: string): Promise<void>;
  readonly keyFile: string;
}

/** Longer than a refresh can take. */
const LEASE_MS = 45_000;

export interface LoginStoreParts {
  db: Pick<AnyDatabase, 'kysely'>;
  cipher: LoginCipher;
  clock: Clock;
}

export function createLoginStore({ db: { kysely }, cipher, clock }: LoginStoreParts): LoginStore {
  return {
    keyFile: cipher.file,
    async read(server) {
      const row = await kysely
        .selectFrom('server_logins')
        .select(['key_id', 'box', 'version'])
        .where('server', '=', server)
        .executeTakeFirst();
      if (!row) return undefined;
      const text = cipher.open({ keyId: row.key_id, box: row.box }, boundTo(server));
      const parsed = text === undefined ? undefined : StoredLogin.safeParse(JSON.parse(text));
      return { version: row.version, login: parsed?.success ? parsed.data : undefined };
    },
    async write(server, login) {
      const { keyId, box } = cipher.seal(JSON.stringify(login), boundTo(server));
      const row = await kysely
        .insertInto('server_logins')
        .values({ server, key_id: keyId, box, version: clock.now(), busy_by: null, busy_until: null })
        .onConflict((conflict) =>
          conflict.column('server').doUpdateSet((of) => ({
            key_id: of.ref('excluded.key_id'),
            box: of.ref('excluded.box'),
            version: of('server_logins.version', '+', 1),
          })),
        )
        .returning('version')
        .executeTakeFirstOrThrow();
      return row.version;
    },
    async erase(server) {
      await kysely.deleteFrom('server_logins').where('server', '=', server).execute();
    },
    async claim(server, owner) {
      const now = clock.now();
      const row = await kysely
        .updateTable('server_logins')
        .set({ busy_by: owner, busy_until: now + LEASE_MS })
        .where('server', '=', server)
        .where((of) =>
          of.or([
            of('busy_until', 'is', null),
            of('busy_until', '<', now),
            // The clock of the proxy that locked it is far ahead.
            of('busy_until', '>', now + 2 * LEASE_MS),
          ]),
        )
        .returning('server')
        .executeTakeFirst();
      return row !== undefined;
    },
    async release(server, owner) {
      await kysely
        .updateTable('server_logins')
        .set({ busy_by: null, busy_until: null })
        .where('server', '=', server)
        .where('busy_by', '=', owner)
        .execute();
    },
  };
}

const boundTo = (server: string) => `server log-in\n${server}`;

/** Where nothing can be kept. */
export const NO_LOGINS: LoginStore = {
  keyFile: '',
  read: () => Promise.resolve(undefined),
  write: () => Promise.reject(new Error('log-ins cannot be kept here')),
  erase: () => Promise.resolve(),
  claim: () => Promise.resolve(false),
  release: () => Promise.resolve(),
};
