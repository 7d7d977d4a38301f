import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProxyError } from '../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';

/** Sent with every changing request of the page; its value was given at log-in and is not in the cookie. */
export const CSRF_HEADER = 'x-mcpproxy-csrf';

const LIFE_MS = 12 * 3_600_000;
const MAX_ENDED = 1000;

export interface WebSession {
  /** For the Set-Cookie header. */
  cookie: string;
  csrf: string;
  expiresAt: number;
}

/**
 * Whoever logged in at the page carries a cookie that the API key has signed, so a session outlives a restart and ends with the key.
 * Browsers give a cookie of 127.0.0.1 to every port there: what another local server gets to see of it can read, but not change anything,
 * because a change takes the second value too.
 */
export interface WebSessions {
  begin(req: IncomingMessage): WebSession;
  /** The session of a request; undefined where it has none that holds. */
  find(req: IncomingMessage): { csrf: string; expiresAt: number } | undefined;
  /** Throws where a request of the page may not change anything. */
  checkChange(req: IncomingMessage, session: { csrf: string }): void;
  /** Gives the header that removes the cookie. */
  end(req: IncomingMessage): string;
}

export function createWebSessions({ apiKey, clock }: { apiKey: () => string; clock: Clock }): WebSessions {
  const ended = new Set<string>();
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', apiKey()).update(`mcpproxy ${purpose} ${text}`).digest('base64url');

  function read(req: IncomingMessage): { id: string; expiresAt: number } | undefined {
    if (!isOurPages(req)) return undefined;
    const [expires = '', nonce = '', mac = ''] = (cookieOf(req) ?? '').split('.');
    const id = `${expires}.${nonce}`;
    if (!/^\d{1,13}$/.test(expires) || !isEqual(mac, sign('web session', id))) return undefined;
    if (Number(expires) <= clock.now() || ended.has(id)) return undefined;
    return { id, expiresAt: Number(expires) };
  }

  return {
    begin(req) {
      const expiresAt = clock.now() + LIFE_MS;
      const id = `${expiresAt}.${randomBytes(18).toString('base64url')}`;
      const value = `${id}.${sign('web session', id)}`;
      return {
        cookie: `${cookieName(req)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${LIFE_MS / 1000}`,
        csrf: sign('web change', id),
        expiresAt,
      };
    },
    find(req) {
      const session = read(req);
      return session && { csrf: sign('web change', session.id), expiresAt: session.expiresAt };
    },
    checkChange(req, { csrf }) {
      const given = req.headers[CSRF_HEADER];
      const site = req.headers['sec-fetch-site'];
      if (typeof given === 'string' && isEqual(given, csrf) && (site === undefined || site === 'same-origin'))
        return;
      throw new ProxyError(
        'FORBIDDEN',
        `A change from the page needs the header ${CSRF_HEADER} that was given at log-in; log in again`,
      );
    },
    end(req) {
      const session = read(req);
      if (session) ended.add(session.id);
      if (ended.size > MAX_ENDED) ended.delete(ended.values().next().value!);
      return `${cookieName(req)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
    },
  };
}

/** Browsers send the cookie with the requests of pages at every port of this machine; only ours, and the person who typed the address, get in. */
function isOurPages({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Cookies know no ports, so two proxies on one machine would take each other's. */
function cookieName(req: IncomingMessage): string {
  return `mcpproxy_session_${req.socket.localPort ?? 0}`;
}

function cookieOf(req: IncomingMessage): string | undefined {
  const name = `${cookieName(req)}=`;
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const text = part.trim();
    if (text.startsWith(name)) return text.slice(name.length);
  }
  return undefined;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
