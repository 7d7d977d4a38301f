import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { ProxyError } from '../../../contract/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { PublicPlace } from '../server/public-place.ts';
import { createEndedSessions, type SessionTime } from './ended-sessions.ts';

/** Sent with every changing request of the web UI; its value is returned at log-in and is not in the cookie. */
export const CSRF_HEADER = 'x-mcpproxy-csrf';

const LIFE_MS = 12 * 3_600_000;

export interface WebSession {
  /** For the Set-Cookie header. */
  cookie: string;
  csrf: string;
  expiresAt: number;
}

/** The session of a request. */
export interface FoundSession {
  csrf: string;
  expiresAt: number;
  /** Aborted at log-out, which ends what the session has opened. */
  until: AbortSignal;
}

/**
 * Sessions of the web UI. The cookie is signed with the API key, so a session survives a restart and ends with the key. A log-out
 * survives a restart too.
 * Browsers send a cookie of 127.0.0.1 to every port there: another local server that sees it could read, but not change anything, because
 * a change needs the CSRF value too.
 */
export interface WebSessions {
  begin(req: IncomingMessage): WebSession;
  /** The valid session of a request, if any. */
  find(req: IncomingMessage): FoundSession | undefined;
  /** Throws where a changing request lacks the CSRF value. */
  checkChange(req: IncomingMessage, session: { csrf: string }): void;
  /** Logs out, and returns the header that removes the cookie. Throws where the log-out cannot be stored. */
  end(req: IncomingMessage): string;
}

interface SessionParts {
  apiKey: () => string;
  clock: Clock;
  /** Where log-outs are stored. Absent: they are not stored. */
  endedFile?: string;
  /** Whether the browser uses TLS up to a proxy in front: then the cookie is for TLS only. */
  isSecure?: (req: IncomingMessage) => boolean;
  /** Where the proxy is reached through a reverse proxy; undefined: nothing is configured. */
  publicPlace?: () => PublicPlace | undefined;
}

export function createWebSessions({
  apiKey,
  clock,
  endedFile,
  isSecure,
  publicPlace,
}: SessionParts): WebSessions {
  const traits = (req: IncomingMessage) => cookieTraits(req, publicPlace?.());
  const setCookie = (req: IncomingMessage, value: string, ageS: number) => {
    const { name, path, secure } = traits(req);
    const attributes = `Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${ageS}`;
    return `${name}=${value}; ${attributes}${secure || isSecure?.(req) ? '; Secure' : ''}`;
  };
  const ended = createEndedSessions({ clock, lifeMs: LIFE_MS, ...(endedFile && { file: endedFile }) });
  /** Of sessions that were used since the start of the process. */
  const endings = new Map<string, { ending: AbortController; expiresAt: number }>();
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', apiKey()).update(`mcpproxy ${purpose} ${text}`).digest('base64url');

  function read(req: IncomingMessage): SessionTime | undefined {
    if (!isFromOwnPage(req)) return undefined;
    const [expires = '', nonce = '', mac = ''] = (cookieOf(req, traits(req).name) ?? '').split('.');
    const id = `${expires}.${nonce}`;
    if (!/^\d{1,13}$/.test(expires) || !isEqual(mac, sign('web session', id))) return undefined;
    const session = { id, expiresAt: Number(expires) };
    return session.expiresAt <= clock.now() || ended.has(session) ? undefined : session;
  }

  function endingOf({ id, expiresAt }: SessionTime): AbortController {
    const known = endings.get(id);
    if (known) return known.ending;
    for (const [other, { expiresAt: end }] of endings) if (end <= clock.now()) endings.delete(other);
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    endings.set(id, { ending, expiresAt });
    return ending;
  }

  return {
    begin(req) {
      const expiresAt = clock.now() + LIFE_MS;
      const id = `${expiresAt}.${randomBytes(18).toString('base64url')}`;
      const value = `${id}.${sign('web session', id)}`;
      return {
        cookie: setCookie(req, value, LIFE_MS / 1000),
        csrf: sign('web change', id),
        expiresAt,
      };
    },
    find(req) {
      const session = read(req);
      if (!session) return undefined;
      const { id, expiresAt } = session;
      return { csrf: sign('web change', id), expiresAt, until: endingOf(session).signal };
    },
    checkChange(req, { csrf }) {
      const given = req.headers[CSRF_HEADER];
      const site = req.headers['sec-fetch-site'];
      if (typeof given === 'string' && isEqual(given, csrf) && (site === undefined || site === 'same-origin'))
        return;
      throw new ProxyError(
        'FORBIDDEN',
        `A change from the web UI needs the header ${CSRF_HEADER} from its log-in; log in again`,
      );
    },
    end(req) {
      const session = read(req);
      if (session) {
        endings.get(session.id)?.ending.abort();
        endings.delete(session.id);
        ended.add(session);
      }
      return setCookie(req, '', 0);
    },
  };
}

/** Browsers send the cookie with requests of pages at every port of this machine; only our own page and a typed address are accepted. */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/**
 * Cookies ignore ports, so the name has the port: two proxies on one machine would overwrite each other's. Through a reverse proxy it is
 * the public port, as several proxies with other ports of their own may answer there.
 */
function cookieTraits(req: IncomingMessage, place: PublicPlace | undefined) {
  const isPublic = place !== undefined && req.headers.host?.toLowerCase() === place.host;
  const port = isPublic ? place.port : (req.socket.localPort ?? 0);
  return {
    name: `mcpproxy_session_${port}`,
    path: isPublic ? `${place.path}/` : '/',
    secure: isPublic && place.isSecure,
  };
}

function cookieOf(req: IncomingMessage, cookie: string): string | undefined {
  const name = `${cookie}=`;
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
