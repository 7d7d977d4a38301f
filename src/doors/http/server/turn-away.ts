import type { Socket } from 'node:net';
import { ProxyError } from '../../../contract/errors.ts';
import { errorHeaders, SECURITY_HEADERS } from '../answer.ts';
import { requestIdOf } from '../request-id.ts';

const LINGER_MS = 1_000;
const MOST_READ = 4_096;

let said = sayTooMany(0);

/** Always the same error for the same limit: thousands hear it at once, and an error with its stack costs as much as the answer. */
export function tooManyConnections(connections: number): ProxyError {
  if (said.details.connections !== connections) said = sayTooMany(connections);
  return said;
}

function sayTooMany(connections: number): ProxyError {
  const message = `There are more than ${connections} connections (limits.connections), so the request was not looked at. Try again in a moment.`;
  return new ProxyError('OVERLOADED', message, { connections, retry_after_s: 1 });
}

/** One client has so many requests under way that the others would find no room; only this client is told. */
export function tooManyOfClient(requests: number): ProxyError {
  const message = `This client has ${requests} requests under way, and others need room (limits.connections), so the request was not looked at. Wait for some of them, then try again.`;
  return new ProxyError('OVERLOADED', message, { requests, retry_after_s: 1 });
}

/**
 * Answers whatever is asked on this connection with 429, without a parser, a request and a response: that costs a fraction, and when
 * thousands come at once those that are too many are told so in time, and do not hold up the rest. Nothing is written before the
 * request is there, as some clients take an early answer for a fault.
 */
export function turnAway(
  socket: Socket,
  { connections, patienceMs = LINGER_MS, note }: TurnAwayOptions,
): void {
  const destroy = () => socket.destroy();
  // A turn later: where we stood still ourselves, the request may be there and not read yet.
  const timer = setTimeout(() => setImmediate(() => socket.bytesRead === 0 && destroy()), patienceMs).unref();
  socket.on('error', destroy);
  socket.once('close', () => clearTimeout(timer));
  socket.once('data', (chunk: Buffer) => {
    const head = chunk.toString('latin1', 0, MOST_READ);
    note(head.slice(0, Math.max(0, head.indexOf('\r\n'))));
    socket.end(answerTo(head, tooManyConnections(connections)));
    // A body that is left unread makes the system reset the connection, and the answer with it.
    socket.resume();
    clearTimeout(timer);
    setTimeout(destroy, LINGER_MS).unref();
  });
}

export interface TurnAwayOptions {
  connections: number;
  /** How long a connection may ask nothing. */
  patienceMs?: number;
  note: (firstLine: string) => void;
}

function answerTo(head: string, error: ProxyError): string {
  const requestId = requestIdOf(/\r\nx-request-id:[ \t]*([^\r\n]*)/i.exec(head)?.[1]);
  const body = JSON.stringify(error.toBody(requestId));
  const headers = {
    ...SECURITY_HEADERS,
    ...errorHeaders(error),
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const answer = `HTTP/1.1 429 Too Many Requests\r\n${lines.join('\r\n')}\r\n\r\n`;
  return head.startsWith('HEAD ') ? answer : answer + body;
}
