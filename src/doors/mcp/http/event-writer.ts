import type { ServerResponse } from 'node:http';
import { onOneLine } from '../../../json/index.ts';
import { isLarge, sendText } from '../../../load/index.ts';
import { messageText, type Outgoing } from '../wire.ts';

export interface StreamLimits {
  keepAliveMs: number;
  bufferedBytes: number;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** A response as a stream of events. It never keeps more for a slow reader than the limit, and never falls silent. */
export class EventWriter {
  readonly #res: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #timer: NodeJS.Timeout;
  /** There while a large message is on its way in pieces; whatever follows waits for its end. */
  #sending: Promise<void> | undefined;
  #waiting = 0;

  constructor(res: ServerResponse, limits: StreamLimits, headers?: Record<string, string>) {
    this.#res = res;
    this.#limits = limits;
    res.writeHead(200, headers ? { ...HEADERS, ...headers } : HEADERS);
    res.flushHeaders();
    this.#timer = setInterval(() => this.comment(), limits.keepAliveMs).unref();
  }

  send(message: Outgoing | Outgoing[]): void {
    this.#write(`event: message\ndata: ${onOneLine(messageText(message))}\n\n`);
    this.#timer.refresh();
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
    // What waits already is the measure, not what is added: one large message to a quick reader is no fault.
    if (this.#res.writableLength + this.#waiting > this.#limits.bufferedBytes) {
      clearInterval(this.#timer);
      this.#res.destroy();
      return;
    }
    if (this.#sending || isLarge(text)) this.#writeInTurn(text);
    else this.#res.write(text);
  }

  #writeInTurn(text: string): void {
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
