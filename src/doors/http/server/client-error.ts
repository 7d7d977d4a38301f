import type { Duplex } from 'node:stream';
import { ProxyError } from '../../../contract/errors.ts';
import { newId } from '../../../lib/clock.ts';
import { SECURITY_HEADERS } from '../answer.ts';

type Fault = 'size' | 'time' | 'form' | 'keyless';

/** Of the error that closes a request without a key to make room for others. */
export const MADE_ROOM = 'MADE_ROOM';

const KNOWN: Record<string, { status: string; message: string; code?: 'OVERLOADED'; of: Fault }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers are larger than 16 KB; send fewer or shorter ones',
    of: 'size',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message:
      'The request did not arrive in time: headers have 6 seconds, a body 6 seconds and more only as it comes, or 3 without a key. Send it again without pauses.',
    of: 'time',
  },
  [MADE_ROOM]: {
    status: '429 Too Many Requests',
    message:
      'There are too many requests without a key, and this one has taken longest, so it was closed. Try again in a moment.',
    code: 'OVERLOADED',
    of: 'keyless',
  },
};
const MALFORMED: (typeof KNOWN)[string] = {
  status: '400 Bad Request',
  message: 'This is not a well-formed HTTP/1.1 request',
  of: 'form',
};

const LINGER_MS = 1_000;

/**
 * What never became a request has no response object, so the answer is written by hand. Gives what was wrong, unless the client has just
 * gone away.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): Fault | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, message, code = 'INVALID_REQUEST', of } = KNOWN[error.code ?? ''] ?? MALFORMED;
  const requestId = newId();
  const body = JSON.stringify(new ProxyError(code, message).toBody(requestId));
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': String(body.length),
    connection: 'close',
    ...(of === 'keyless' && { 'retry-after': '1' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${[status, ...lines].join('\r\n')}\r\n\r\n${body}`);
  // Whoever does not read it would keep the connection open.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  return of;
}
