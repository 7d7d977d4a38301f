import type { ServerResponse } from 'node:http';
import { isLarge, sendText } from '../../load/index.ts';
import { EventWriter, type StreamLimits } from './http/event-writer.ts';
import type { Reply } from './reply.ts';
import { messageText, type Outgoing } from './wire.ts';

/**
 * The answer to one POST: plain JSON, unless something must be said before it. Progress, or a long silence, turns it into an event
 * stream; the answer is then its last event.
 */
export class Exchange implements Reply {
  readonly #res: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #headers: Record<string, string> | undefined;
  readonly #silence: NodeJS.Timeout;
  #events: EventWriter | undefined;
  #done = false;

  constructor(res: ServerResponse, limits: StreamLimits, headers?: Record<string, string>) {
    this.#res = res;
    this.#limits = limits;
    this.#headers = headers;
    this.#silence = setTimeout(openStream, limits.keepAliveMs, this).unref();
  }

  get listening(): boolean {
    return !this.#done && !this.#res.destroyed;
  }

  notify(message: Outgoing): void {
    this.stream()?.send(message);
  }

  answer(message: Outgoing | Outgoing[], status = 200): void {
    if (!this.#finish() || this.#res.destroyed) return;
    if (!this.#events) return sendJson(this.#res, status, message, this.#headers);
    this.#events.send(message);
    this.#events.end();
  }

  cancelled(): void {
    const events = this.stream();
    if (this.#finish()) events?.end();
  }

  /** Opens the stream on first use; undefined once there is nobody to write to. */
  stream(): EventWriter | undefined {
    if (this.#done || this.#res.destroyed) return undefined;
    clearTimeout(this.#silence);
    return (this.#events ??= new EventWriter(this.#res, this.#limits, this.#headers));
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

export function sendJson(
  res: ServerResponse,
  status: number,
  body: Outgoing | Outgoing[],
  headers?: Record<string, string>,
): void {
  const text = messageText(body);
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  res.writeHead(status, headers ? { ...own, ...headers } : own);
  if (!isLarge(text)) return void res.end(text);
  void sendText(res, text).then(() => res.end());
}
