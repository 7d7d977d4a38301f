import { setTimeout as sleep } from 'node:timers/promises';
import type { LoginView } from '../../contract/oauth.ts';
import { isMachineGrant, type MachineGrant } from '../../contract/oauth.ts';
import { newId, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Bearer, ProvenHeaders, SentToken } from '../transport/bearer.ts';
import type { Challenge } from './challenge.ts';
import type { ResolvedOAuth } from './client.ts';
import { chooseClient } from './client.ts';
import { discover, isSameIssuer, offersLogin, type Discovered } from './discover.ts';
import { createProofKey, Prover, type ProofKey } from './dpop.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { LoginError, LoginNeeded, reasonOf } from './login-error.ts';
import type { LoginStore, ReadLogin, StoredLogin } from './login-store.ts';
import { endpointsOf, isFinal, refresh, requestCredentials, type TokenParts } from './token-requests.ts';

export interface AuthSettings {
  url: URL;
  oauth: ResolvedOAuth;
}

export interface ServerAuthParts {
  server: string;
  store: LoginStore;
  /** Resolved at each use, so that a changed secret takes effect. */
  settings: () => AuthSettings;
  /** The operator configured OAuth for this server. */
  isConfigured: boolean;
  clock: Clock;
  log: Log;
  /** `isTotal`: nothing of the server can be used until then. */
  onNeeded: (reason: string, isTotal: boolean) => void;
}

type StoredTokens = NonNullable<StoredLogin['tokens']>;

interface Needed {
  reason: string;
  scopes: string[];
  since: number;
  /** Of the stored log-in that is not enough. */
  version: number | undefined;
}

/** A token is refreshed before the last minute, or the last tenth, of its life. */
const MARGIN_MS = 60_000;
const MARGIN_SHARE = 0.1;
/** After a refresh that failed, the present token is used for so long before the next attempt. */
const RETRY_MS = 30_000;
const LOCK_STEP_MS = 150;
const LOCK_LIMIT_MS = 40_000;
/** Another proxy on the same database may have logged in. */
const LOOK_AGAIN_MS = 10_000;

/** The log-in of the proxy to one server: its token, when to refresh it, and whether a person is needed. */
export class ServerAuth implements Bearer {
  header: string | undefined;
  /** What the server said last. */
  challenge: Challenge | undefined;
  readonly settings: () => AuthSettings;
  readonly #parts: ServerAuthParts;
  readonly #owner = newId();
  #login: StoredLogin | undefined;
  #prover: Prover | undefined;
  #version: number | undefined;
  #staleAt = Infinity;
  #needed: Needed | undefined;
  #trouble: string | undefined;
  #locked = false;
  #renewing: Promise<boolean> | undefined;

  constructor(parts: ServerAuthParts) {
    this.#parts = parts;
    this.settings = parts.settings;
  }

