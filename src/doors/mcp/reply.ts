import type { Span } from '../../contract/call.ts';
import type { Outgoing } from './wire.ts';

/** Where the response to one request goes: an HTTP response, or a line on a pipe. */
export interface Reply {
  /** The span that the answer ends, where spans are collected. */
  readonly span?: Span;
  /** Whether the client is still connected. */
  readonly listening: boolean;
  /** Sends a message that belongs to the request, before its answer. */
  notify(message: Outgoing): void;
  /** The HTTP status applies only to a plain HTTP response. */
  answer(message: Outgoing | Outgoing[], status?: number): void;
  /** The request was cancelled: ends the carrier without an answer. */
  cancelled(): void;
}

/** The requests of one batch share a carrier: their answers are sent together, once the last one is ready. */
export class BatchReply implements Reply {
  readonly #carrier: Reply;
  readonly #answers: Outgoing[] = [];
  #waiting: number;

  constructor(carrier: Reply, requests: number) {
    this.#carrier = carrier;
    this.#waiting = requests;
  }

  get listening(): boolean {
    return this.#carrier.listening;
  }

  notify(message: Outgoing): void {
    this.#carrier.notify(message);
  }

  answer(message: Outgoing): void {
    this.#answers.push(message);
    this.#settle();
  }

  cancelled(): void {
    this.#settle();
  }

  #settle(): void {
    if (--this.#waiting > 0) return;
    if (this.#answers.length > 0) this.#carrier.answer(this.#answers);
    else this.#carrier.cancelled();
  }
}
