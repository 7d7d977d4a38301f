import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Identity } from '../contract/caller.ts';
import { ProxyError } from '../contract/errors.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';
import { isLoopback } from './allowed-hosts.ts';
import { createAddressCheck } from './check-address.ts';
import { createFailedLogins } from './failed-logins.ts';
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
  log: Log;
  clock?: Clock;
  /** Those who logged in at the page. */
  sessions?: WebSessions;
}

/** Every check throws the refusal as a ProxyError. */
export interface Guard {
  /** Is the request meant for us, and from a page of ours if from a page at all? Comes first, on every route. */
  checkAddress(req: IncomingMessage): void;
  /** Whose request is it? */
  checkKey(req: IncomingMessage): Identity;
  /** The same for /mcp, which the operator may open to the programs of this machine. */
  checkMcpKey(req: IncomingMessage): Identity;
  requireMcpAuth(): boolean;
  /** Throws where the key that somebody typed into the page is wrong. */
  logIn(req: IncomingMessage, key: string): void;
  /** Counts a log-in that failed, and gives the refusal. */
  refuseLogIn(req: IncomingMessage, message: string): ProxyError;
}

const OPERATOR: Identity = { principal: 'operator', userId: 'local' };
const ANONYMOUS: Identity = { principal: 'anonymous', userId: 'local' };

export function createGuard({ settings, log, clock = systemClock, sessions }: GuardParts): Guard {
  const failures = createFailedLogins(clock);
  const checkAddress = createAddressCheck();
  const expected = rememberDigest();

  function isOperator(req: IncomingMessage): boolean {
    const given = presentedKey(req);
    return given !== undefined && isKey(given);
  }

  /** Digests have one length, so that neither the comparison nor its refusal says anything about the key. */
  function isKey(given: string): boolean {
    return timingSafeEqual(sha256(given), expected(settings().apiKey));
  }

  /** The page's cookie opens what the key opens, except /mcp; a change takes more than the cookie. */
  function isLoggedIn(req: IncomingMessage): boolean {
    const session = presentedKey(req) === undefined ? sessions?.find(req) : undefined;
    if (session && req.method !== 'GET' && req.method !== 'HEAD') sessions!.checkChange(req, session);
    return session !== undefined;
  }

  function checkKey(req: IncomingMessage): Identity {
    if (isOperator(req) || isLoggedIn(req)) return OPERATOR;
    return refuse(req);
  }

  function refuse(req: IncomingMessage): never {
    if (presentedKey(req) === undefined) {
      throw new ProxyError(
        'UNAUTHORIZED',
        'The API key is missing: send it as "X-API-Key: KEY" or "Authorization: Bearer KEY"',
      );
    }
    throw wrongKey(req);
  }

  function wrongKey(
    req: IncomingMessage,
    says = 'The API key is wrong; it is kept in the data directory of the proxy',
  ): ProxyError {
    const source = req.socket.remoteAddress ?? 'unknown';
    const wait = failures.add(source);
    log.warn({ source, path: visibleLine(pathOf(req).slice(0, 200)), throttled: wait > 0 }, 'wrong API key');
    if (wait === 0) return new ProxyError('UNAUTHORIZED', says);
    return new ProxyError(
      'TOO_MANY_REQUESTS',
      `The API key is wrong, and so were too many before it; try again in ${wait} s`,
      {
        retry_after_s: wait,
      },
    );
  }

  return {
    checkAddress: (req) => checkAddress(req, settings()),
    checkKey,
    checkMcpKey(req) {
      if (isOperator(req)) return OPERATOR;
      if (settings().requireMcpAuth || !isLoopback(req.socket.remoteAddress ?? '')) return refuse(req);
      return ANONYMOUS;
    },
    logIn(req, key) {
      if (!isKey(key)) throw wrongKey(req);
    },
    refuseLogIn: (req, message) => wrongKey(req, message),
    requireMcpAuth: () => settings().requireMcpAuth,
  };
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