  /** Why the server cannot be reached for lack of a log-in or of a new token. */
  get failure(): Error | undefined {
    if (this.#needed) return new LoginNeeded(this.#needed.reason);
    return this.#trouble === undefined ? undefined : new LoginError(this.#trouble);
  }

  get neededScopes(): string[] {
    return this.#needed?.scopes ?? [];
  }

  get nonce(): string | undefined {
    return this.#prover?.nonce;
  }

  takeNonce(nonce: unknown): void {
    this.#prover?.takeNonce(nonce);
  }

  prove(method: string, { origin, pathname }: URL): ProvenHeaders | undefined {
    const authorization = this.header;
    if (authorization === undefined) return undefined;
    const token = this.#login?.tokens?.access_token;
    if (!this.#prover || token === undefined) return { authorization };
    return { authorization, dpop: this.#prover.proof({ method, url: origin + pathname, token }) };
  }

  isStale(): boolean {
    return performance.now() >= this.#staleAt;
  }

  /** Before each connection. Throws where the stored log-in is known not to be enough. */
  async load(): Promise<void> {
    const { store, server } = this.#parts;
    this.#trouble = undefined;
    const read = await store.read(server);
    if (this.#needed && this.#needed.version === read?.version) throw new LoginNeeded(this.#needed.reason);
    this.#needed = undefined;
    this.#adopt(read);
    if (this.isStale()) await this.renew();
  }

  /** The operator wants another attempt, whatever is known. */
  forget(): void {
    this.#needed = undefined;
  }

  /** Resolves when there is another log-in than the one that is not enough. */
  async untilChanged(signal: AbortSignal): Promise<void> {
    const { store, server, log } = this.#parts;
    while (!signal.aborted) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      try {
        if (!this.#needed || (await store.read(server))?.version !== this.#needed.version) return;
      } catch (error) {
        log.debug({ err: error, server }, 'the stored log-in cannot be read');
      }
    }
  }

  renew(): Promise<boolean> {
    return (this.#renewing ??= this.#renewLocked().finally(() => (this.#renewing = undefined)));
  }

  async challenged(challenge: Challenge, { header, nonce, isRepeat }: SentToken): Promise<boolean> {
    if (challenge.wantsNonce && this.#prover) return this.nonce !== undefined && this.nonce !== nonce;
    // Another request has renewed it meanwhile.
    if (!isRepeat && this.header !== undefined && this.header !== header) return true;
    this.challenge = challenge;
    if (challenge.status === 403) return this.#stepUp(challenge, isRepeat);
    if (!isRepeat && this.#canRenew()) return this.renew();
    if (header === undefined && !(await this.#isLoginWanted(challenge))) return false;
    this.#need(this.#reasonFor401(header), challenge);
    return false;
  }

  view(): LoginView | undefined {
    const host = (): string => this.settings().url.host;
    if (this.#needed) {
      const { reason, scopes, since } = this.#needed;
      const issuer = this.#login?.server.issuer;
      return {
        needed: true,
        reason,
        ...(issuer !== undefined && { issuer }),
        ...(scopes.length > 0 && { scopes }),
        since: new Date(since).toISOString(),
        url_host: host(),
      };
    }
    if (!this.#login?.tokens) return undefined;
    const { server, scopes, tokens, grant } = this.#login;
    return {
      needed: false,
      issuer: server.issuer,
      scopes,
      ...(tokens.expires_at !== undefined && { expires_at: new Date(tokens.expires_at).toISOString() }),
      refreshes: isMachineGrant(grant) || tokens.refresh_token !== undefined,
    };
  }

  /** A hostile server may repeat the token that it received. */
  masked(text: string): string {
    const token = this.#login?.tokens?.access_token;
    return token === undefined ? text : text.replaceAll(token, '***');
  }

  /** The log-in that is stored for this server, if it holds for its present address and issuer. */
  async stored(): Promise<StoredLogin | undefined> {
    return this.#fitting((await this.#parts.store.read(this.#parts.server))?.login);
  }

  /** A key of its own for the log-in, where both servers know such tokens; that of the last log-in, if there was one. */
  proofKeyFor({ proofs }: Discovered, before: StoredLogin | undefined): ProofKey | undefined {
    const isWanted = proofs.named || this.challenge?.takesProofs === true;
    return proofs.offered && isWanted ? (before?.proof_key ?? createProofKey()) : undefined;
  }

  /** Discovers the authorization server and gets the first token of a machine. */
  async logInAsMachine(scopes: string[]): Promise<StoredLogin> {
    const { store, server } = this.#parts;
    const { url, oauth } = this.settings();
    const parts = this.tokenParts();
    if (oauth.client_id === undefined)
      throw new LoginError(`oauth.grant is ${oauth.grant}, which needs oauth.client_id`);
    const found = await discover({
      serverUrl: url,
      fetch: parts.fetch,
      metadataUrl: this.challenge?.metadataUrl,
      issuer: oauth.issuer,
    });
    const client = await chooseClient({
      found,
      oauth,
      redirectUri: '',
      scopes,
      before: undefined,
      fetch: parts.fetch,
    });
    const wanted = scopes.length > 0 ? scopes : (oauth.scopes ?? this.challenge?.scopes ?? found.scopes);
    const endpoints = endpointsOf(found.metadata);
    const proofKey = this.proofKeyFor(found, undefined);
    const granted = await requestCredentials(
      { server: endpoints, client, scopes: wanted, resource: found.resource, proof_key: proofKey },
      parts,
    );
    const login: StoredLogin = {
      url: url.href,
      server: endpoints,
      client,
      resource: found.resource,
      scopes: granted.scopes ?? wanted,
      grant: oauth.grant as MachineGrant,
      tokens: granted.tokens,
      ...(proofKey && { proof_key: proofKey }),
    };
    this.#adopt({ version: await store.write(server, login), login });
    return login;
  }

  tokenParts(signal?: AbortSignal): TokenParts {
    const { url, oauth } = this.settings();
    const fetch = createGuardedFetch({
      serverUrl: url,
      trusted: [oauth.issuer, oauth.idp_token_endpoint].filter((trusted) => trusted !== undefined),
      ...(signal && { signal }),
    });
    return { oauth, fetch, now: () => this.#parts.clock.now() };
  }

  get #isMachine(): boolean {
    return isMachineGrant(this.settings().oauth.grant);
  }

  #canRenew(): boolean {
    return this.#isMachine || this.#login?.tokens?.refresh_token !== undefined;
  }

  #fitting(login: StoredLogin | undefined): StoredLogin | undefined {
    if (!login) return undefined;
    const { url, oauth } = this.settings();
    const isOurs = login.url === url.href && login.grant === (oauth.grant ?? 'authorization_code');
    return isOurs && (oauth.issuer === undefined || isSameIssuer(oauth.issuer, login.server.issuer))
      ? login
      : undefined;
  }

  #adopt(read: ReadLogin | undefined): void {
    this.#version = read?.version;
    this.#locked = read !== undefined && read.login === undefined;
    this.#login = this.#fitting(read?.login);
    const tokens = this.#login?.tokens;
    this.header = tokens && authorizationOf(tokens);
    this.#adoptKey();
    this.#staleAt = tokens && this.#canRenew() ? staleAt(tokens, this.#parts.clock.now()) : Infinity;
  }

  /** The nonce of the server stays good for another token with the same key. */
  #adoptKey(): void {
    const { proof_key: key, tokens } = this.#login ?? {};
    const isBound = tokens?.type === 'DPoP' && key !== undefined;
    const nonce = this.nonce;
    this.#prover = isBound ? new Prover(key) : undefined;
    this.#prover?.takeNonce(nonce);
  }

  /** A server without a challenge may still have metadata for a log-in; only the server itself is asked. */
  async #isLoginWanted({ isKnown }: Challenge): Promise<boolean> {
    if (isKnown || this.#parts.isConfigured) return true;
    const { url } = this.settings();
    return offersLogin(url, createGuardedFetch({ serverUrl: url }));
  }

  #reasonFor401(header: string | undefined): string {
    if (this.#locked)
      return `the log-in is stored with a key that is not in ${this.#parts.store.keyFile}; copy the file from the proxy that logged in, or log in again`;
    return header === undefined ? 'the server asks for a log-in' : 'the server no longer accepts the log-in';
  }

  #need(reason: string, challenge?: Challenge): void {
    const scopes = [...new Set([...(this.#login?.scopes ?? []), ...(challenge?.scopes ?? [])])];
    this.#needed = { reason, scopes, since: this.#parts.clock.now(), version: this.#version };
    this.#parts.onNeeded(reason, challenge?.status !== 403);
  }

  async #stepUp(challenge: Challenge, isRepeat: boolean): Promise<boolean> {
    const before = new Set(this.#login?.scopes);
    const missing = (challenge.scopes ?? []).filter((scope) => !before.has(scope));
    if (this.#isMachine && !isRepeat && missing.length > 0) {
      try {
        await this.logInAsMachine([...before, ...missing]);
        return true;
      } catch (error) {
        this.#parts.log.warn(
          { server: this.#parts.server },
          `no token with further scopes: ${reasonOf(error)}`,
        );
      }
    }
    if (challenge.scopes && missing.length === 0) {
      // Another log-in would bring the same, again and again.
      this.#trouble = `the server rejects the log-in although it has the scopes that the server asks for: ${challenge.scopes.join(' ')}`;
      return false;
    }
    const more = missing.length > 0 ? `: ${missing.join(' ')}` : '';
    this.#need(`the server asks for further permissions${more}`, challenge);
    return false;
  }

  /** One proxy at a time, because a refresh token often works only once. */
  async #renewLocked(): Promise<boolean> {
    const { store, server } = this.#parts;
    const used = this.header;
    const end = performance.now() + LOCK_LIMIT_MS;
    try {
      while (!(await store.claim(server, this.#owner))) {
        const read = await store.read(server);
        if (!read) break;
        if (this.#isRenewed(read, used)) return true;
        if (performance.now() > end)
          return this.#failed(new LoginError('another proxy has not finished its refresh'));
        await sleep(LOCK_STEP_MS);
      }
      return await this.#renew(used);
    } catch (error) {
      return this.#failed(error);
    } finally {
      await store.release(server, this.#owner).catch(() => undefined);
    }
  }

  /** Whether another request or proxy has stored another token meanwhile; it is used then. */
  #isRenewed(read: ReadLogin | undefined, used: string | undefined): boolean {
    const tokens = this.#fitting(read?.login)?.tokens;
    if (!tokens || authorizationOf(tokens) === used) return false;
    this.#adopt(read);
    return !this.isStale();
  }

  async #renew(used: string | undefined): Promise<boolean> {
    const { store, server } = this.#parts;
    const read = await store.read(server);
    if (this.#isRenewed(read, used)) return true;
    const login = this.#fitting(read?.login);
    if (this.#isMachine && !login) {
      await this.logInAsMachine([]);
      return true;
    }
    // Logged out meanwhile.
    if (!login?.tokens) return this.#expire(read, 'the server asks for a log-in');
    try {
      const granted = this.#isMachine
        ? await requestCredentials({ ...login, resource: login.resource }, this.tokenParts())
        : await refresh(login, this.tokenParts());
      const next = { ...login, tokens: granted.tokens, scopes: granted.scopes ?? login.scopes };
      this.#adopt({ version: await store.write(server, next), login: next });
      this.#trouble = undefined;
      return true;
    } catch (error) {
      if (!isFinal(error)) throw error;
      // The client and the issuer stay known for the next log-in.
      const { tokens: _dead, ...rest } = login;
      const version = await store.write(server, rest);
      return this.#expire({ version, login: rest }, `the log-in has expired (${reasonOf(error)})`);
    }
  }

  #expire(read: ReadLogin | undefined, reason: string): false {
    this.#adopt(read);
    this.#need(reason, this.challenge);
    return false;
  }

  /** The authorization server cannot be reached: the present token is used as long as the server accepts it. */
  #failed(error: unknown): false {
    const { server, log } = this.#parts;
    this.#trouble = `no new token: ${reasonOf(error)}`;
    this.#staleAt = performance.now() + RETRY_MS;
    log.warn({ server }, `server '${server}': ${this.#trouble}`);
    return false;
  }
}

function authorizationOf({ type, access_token: token }: StoredTokens): string {
  return `${type ?? 'Bearer'} ${token}`;
}

/** On the clock that does not jump. A stored time is trusted no further than the life of the token. */
function staleAt({ expires_at: at, lifetime_s: life }: StoredTokens, now: number): number {
  if (at === undefined || life === undefined) return Infinity;
  const lifeMs = life * 1000;
  const left = Math.min(Math.max(0, at - now), lifeMs);
  return performance.now() + left - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE);
}
