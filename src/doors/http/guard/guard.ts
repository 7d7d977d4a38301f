import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { CLI_HEADER } from '../../../contract/routes/client.ts';
import { TOKEN_PREFIX, type TokenScope } from '../../../contract/token.ts';
import { monotonicClock, type Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import type { TokenLookup } from '../../../token/index.ts';
import { isLoopback } from './allowed-hosts.ts';
import { createAddressCheck, createClientAddress } from '../server/address.ts';
import {
  createFailedLogins,
  inactiveToken,
  missingKey,
  tokenNotAllowed,
  wrongKey,
  type WrongKey,
} from './credential-errors.ts';
import { createDenialLines } from './denial-lines.ts';
import { isOpenToTokens } from '../match-route.ts';
import { requestLogFields } from '../answer.ts';
import type { WebSessions } from './web-sessions.ts';

export interface GuardSettings {
  apiKey: string;
  requireMcpAuth: boolean;
  allowedHosts: readonly string[];
  /** Addresses of the proxies in front whose X-Forwarded-For counts. */
  trustedProxies?: readonly string[];
  /** The host part of the listen address. */
  listenHost: string;
}

export interface GuardParts {
  /** Read on every request, so that a reloaded configuration applies immediately. */
  settings: () => GuardSettings;
  /** The agents' tokens. */
  tokens: { find(secret: string): TokenLookup };
  log: Log;
  clock?: Clock;
  /** Log-ins of the web UI. */
  sessions?: WebSessions;
  /** What the commands of this installation send with the key or in its place. Absent: none is known. */
  cliSecret?: string;
}

/** The identity that a request was authenticated as. */
export interface Authenticated extends Identity {
  /** Set for a web session: aborted at its log-out, which ends what the request has opened. */
  until?: AbortSignal;
  /** The program that the credential belongs to, where the credential itself says so. What a client says of itself does not count. */
  via?: 'web' | 'cli';
}

/** Every check throws a ProxyError where the request is rejected. */
export interface Guard {
  /**
   * Checks Host and Origin, first on every route: the request must be addressed to this proxy, and come from our own page if from a
   * page at all. `isProbe`: a health probe, which may use any Host.
   */
  checkAddress(req: IncomingMessage, isProbe: boolean): void;
  /** The address of the client: of the connection, or what a trusted proxy says. */
  addressOf(req: IncomingMessage): string;
  /** Authenticates the operator. Outside /mcp a token opens only the assistant or the metrics, where its scope says so. */
  checkKey(req: IncomingMessage, seen?: Identity): Authenticated;
  /** Authenticates for /mcp, which agents use, and which the operator may open to all programs of this machine. */
  checkMcpKey(req: IncomingMessage, seen?: Identity): Identity;
  /** The identity of the credential on any route; undefined where there is none. Rejects and counts nothing, and holds for this moment only. */
  peek(req: IncomingMessage): Identity | undefined;
  requireMcpAuth(): boolean;
  /** Throws where the key that was entered in the web UI is wrong. */
  logIn(req: IncomingMessage, key: string): void;
  /** Counts a failed log-in and returns its error. */
  failedLogIn(req: IncomingMessage, message: string): ProxyError;
}

const NONE: readonly string[] = [];
const OPERATOR: Identity = { principal: 'operator', userId: 'local' };
const ANONYMOUS: Identity = { principal: 'anonymous', userId: 'local' };

/** Whether a credential is, or was meant to be, an agent token. */
const isToken = (given: string) => given.startsWith(TOKEN_PREFIX);

export function createGuard(parts: GuardParts): Guard {
  const { settings, tokens, log, clock = monotonicClock, sessions, cliSecret } = parts;
  const failures = createFailedLogins(clock);
  const lines = createDenialLines(log, clock);
  const checkAddress = createAddressCheck();
  const addressOf = createClientAddress(() => settings().trustedProxies ?? NONE);
  const expected = createDigestCache();

  /** Digests have one length, so that neither the comparison nor its error reveals anything about the key. */
  function isOperator(given: string): boolean {
    return timingSafeEqual(sha256(given), expected(settings().apiKey));
  }

  /** The identity of a key or token; throws where it is not valid. */
  function identify(req: IncomingMessage, given: string | undefined, seen?: Identity): Identity {
    if (given === undefined) {
      if (isCommand(req)) return OPERATOR;
      throw missingKey();
    }
    if (seen) return seen;
    // An operator's key never looks like a token: the proxy does not start with one that does.
    if (!isToken(given)) {
      if (isOperator(given)) return OPERATOR;
      throw rejected(req, 'key');
    }
    const presented = tokens.find(given);
    if (presented.state === 'active') return presented.identity;
    throw 'id' in presented ? inactiveToken(presented) : rejected(req, presented.state);
  }

  /** The cookie of the web UI permits what the key permits, except /mcp; a change needs the CSRF header too. */
  function webSession(req: IncomingMessage): Authenticated | undefined {
    const session = presentedKey(req) === undefined ? sessions?.find(req) : undefined;
    if (session && req.method !== 'GET' && req.method !== 'HEAD') sessions!.checkChange(req, session);
    return session && { ...OPERATOR, until: session.until, via: 'web' };
  }

  /**
   * A command of this installation sends a secret of the data directory, beside a key or without one: a mistake in the configuration file
   * must not lock the owner of the directory out.
   */
  function isCommand({ headers }: IncomingMessage): boolean {
    const given = headers[CLI_HEADER];
    return (
      cliSecret !== undefined &&
      typeof given === 'string' &&
      timingSafeEqual(sha256(given), sha256(cliSecret))
    );
  }

  /** Whether /mcp needs no key. */
  function isOpenToAll(req: IncomingMessage): boolean {
    return !settings().requireMcpAuth && isLoopback(addressOf(req));
  }

  function operatorOnly(identity: Identity): Identity {
    if (identity.token) throw tokenNotAllowed(identity);
    return identity;
  }

  function agentOnly(identity: Identity): Identity {
    if (identity.token?.scope.metrics) throw tokenNotAllowed(identity);
    return identity;
  }

  function rejected(req: IncomingMessage, what: WrongKey, message?: string): ProxyError {
    const source = addressOf(req) || 'unknown';
    const wait = failures.add(source);
    lines.add(source, () => ({
      ...requestLogFields(req),
      source,
      path: visibleLine(pathOf(req).slice(0, 200)),
      throttled: wait > 0,
    }));
    return wrongKey(what, wait, message);
  }

  return {
    checkAddress: (req, isProbe) => checkAddress(req, settings(), isProbe),
    addressOf,
    checkKey(req, seen) {
      const person = webSession(req);
      if (person) return person;
      const identity = identify(req, presentedKey(req), seen);
      const permitted = isPermitted(req, identity.token?.scope) ? identity : operatorOnly(identity);
      return !permitted.token && isCommand(req) ? { ...permitted, via: 'cli' } : permitted;
    },
    checkMcpKey(req, seen) {
      const given = presentedKey(req);
      if (!isOpenToAll(req) || (given === undefined && isCommand(req)))
        return agentOnly(identify(req, given, seen));
      // Where no key is needed, the limits of a token still apply, and a revoked or expired token is rejected.
      if (given !== undefined && (isToken(given) || isOperator(given)))
        return agentOnly(identify(req, given));
      return ANONYMOUS;
    },
    peek(req) {
      const given = presentedKey(req);
      if (given === undefined) {
        if (isCommand(req)) return OPERATOR;
        if (isMcpPath(pathOf(req))) return isOpenToAll(req) ? ANONYMOUS : undefined;
        return sessions?.find(req) && OPERATOR;
      }
      if (!isToken(given)) return isOperator(given) ? OPERATOR : undefined;
      const presented = tokens.find(given);
      return presented.state === 'active' ? presented.identity : undefined;
    },
    logIn: (req, key) => void operatorOnly(identify(req, key)),
    failedLogIn: (req, message) => rejected(req, 'key', message),
    requireMcpAuth: () => settings().requireMcpAuth,
  };
}

/** Whether the scope of a token permits this route. Only the assistant's own tokens may answer it: an agent would approve its own calls. */
function isPermitted(req: IncomingMessage, scope: TokenScope | undefined): boolean {
  if (scope?.metrics) return req.method === 'GET' && pathOf(req) === '/metrics';
  return scope?.assistant === true && isOpenToTokens(req.method, pathOf(req));
}

function presentedKey(req: IncomingMessage): string | undefined {
  const header = req.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  return /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
}

/** Where MCP is served; /mcp/direct lists the tools of the servers by their own names. */
export function isMcpPath(path: string): boolean {
  return path === '/mcp' || path === '/mcp/direct';
}

export function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The key rarely changes, so its digest is cached. */
function createDigestCache(): (key: string) => Buffer {
  let last: { key: string; digest: Buffer } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, digest: sha256(key) };
    return last.digest;
  };
}
