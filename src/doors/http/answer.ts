import type { ServerResponse } from 'node:http';
import type { ProxyError } from '../../contract/errors.ts';

/** On every answer of every route. There are no CORS headers at all: no page but our own has business here. */
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

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

export function sendError(res: ServerResponse, error: ProxyError, requestId: string): void {
  sendJson(res, error.status, error.toBody(requestId), errorHeaders(error));
}

/** Headers that belong to an error, from its details. */
export function errorHeaders({ details }: ProxyError): Record<string, string> {
  return {
    ...(typeof details.retry_after_s === 'number' && { 'retry-after': String(details.retry_after_s) }),
    ...(Array.isArray(details.allow) && { allow: details.allow.join(', ') }),
  };
}
