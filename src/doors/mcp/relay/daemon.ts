import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { LineSplitter } from '../../../lib/message-stream.ts';
import { MAX_MESSAGE_BYTES } from '../../../lib/rpc.ts';

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

/** The daemon breaks every silence after ten seconds, so that longer ones mean that it is gone. */
const SILENCE_MS = 60_000;
const GOODBYE_MS = 2_000;
const ACCEPT = 'application/json, text/event-stream';

/** The MCP endpoint of a running daemon, as a client sees it. */
export function connectDaemon(url: string, apiKey: string | undefined): Daemon {
  const agent = new Agent({
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connect: { timeout: 5_000 },
  });
  const key = apiKey === undefined ? {} : { 'x-api-key': apiKey };

  async function ask(
    method: 'GET' | 'POST',
    headers: Record<string, string>,
    signal: AbortSignal,
    body?: string,
  ) {
    const answer = await request(url, {
      method,
      headers: { ...headers, ...key },
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
      ask('POST', { ...headers, 'content-type': 'application/json', accept: ACCEPT }, signal, body),
    listen: (headers, signal) => ask('GET', { ...headers, accept: 'text/event-stream' }, signal),
    async endSession(headers) {
      const signal = AbortSignal.timeout(GOODBYE_MS);
      const { body } = await request(url, {
        method: 'DELETE',
        headers: { ...headers, ...key },
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

/** Only what our own daemon writes needs to be understood: one message per event, in one data line. */
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
