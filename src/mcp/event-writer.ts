import type { ServerResponse } from 'node:http';
import { onOneLine } from '../lib/json-scan.ts';
import { messageText, type Outgoing } from './wire.ts';

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
    this.#write(': keepalive\n\n');
  }

  end(): void {
    clearInterval(this.#timer);
    this.#res.end();
  }

  #write(text: string): void {
    if (this.#res.destroyed) return clearInterval(this.#timer);
    // What waits already is the measure, not what is added: one large message to a quick reader is no fault.
    if (this.#res.writableLength > this.#limits.bufferedBytes) {
      clearInterval(this.#timer);
      this.#res.destroy();
      return;
    }
    this.#res.write(text);
  }
}
