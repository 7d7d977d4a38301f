import { z } from 'zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProxyError } from '../../../contract/errors.ts';
import { sendJson } from '../answer.ts';
import { toRequest } from '../bridge.ts';
import type { Guard } from '../guard/guard.ts';
import type { LoginLinks } from '../guard/login-links.ts';
import type { AnswerPage } from './page-files.ts';
import { readJson } from '../read-body.ts';
import { validate } from '../validate.ts';
import type { WebSessions } from '../guard/web-sessions.ts';

const SESSION_PATH = '/web/session';

/** Whoever logs in has shown no key yet, so there is little that the proxy reads of them. */
const MAX_LOG_IN_BYTES = 4096;

const LogIn = z.union([
  z.strictObject({ key: z.string().min(1).max(1000) }),
  z.strictObject({ code: z.string().min(1).max(200) }),
]);

export interface WebDoorParts {
  guard: Pick<Guard, 'logIn' | 'refuseLogIn'>;
  sessions: WebSessions;
  links: LoginLinks;
  page: AnswerPage;
}

/** What a browser may have before it is logged in: the files of the page, and the log-in itself. False: it is not for this door. */
export type WebDoor = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> | boolean;

export function createWebDoor({ guard, sessions, links, page }: WebDoorParts): WebDoor {
  async function logIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const given = validate(LogIn, await readJson(toRequest(req, res), { limit: MAX_LOG_IN_BYTES }), 'body');
    if ('key' in given) guard.logIn(req, given.key);
    else if (!links.use(given.code))
      throw guard.refuseLogIn(
        req,
        'This link was used already or is too old: get a new one with "mcpproxy open"',
      );
    const { cookie, csrf, expiresAt } = sessions.begin(req);
    sendJson(
      res,
      200,
      { csrf, expires_at: new Date(expiresAt).toISOString() },
      { 'set-cookie': cookie, 'cache-control': 'no-store' },
    );
  }

  function logOut(req: IncomingMessage, res: ServerResponse): void {
    const session = sessions.find(req);
    if (session) sessions.checkChange(req, session);
    sendJson(res, 200, { ok: true }, { 'set-cookie': sessions.end(req) });
  }

  return (req, res, path) => {
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
