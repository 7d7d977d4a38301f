import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import { ofRequest } from '../../../lib/log.ts';
import { passedOn, readContext } from '../../../lib/trace.ts';
import { isLarge, sendText, type ReserveBody } from '../../../load/index.ts';
import type { McpCore } from '../core.ts';
import type { LegacyPeer } from '../legacy-peer.ts';
import type { Reply } from '../reply.ts';
import {
  CODE,
  errorMessage,
  messageText,
  PRIMED_REVISION,
  RpcError,
  type Outgoing,
  type RequestId,
} from '../wire.ts';
import type { KeptStream } from '../anywhere/kept-stream.ts';
import { EventWriter, type StreamLimits } from './event-writer.ts';
import { recordedSession } from './session-ids.ts';

/** One HTTP request to the endpoint, after the guard has authenticated it. */
export interface HttpRequest {
  req: IncomingMessage;
  res: ServerResponse;
  identity: Identity;
  /** The client uses /mcp/direct. */
  isDirect?: boolean;
  requestId: string;
  /** Address of the client. */
  address?: string | undefined;
  /** Absent: long bodies are not limited. */
  reserve?: ReserveBody | undefined;
  addRequests?: ((count: number) => void) | undefined;
}

/** Custom headers never arrive as a list: node joins repeated ones. */
export function headerOf({ req }: HttpRequest, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

interface Rejection {
  cause: unknown;
  id?: RequestId | null;
  headers?: Record<string, string>;
  excerpt?: () => string;
}

/** Answers with an error before any peer was reached, and records it where the message was invalid. */
export function rejectRequest(
  core: McpCore,
  http: HttpRequest,
  { cause, id = null, headers = {}, excerpt = () => '' }: Rejection,
): void {
  const { req, res, identity, requestId, address } = http;
  if (!(cause instanceof RpcError)) {
    const about = ofRequest({ requestId, trace: passedOn(readContext(req.headers)) });
    core.log.error({ err: cause, ...about }, 'mcp request failed with an internal error');
  }
  const error =
    cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error', { status: 500 });
  const sessionId = recordedSession(headerOf(http, 'mcp-session-id') ?? '').slice(0, 64) || undefined;
  const { principal, token } = identity;
  void core.badRequests.add(error, { principal, tokenId: token?.id, requestId, sessionId, address, excerpt });
  if (res.headersSent) return void res.destroy();
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  sendJson(res, error.status, errorMessage(id, error));
}

export function sendAccepted({ res }: HttpRequest): void {
  res.writeHead(202).end();
}

/** Whose answer is kept for a client that comes back. */
interface KeepStream {
  peer: LegacyPeer;
  request: RequestId;
}

/**
 * The answer to one POST: plain JSON, unless something must be sent before it. Progress, or a long silence, turns it into an event
 * stream; the answer is then its last event.
 */
export class Exchange implements Reply {
  readonly #res: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #silence: NodeJS.Timeout;
  readonly #keep: KeepStream | undefined;
  #events: EventWriter | undefined;
  #kept: KeptStream | undefined;
  #done = false;

  constructor(res: ServerResponse, limits: StreamLimits, keep?: KeepStream) {
    this.#res = res;
    this.#limits = limits;
    this.#keep = keep;
    this.#silence = setTimeout(openStream, limits.keepAliveMs, this).unref();
  }

  get listening(): boolean {
    return !this.#done && (!this.#res.destroyed || this.#kept?.isAwaited === true);
  }

  notify(message: Outgoing): void {
    const events = this.stream();
    const id = this.#done ? undefined : this.#kept?.add(message);
    events?.send(message, id);
  }

  answer(message: Outgoing | Outgoing[], status = 200): void {
    if (!this.#finish()) return;
    const id = this.#kept?.add(message, true);
    if (this.#res.destroyed) return;
    if (!this.#events) return sendJson(this.#res, status, message);
    this.#events.send(message, id);
    this.#events.end();
  }

  cancelled(): void {
    const events = this.stream();
    if (!this.#finish()) return;
    this.#kept?.cancelled();
    events?.end();
  }

  /** Opens the stream on first use; undefined once the client is gone. */
  stream(): EventWriter | undefined {
    if (this.#done || this.#res.destroyed) return undefined;
    clearTimeout(this.#silence);
    return (this.#events ??= this.#open());
  }

  #open(): EventWriter {
    const events = new EventWriter(this.#res, this.#limits);
    const kept = this.#keep?.peer.keepStream?.(this.#keep.request);
    if (!kept) return events;
    this.#kept = kept;
    // Older clients take an event without a message for a broken one.
    if (this.#keep!.peer.revision === PRIMED_REVISION) events.prime(kept.eventId);
    kept.onResumed(() => this.#res.destroy());
    this.#res.on('close', () => this.#done || kept.away());
    return events;
  }

  #finish(): boolean {
    clearTimeout(this.#silence);
    if (this.#done) return false;
    this.#done = true;
    return true;
  }
}

function openStream(exchange: Exchange): void {
  exchange.stream()?.comment();
}

function sendJson(res: ServerResponse, status: number, body: Outgoing | Outgoing[]): void {
  const text = messageText(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  if (!isLarge(text)) return void res.end(text);
  void sendText(res, text).then(() => res.end());
}
