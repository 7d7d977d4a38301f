import { z } from 'zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProxyError } from '../../../contract/errors.ts';
import { sendJson } from '../answer.ts';
import { toRequest } from '../bridge.ts';
import type { Guard } from '../guard/guard.ts';
import type { LoginLinks } from '../guard/login-links.ts';
import { CALLBACK_PATH, type LoginCallback } from './login-callback.ts';
import type { AnswerPage } from './page-files.ts';
import { readJson } from '../read-body.ts';
import { validate } from '../validate.ts';
import type { WebSessions } from '../guard/web-sessions.ts';

const SESSION_PATH = '/web/session';

/** A log-in is not authenticated yet, so its body must be small. */
const MAX_LOG_IN_BYTES = 4096;

const LogIn = z.union([
  z.strictObject({ key: z.string().min(1).max(1000) }),
  z.strictObject({ code: z.string().min(1).max(200) }),
]);

export interface WebDoorParts {
  guard: Pick<Guard, 'logIn' | 'failedLogIn'>;
  sessions: WebSessions;
  links: LoginLinks;
  page: AnswerPage;
  /** Where browsers come back to after a log-in to a server. */
  loginCallback?: LoginCallback;
}

/** Serves what a browser needs before it is logged in: the files of the page, and the log-in. False: the path is not one of these. */
export type WebDoor = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> | boolean;

export function createWebDoor({ guard, sessions, links, page, loginCallback }: WebDoorParts): WebDoor {
  async function logIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const given = validate(LogIn, await readJson(toRequest(req, res), { limit: MAX_LOG_IN_BYTES }), 'body');
    if ('key' in given) guard.logIn(req, given.key);
    else if (!links.use(given.code))
      throw guard.failedLogIn(
        req,
        'This link was already used or has expired: get a new one with "mcpproxy open"',
      );
    const { cookie, csrf, expiresAt } = sessions.begin(req);
    res.setHeader('set-cookie', cookie);
    sendJson(res, 200, { csrf, expires_at: new Date(expiresAt).toISOString() });
  }

  function logOut(req: IncomingMessage, res: ServerResponse): void {
    const session = sessions.find(req);
    if (session) sessions.checkChange(req, session);
    res.setHeader('set-cookie', sessions.end(req));
    sendJson(res, 200, { ok: true });
  }

  return (req, res, path) => {
    if (path === CALLBACK_PATH && loginCallback) return loginCallback(req, res);
    if (path !== SESSION_PATH) return page(req, res, path);
    if (req.method === 'POST') return logIn(req, res);
    if (req.method === 'DELETE') logOut(req, res);
    else if (req.method === 'GET') answerState(res, sessions.find(req));
    else
      throw new ProxyError('METHOD_NOT_ALLOWED', `${SESSION_PATH} takes GET, POST and DELETE only`, {
        allow: ['GET', 'POST', 'DELETE'],
      });
    return true;
  };
}

function answerState(res: ServerResponse, session: { expiresAt: number } | undefined): void {
  sendJson(res, 200, {
    logged_in: session !== undefined,
    ...(session && { expires_at: new Date(session.expiresAt).toISOString() }),
  });
}
