import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { jsonText } from '../../json/index.ts';
import { EventReader, type EventSink } from './event-reader.ts';
import { describeStatus, tooLarge } from './http-faults.ts';
import { InOrder } from '../../lib/message-stream.ts';
import { LaneError } from './lane.ts';
import type { FetchLike } from './light-fetch.ts';
import { MESSAGE_LEVELS, parseMessagesSteps, type Parsed } from '../../lib/rpc.ts';

interface SseParts {
  url: URL;
  headers: Record<string, string>;
  fetch: FetchLike;
}

const START_MS = 20_000;
const MAX_ERROR_BYTES = 1000;
/** How long to wait for the body of an error response. */
const ERROR_MS = 2_000;
/** Error codes of requests that were never sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * HTTP with server-sent events, from before Streamable HTTP: one stream for all incoming messages, and a POST for each outgoing one. A broken
 * stream ends the connection, because a new stream would be a new session without a handshake.
 */
export class SseTransport implements Transport, EventSink {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Why the connection ended, once it has. */
  exitText = '';
  readonly #parts: SseParts;
  readonly #stop = new AbortController();
  readonly #inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed) => this.#take(parsed),
  });
  #endpoint: URL | undefined;
  #protocolVersion: string | undefined;
  #ready: () => void = () => undefined;
  #closed = false;

  constructor(parts: SseParts) {
    this.#parts = parts;
  }

  /** Resolves when the server has named its endpoint for messages. */
  async start(): Promise<void> {
    // The body only explains an HTTP error: what cannot be read of it is left out.
    const late = setTimeout(() => this.#end(`the server named no endpoint within ${START_MS} ms`), START_MS);
    try {
      const response = await this.#parts.fetch(this.#parts.url, {
        headers: this.#headers({ accept: 'text/event-stream' }),
        signal: this.#stop.signal,
      });
      await requireStream(response);
      const ready = new Promise<void>((resolve) => (this.#ready = resolve));
      await Promise.race([ready, this.#read(response.body!)]);
      if (!this.#endpoint) throw new Error(this.exitText);
    } catch (error) {
      // The reason for ending it says more than the abort error.
      throw this.#closed ? new Error(this.exitText, { cause: error }) : error;
    } finally {
      clearTimeout(late);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#endpoint || this.#closed) throw new LaneError('unsent', 'the connection is not open');
    const response = await this.#parts
      .fetch(this.#endpoint, {
        method: 'POST',
        headers: this.#headers({ 'content-type': 'application/json' }),
        body: jsonText(message, MESSAGE_LEVELS),
        signal: this.#stop.signal,
      })
      .catch((error: Error) => {
        throw new LaneError(UNSENT.has(codeOf(error)) ? 'unsent' : 'lost', error.message);
      });
    if (!response.ok) throw await httpError(response);
    await response.body?.cancel();
  }

  close(): Promise<void> {
    this.#end('the connection was closed');
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  event(type: string, data: string, isValid: boolean): void {
    if (type === 'endpoint') return this.#setEndpoint(data);
    if (type === 'message') this.#inOrder.push(data, isValid);
  }

  #take(parsed: Parsed): void {
    if ('messages' in parsed)
      for (const message of parsed.messages) this.onmessage?.(message as JSONRPCMessage);
    else this.onerror?.(new Error(`an event could not be read: ${parsed.fault}`));
  }

  tooLarge(bytes: number): void {
    this.#end(tooLarge(bytes).message);
  }

  /** Only within the same origin, because the configured headers are sent there. */
  #setEndpoint(endpoint: string): void {
    const { url } = this.#parts;
    const target = URL.canParse(endpoint, url.href) ? new URL(endpoint, url) : undefined;
    if (target?.origin !== url.origin) return this.#end('the server names an endpoint of another origin');
    this.#endpoint = target;
    this.#ready();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = new EventReader(this);
    try {
      for await (const chunk of body) {
        if (this.#closed) return;
        reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        await this.#inOrder.reading;
      }
      this.#end('the server ended the event stream');
    } catch (error) {
      this.#end(`the event stream broke: ${(error as Error).message}`);
    }
  }

  #headers(more: Record<string, string>): Record<string, string> {
    const version = this.#protocolVersion;
    return { ...this.#parts.headers, ...more, ...(version && { 'mcp-protocol-version': version }) };
  }

  #end(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.exitText = reason;
    this.#stop.abort();
    this.onclose?.();
  }
}

async function requireStream(response: Response): Promise<void> {
  if (!response.ok) throw Object.assign(await httpError(response), { data: { status: response.status } });
  const type = response.headers.get('content-type') ?? 'nothing';
  if (type.toLowerCase().startsWith('text/event-stream')) return;
  await response.body?.cancel();
  throw new Error(`the server answers with ${type.slice(0, 100)} instead of an event stream`);
}

async function httpError(response: Response): Promise<LaneError> {
  return new LaneError('http', describeStatus(response.status, await firstText(response)), {
    status: response.status,
  });
}

async function firstText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const late = setTimeout(() => void reader?.cancel().catch(() => undefined), ERROR_MS);
  const first = await reader?.read().catch(() => undefined);
  clearTimeout(late);
  await reader?.cancel().catch(() => undefined);
  return Buffer.from(first?.value ?? []).toString('utf8', 0, MAX_ERROR_BYTES);
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
