import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyError } from '../../contract/errors.ts';
import { newId } from '../../lib/clock.ts';
import { ofRequest } from '../../lib/log.ts';
import { passedOn, readContext } from '../../lib/trace.ts';

/** On every response of every route. There are no CORS headers: only our own page may use the API from a browser. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

const SECURITY_ENTRIES = Object.entries(SECURITY_HEADERS);

export function setCommonHeaders(res: ServerResponse, requestId: string): void {
  for (const [name, value] of SECURITY_ENTRIES) res.setHeader(name, value);
  res.setHeader('x-request-id', requestId);
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

export function sendError(res: ServerResponse, error: ProxyError, requestId: string): void {
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  sendJson(res, error.status, error.toBody(requestId));
}

/** Response headers that an error asks for in its details. */
export function errorHeaders({ details }: ProxyError): Record<string, string> {
  return {
    ...(typeof details.retry_after_s === 'number' && { 'retry-after': String(details.retry_after_s) }),
    ...(Array.isArray(details.allow) && { allow: details.allow.join(', ') }),
  };
}

const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

type WithHeaders = Pick<IncomingMessage, 'headers'>;

/** The client's own id where it is a short plain token, so that its logs and ours can be joined; otherwise a new one. */
export function requestIdFrom(given: string | string[] | null | undefined): string {
  return typeof given === 'string' && PLAIN_ID.test(given) ? given : newId();
}

/** Decides the id of a request and keeps it in its header, where `requestIdOf` finds it. */
export function assignRequestId({ headers }: WithHeaders): string {
  return (headers['x-request-id'] = requestIdFrom(headers['x-request-id']));
}

export function requestIdOf({ headers }: WithHeaders): string {
  return requestIdFrom(headers['x-request-id']);
}

/** The fields of a log line about a request whose caller is not known yet. */
export function requestLogFields(req: WithHeaders): ReturnType<typeof ofRequest> {
  return ofRequest({ requestId: requestIdOf(req), trace: passedOn(readContext(req.headers)) });
}
