import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { LineSplitter } from '../../../lib/message-stream.ts';
import { isObject } from '../../../json/index.ts';
import { MAX_MESSAGE_BYTES } from '../../../lib/rpc.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { CODE, RpcError } from '../wire.ts';

export interface DaemonAnswer {
  status: number;
  sessionId: string | undefined;
  /** Calls back for every message of the answer, and resolves at its end. */
  read(onText: (text: string) => void): Promise<void>;
}

export interface Daemon {
  post(body: string, headers: Record<string, string>, signal: AbortSignal): Promise<DaemonAnswer>;
  listen(headers: Record<string, string>, signal: AbortSignal): Promise<DaemonAnswer>;
  endSession(headers: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** The daemon sends a keep-alive every ten seconds, so a longer silence means that it is gone. */
const SILENCE_MS = 60_000;
const END_SESSION_MS = 2_000;
const ACCEPT = 'application/json, text/event-stream';

interface DaemonRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  signal: AbortSignal;
  body?: string;
}

/** A client of the MCP endpoint of a running daemon. */
export function connectDaemon(url: string, credential: () => Record<string, string>): Daemon {
  const agent = new Agent({
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connect: { timeout: 5_000 },
  });

  async function ask({ method, headers, signal, body }: DaemonRequest) {
    const answer = await request(url, {
      method,
      headers: { ...headers, ...credential() },
      body: body ?? null,
      signal,
      dispatcher: agent,
    });
    const events = String(answer.headers['content-type'] ?? '').startsWith('text/event-stream');
    const sessionId = answer.headers['mcp-session-id'];
    return {
      status: answer.statusCode,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      read: (onText: (text: string) => void) =>
        events ? readEvents(answer.body, onText) : readWhole(answer.body, onText),
    };
  }

  return {
    post: (body, headers, signal) =>
      ask({
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: ACCEPT },
        signal,
        body,
      }),
    listen: (headers, signal) =>
      ask({ method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, signal }),
    async endSession(headers) {
      const signal = AbortSignal.timeout(END_SESSION_MS);
      const { body } = await request(url, {
        method: 'DELETE',
        headers: { ...headers, ...credential() },
        signal,
        dispatcher: agent,
      });
      await body.dump();
    },
    close: () => agent.destroy(),
  };
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

/** The error for a request that got no answer. */
export function unreachableError(url: string, cause: unknown): RpcError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT') {
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
