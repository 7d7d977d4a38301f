import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ProxyError } from '../../../contract/errors.ts';
import { newId } from '../../../lib/clock.ts';
import { errorHeaders, requestIdFrom, SECURITY_HEADERS } from '../answer.ts';

type Fault = 'size' | 'time' | 'form' | 'keyless';

/** The code of the error that closes a request without a key to make room for others. */
export const DISPLACED = 'DISPLACED';

const KNOWN: Record<string, { status: string; message: string; code?: 'OVERLOADED'; of: Fault }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers are larger than 16 KB; send fewer or shorter ones',
    of: 'size',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message:
      'The request did not arrive in time. Time limits: 6 seconds for the headers; 6 seconds for the body, extended while data arrives; 3 seconds without a valid key. Send the request again without pauses.',
    of: 'time',
  },
  [DISPLACED]: {
    status: '429 Too Many Requests',
    message:
      'There are too many requests without a key, and this one took longest, so it was closed. Try again in a moment.',
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

/** Answers input that never became a request, and so has no response object. Returns what was wrong, unless the client just left. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): Fault | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, message, code = 'INVALID_REQUEST', of } = KNOWN[error.code ?? ''] ?? MALFORMED;
  const requestId = newId();
  const body = JSON.stringify(new ProxyError(code, message).toBody(requestId));
  const headers: Record<string, string> = of === 'keyless' ? { 'retry-after': '1' } : {};
  socket.end(headText(status, { requestId, headers, length: Buffer.byteLength(body) }) + body);
  // A client that does not read it would keep the connection open.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  return of;
}

/** So much of a body, and for so long, is read and dropped after the answer. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 6_000;
const DRAIN_CHECK_MS = 20;

/**
 * Node closes a connection as soon as its last answer is sent. If a body is still arriving then, the system resets the connection, and the
 * client may lose the answer. So only our side is closed first, and the rest of the body is read and dropped, within limits.
 */
export function closeAfterBody(req: IncomingMessage): void {
  const { socket, headers } = req;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (req.complete) return destroySoon();
    socket.end();
    const mostBytes = socket.bytesRead + DRAIN_BYTES;
    const deadline = performance.now() + DRAIN_MS;
    const check = setInterval(() => {
      if (req.complete || socket.bytesRead > mostBytes || performance.now() > deadline) socket.destroy();
    }, DRAIN_CHECK_MS).unref();
    socket.once('close', () => clearInterval(check));
  };
}

/**
 * For a connection without a request, of a server that stops. A client that gets no processor time may send its request later, and would
 * not know from a closed connection that nothing was done.
 */
export function answerStopping(socket: Socket): void {
  const requestId = newId();
  const error = new ProxyError('SERVER_UNAVAILABLE', 'The proxy is stopping. Nothing was done');
  const body = JSON.stringify(error.toBody(requestId));
  const headers = { 'retry-after': '1' };
  socket.end(
    headText('503 Service Unavailable', { requestId, headers, length: Buffer.byteLength(body) }) + body,
  );
  // A request that arrives on a closed connection would reset it, and the client might lose this answer.
  const deadline = setTimeout(() => socket.destroy(), STOPPED_MS);
  socket.once('close', () => clearTimeout(deadline)).once('end', () => socket.destroy());
}

/** How long the request of such a client is waited for, and dropped. */
const STOPPED_MS = 1_000;

interface Head {
  requestId: string;
  headers: Record<string, string>;
  length: number;
}

function headText(status: string, { requestId, headers, length }: Head): string {
  const all = {
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': String(length),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${[status, ...lines].join('\r\n')}\r\n\r\n`;
}

let cached = overloadedBy(0);

/** The same error object for the same limit: thousands of requests get it, and an error with its stack costs as much as the answer. */
export function tooManyConnections(connections: number): ProxyError {
  if (cached.details.connections !== connections) cached = overloadedBy(connections);
  return cached;
}

function overloadedBy(connections: number): ProxyError {
  const message = `Rejected before it was read: there are more than ${connections} connections (limits.connections). Try again in a moment.`;
  return new ProxyError('OVERLOADED', message, { connections, retry_after_s: 1 });
}

/** One client uses so many connections that others would find none; only this client is rejected. */
export function tooManyOfClient(requests: number): ProxyError {
  const message = `Rejected before it was read: this client has ${requests} requests in progress, and others need connections (limits.connections). Wait for some of them to end, then try again.`;
  return new ProxyError('OVERLOADED', message, { requests, retry_after_s: 1 });
}

export interface RejectOptions {
  connections: number;
  /** How long a connection may stay without a request. */
  patienceMs: number;
  /** Called with the first line of the request. */
  onRequest: (firstLine: string) => void;
}

const MAX_HEAD_READ = 4_096;

/**
 * Answers whatever is requested on this connection with 429, without a parser, a request and a response: that costs a fraction, so that
 * thousands of excess connections are answered in time and do not delay the rest. Nothing is written before the request has arrived, as
 * some clients take an early response for an error.
 */
export function rejectConnection(
  socket: Socket,
  { connections, patienceMs, onRequest }: RejectOptions,
): void {
  const destroy = () => socket.destroy();
  // One turn later: after our own process was blocked, the request may have arrived and not be read yet.
  const timer = setTimeout(() => setImmediate(() => socket.bytesRead === 0 && destroy()), patienceMs).unref();
  socket.on('error', destroy);
  socket.once('close', () => clearTimeout(timer));
  socket.once('data', (chunk: Buffer) => {
    const head = chunk.toString('latin1', 0, MAX_HEAD_READ);
    onRequest(head.slice(0, Math.max(0, head.indexOf('\r\n'))));
    socket.end(answerTo(head, tooManyConnections(connections)));
    // An unread body would make the system reset the connection, and the response with it.
    socket.resume();
    clearTimeout(timer);
    setTimeout(destroy, LINGER_MS).unref();
  });
}

function answerTo(head: string, error: ProxyError): string {
  const requestId = requestIdFrom(/\r\nx-request-id:[ \t]*([^\r\n]*)/i.exec(head)?.[1]);
  const body = JSON.stringify(error.toBody(requestId));
  const answer = headText('429 Too Many Requests', {
    requestId,
    headers: errorHeaders(error),
    length: Buffer.byteLength(body),
  });
  return head.startsWith('HEAD ') ? answer : answer + body;
}
