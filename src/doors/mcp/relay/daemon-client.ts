import { Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { LineSplitter } from '../../../lib/message-stream.ts';
import { isObject } from '../../../json/index.ts';
import { MAX_MESSAGE_BYTES } from '../../../lib/rpc.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { CLI_HEADER } from '../../../contract/routes/client.ts';
import { CODE, RpcError } from '../wire.ts';

export interface DaemonAnswer {
  status: number;
  sessionId: string | undefined;
  /** Calls back for every message of the answer, and resolves at its end. */
  read(onText: (text: string) => void): Promise<void>;
}

export interface PostOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
  /** True: on a new connection, which is closed with the answer. */
  ownConnection?: boolean;
}

export interface Daemon {
  post(body: string, how: PostOptions): Promise<DaemonAnswer>;
  listen(headers: Record<string, string>, signal: AbortSignal): Promise<DaemonAnswer>;
  endSession(headers: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** The daemon sends a keep-alive every ten seconds, so a longer silence means that it is gone. */
const SILENCE_MS = 60_000;
const IDLE_MS = 20_000;
const END_SESSION_MS = 2_000;
const ACCEPT = 'application/json, text/event-stream';

interface DaemonRequest {
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  signal: AbortSignal;
  body?: string;
  ownConnection?: boolean;
}

/** The headers that authenticate a request. Undefined: the daemon is no longer there, so nothing is sent to its address. */
export type Credential = () => Record<string, string> | undefined;

/** A client of the MCP endpoint of the daemon that `address` names now. */
export function connectDaemon(address: () => string, credential: Credential): Daemon {
  // A connection is not used again shortly before the daemon closes it as idle.
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

  async function ask(asked: DaemonRequest): Promise<DaemonAnswer> {
    const proof = credential();
    if (proof === undefined) throw goneError();
    const answer = await send(address(), agent, { ...asked, headers: { ...asked.headers, ...proof } });
    // Another daemon has taken the place of the one whose secret this is. It has not handled the request.
    if (answer.statusCode === 401 && CLI_HEADER in proof) {
      answer.resume();
      throw goneError();
    }
    const events = answer.headers['content-type']?.startsWith('text/event-stream') === true;
    const sessionId = answer.headers['mcp-session-id'];
    return {
      status: answer.statusCode!,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      read: (onText) => (events ? readEvents(answer, onText) : readWhole(answer, onText)),
    };
  }

  return {
    post: (body, { headers, ...how }) =>
      ask({
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: ACCEPT },
        body,
        ...how,
      }),
    listen: (headers, signal) =>
      ask({ method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, signal }),
    async endSession(headers) {
      const signal = AbortSignal.timeout(END_SESSION_MS);
      const answer = await ask({ method: 'DELETE', headers, signal });
      await answer.read(() => undefined);
    },
    async close() {
      agent.destroy();
    },
  };
}

/** Rejects with the code of the system, or with SILENT. */
async function send(url: string, agent: Agent, asked: DaemonRequest): Promise<IncomingMessage> {
  const { method, headers, signal, body } = asked;
  const isPlain = url.startsWith('http:');
  const request = isPlain ? plainRequest : (await import('node:https')).request;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { ...headers, ...length },
      signal,
      ...(asked.ownConnection ? { agent: false as const } : isPlain && { agent }),
    });
    // Also while the answer is read.
    sent.setTimeout(SILENCE_MS, () => {
      sent.destroy(Object.assign(new Error('the daemon is silent'), { code: 'SILENT' }));
    });
    sent.once('response', resolve).on('error', reject).end(body);
    // A connection that the daemon closes while the request is handed over may end without an error.
    sent.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

async function readWhole(body: Readable, onText: (text: string) => void): Promise<void> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_MESSAGE_BYTES) throw new Error(`the answer has more than ${MAX_MESSAGE_BYTES} bytes`);
    parts.push(part);
  }
  if (bytes > 0) onText(Buffer.concat(parts, bytes).toString());
}

/** Parses only what our own daemon writes: one message per event, in one data line. */
async function readEvents(body: Readable, onText: (text: string) => void): Promise<void> {
  const tooLong = () => body.destroy(new Error(`a message has more than ${MAX_MESSAGE_BYTES} bytes`));
  const sink = {
    line: (line: string) => {
      if (line.startsWith('data: ')) onText(line.slice(6));
    },
    oversize: tooLong,
    endless: tooLong,
  };
  const lines = new LineSplitter(sink, MAX_MESSAGE_BYTES);
  for await (const part of body as AsyncIterable<Buffer>) lines.push(part);
  lines.end();
}

const GONE = 'GONE';

export function goneError(): Error {
  return Object.assign(new Error('the daemon has ended or is stopping'), { code: GONE });
}

/** Nobody listens, or the daemon is stopping: it has not handled the request. */
export function wasNotSent(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === GONE;
}

/** The error for a request that got no answer. */
export function unreachableError(url: string, cause: unknown): RpcError {
  if (cause instanceof ProxyError) return daemonError(cause.message);
  const { code, message } = cause as NodeJS.ErrnoException;
  if (wasNotSent(cause)) {
    return daemonError(`No mcpproxy daemon answers at ${url} (${code}): start it with "mcpproxy serve"`);
  }
  return daemonError(
    `The connection to the mcpproxy daemon at ${url} was lost (${code ?? message}); the request may have been carried out`,
  );
}

/** The error for an answer that is not JSON-RPC: one of the guard, or a stream that ended too early. */
export function rejectedError(url: string, status: number, body: string): RpcError {
  if (status === 200) {
    return daemonError(
      `The mcpproxy daemon at ${url} ended its answer too early; the request may have been carried out`,
    );
  }
  const error = parseObject(body)?.error;
  const reason =
    isObject(error) && typeof error.message === 'string'
      ? `: ${visibleLine(error.message.slice(0, 500))}`
      : '';
  return daemonError(`The mcpproxy daemon at ${url} rejected the request with HTTP ${status}${reason}`);
}

function daemonError(message: string): RpcError {
  return new RpcError(CODE.server, message);
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
