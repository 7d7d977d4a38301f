import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProxyError } from '../../../contract/errors.ts';
import type { FinishLogin } from '../finish-login.ts';

export const CALLBACK_PATH = '/oauth/callback';

export type LoginCallback = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

/** The page has no text of anybody else; the reason of a failure is for the operator, in the terminal or in the web UI. */
const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
const DONE = page('Logged in', 'mcpproxy is logged in to the server. You can close this page.');
const FAILED = page(
  'The log-in failed',
  'mcpproxy is not logged in. For the reason see the terminal or the page from which you began, or run: mcpproxy upstream list',
);

/** The browser of the operator is sent here by the authorization server. It needs no key: the state in the address works once. */
export function createLoginCallback(finish: FinishLogin): LoginCallback {
  return async (req, res) => {
    if (req.method !== 'GET')
      throw new ProxyError('METHOD_NOT_ALLOWED', `${CALLBACK_PATH} takes GET only`, { allow: ['GET'] });
    const { searchParams } = new URL(req.url ?? '', 'http://localhost');
    try {
      await finish(searchParams);
      res.writeHead(200, HEADERS).end(DONE);
    } catch (error) {
      if (!(error instanceof ProxyError) || error.code === 'INTERNAL') throw error;
      res.writeHead(error.status, HEADERS).end(FAILED);
    }
  };
}
