import type { ServerResponse } from 'node:http';
import { onOneLine } from '../../../json/index.ts';
import { isLarge, sendText } from '../../../load/index.ts';
import { messageText, type Outgoing } from '../wire.ts';

export interface StreamLimits {
  keepAliveMs: number;
  bufferedBytes: number;
}

const RETRY_MS = 1000;
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** A response as an event stream. It buffers no more than the limit for a slow reader, and sends keep-alive comments. */
export class EventWriter {
  readonly #res: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #timer: NodeJS.Timeout;
  /** Set while a large message is written in pieces; later messages wait for its end. */
  #sending: Promise<void> | undefined;
  #waiting = 0;

  constructor(res: ServerResponse, limits: StreamLimits) {
    this.#res = res;
    this.#limits = limits;
    res.writeHead(200, HEADERS);
    res.flushHeaders();
    this.#timer = setInterval(() => this.comment(), limits.keepAliveMs).unref();
  }

  /** `id`: where the client is in the stream once it has read the message. */
  send(message: Outgoing | Outgoing[], id?: string): void {
    this.sendText(messageText(message), id);
  }

  sendText(text: string, id?: string): void {
    const position = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`event: message\n${position}data: ${onOneLine(text)}\n\n`);
    this.#timer.refresh();
  }

  /** Tells the client where it is before there is a message, and how soon to come back if the stream ends before its answer. */
  prime(id: string): void {
    this.#write(`retry: ${RETRY_MS}\nid: ${id}\ndata:\n\n`);
  }

  comment(): void {
    if (!this.#sending) this.#write(': keepalive\n\n');
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#sending) void this.#sending.then(() => this.#res.end());
    else this.#res.end();
  }

  #write(text: string): void {
    if (this.#res.destroyed) return clearInterval(this.#timer);
    // Only what is buffered already counts: one large message to a fast reader is allowed.
    if (this.#res.writableLength + this.#waiting > this.#limits.bufferedBytes) {
      clearInterval(this.#timer);
      this.#res.destroy();
      return;
    }
    if (this.#sending || isLarge(text)) this.#writeInOrder(text);
    else this.#res.write(text);
  }

  #writeInOrder(text: string): void {
    const before = this.#sending ?? Promise.resolve();
    if (this.#sending) this.#waiting += text.length;
    const counted = this.#sending ? text.length : 0;
    const own = before.then(async () => {
      this.#waiting -= counted;
      await sendText(this.#res, text);
      if (this.#sending === own) this.#sending = undefined;
    });
    this.#sending = own;
  }
}
