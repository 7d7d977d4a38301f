import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import type { TokenScope } from '../../../contract/token.ts';
import { monotonicClock, type Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { looksLikeSecret, type Presented } from '../../../token/index.ts';
import { isLoopback } from './allowed-hosts.ts';
import { createAddressCheck } from './check-address.ts';
import { createFailedLogins } from './failed-logins.ts';
import { endedToken, missingKey, onlyMcp, wrongKey, type WrongKey } from './key-errors.ts';
import { isOpenToTokens } from '../match-route.ts';
import { aboutRequest } from '../request-id.ts';
import type { WebSessions } from './web-sessions.ts';

export interface GuardSettings {
  apiKey: string;
  requireMcpAuth: boolean;
  allowedHosts: readonly string[];
  /** The host part of the listen address. */
  listenHost: string;
}

export interface GuardParts {
  /** Read on every request, so that a reloaded configuration holds at once. */
  settings: () => GuardSettings;
  /** The agents' tokens. */
  tokens: { find(secret: string): Presented };
  log: Log;
  clock?: Clock;
  /** Those who logged in at the page. */
  sessions?: WebSessions;
}

/** Who was let in. */
export interface Admitted extends Identity {
  /** There where a log-in at the page opened the way: when it ends, so does what it has opened. */
  until?: AbortSignal;
}

/** Every check throws the refusal as a ProxyError. */
export interface Guard {
  /**
   * Is the request meant for us, and from a page of ours if from a page at all? Comes first, on every route. `isProbe`: a health probe,
   * which names the machine as it likes.
   */
  checkAddress(req: IncomingMessage, isProbe: boolean): void;
  /** Whose request is it? The operator's; a token opens, besides /mcp, only the assistant or the metrics, where it was made for that. */
  checkKey(req: IncomingMessage, seen?: Identity): Admitted;
  /** The same for /mcp, which agents use, and which the operator may open to the programs of this machine. */
  checkMcpKey(req: IncomingMessage, seen?: Identity): Identity;
  /** Who would be let in, somewhere; undefined: nobody. Nothing is refused or counted by it, and what it gives holds for this moment. */
  peek(req: IncomingMessage): Identity | undefined;
  requireMcpAuth(): boolean;
  /** Throws where the key that somebody typed into the page is wrong. */
  logIn(req: IncomingMessage, key: string): void;
  /** Counts a log-in that failed, and gives the refusal. */
  refuseLogIn(req: IncomingMessage, message: string): ProxyError;
}

const OPERATOR: Identity = { principal: 'operator', userId: 'local' };
const ANONYMOUS: Identity = { principal: 'anonymous', userId: 'local' };

export function createGuard({ settings, tokens, log, clock = monotonicClock, sessions }: GuardParts): Guard {
  const failures = createFailedLogins(clock);
  const checkAddress = createAddressCheck();
  const expected = rememberDigest();

  /** Digests have one length, so that neither the comparison nor its refusal says anything about the key. */
  function isOperator(given: string): boolean {
    return timingSafeEqual(sha256(given), expected(settings().apiKey));
  }

  /** Whoever's key it is; throws where it is nobody's. */
  function identify(req: IncomingMessage, given: string | undefined, seen?: Identity): Identity {
    if (given === undefined) throw missingKey();
    if (seen) return seen;
    // No key of an operator looks like a token: the proxy does not start with one.
    if (!looksLikeSecret(given)) {
      if (isOperator(given)) return OPERATOR;
      throw refused(req, 'key');
    }
    const presented = tokens.find(given);
    if (presented.state === 'active') return presented.identity;
    throw 'id' in presented ? endedToken(presented) : refused(req, presented.state);
  }

  /** The page's cookie opens what the key opens, except /mcp; a change takes more than the cookie. */
  function loggedIn(req: IncomingMessage): Admitted | undefined {
    const session = presentedKey(req) === undefined ? sessions?.find(req) : undefined;
    if (session && req.method !== 'GET' && req.method !== 'HEAD') sessions!.checkChange(req, session);
    return session && { ...OPERATOR, until: session.until };
  }

  /** Whether whoever asks for /mcp needs no key. */
  function isOpenToAll(req: IncomingMessage): boolean {
    return !settings().requireMcpAuth && isLoopback(req.socket.remoteAddress ?? '');
  }

  function operatorOnly(identity: Identity): Identity {
    if (identity.token) throw onlyMcp(identity);
    return identity;
  }

  function agentOnly(identity: Identity): Identity {
    if (identity.token?.scope.metrics) throw onlyMcp(identity);
    return identity;
  }

  function refused(req: IncomingMessage, what: WrongKey, says?: string): ProxyError {
    const source = req.socket.remoteAddress ?? 'unknown';
    const wait = failures.add(source);
    const path = visibleLine(pathOf(req).slice(0, 200));
    log.warn({ ...aboutRequest(req), source, path, throttled: wait > 0 }, 'wrong key or token');
    return wrongKey(what, wait, says);
  }

  return {
    checkAddress: (req, isProbe) => checkAddress(req, settings(), isProbe),
    checkKey(req, seen) {
      const person = loggedIn(req);
      if (person) return person;
      const identity = identify(req, presentedKey(req), seen);
      return isMadeFor(req, identity.token?.scope) ? identity : operatorOnly(identity);
    },
    checkMcpKey(req, seen) {
      const given = presentedKey(req);
      if (!isOpenToAll(req)) return agentOnly(identify(req, given, seen));
      // Where nobody needs a key a token is still what it is: its limits hold, and one that has ended opens nothing.
      if (given !== undefined && (looksLikeSecret(given) || isOperator(given)))
        return agentOnly(identify(req, given));
      return ANONYMOUS;
    },
    peek(req) {
      const given = presentedKey(req);
      if (given === undefined) {
        if (pathOf(req) === '/mcp') return isOpenToAll(req) ? ANONYMOUS : undefined;
        return sessions?.find(req) && OPERATOR;
      }
      if (!looksLikeSecret(given)) return isOperator(given) ? OPERATOR : undefined;
      const presented = tokens.find(given);
      return presented.state === 'active' ? presented.identity : undefined;
    },
    logIn: (req, key) => void operatorOnly(identify(req, key)),
    refuseLogIn: (req, message) => refused(req, 'key', message),
    requireMcpAuth: () => settings().requireMcpAuth,
  };
}

/** Who answers the assistant decides what it asks about; an agent that could would approve its own calls. */
function isMadeFor(req: IncomingMessage, scope: TokenScope | undefined): boolean {
  if (scope?.metrics) return req.method === 'GET' && pathOf(req) === '/metrics';
  return scope?.assistant === true && isOpenToTokens(req.method, pathOf(req));
}

function presentedKey(req: IncomingMessage): string | undefined {
  const header = req.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  return /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
}

export function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The key rarely changes; its digest is made once. */
function rememberDigest(): (key: string) => Buffer {
  let last: { key: string; digest: Buffer } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, digest: sha256(key) };
    return last.digest;
  };
}
