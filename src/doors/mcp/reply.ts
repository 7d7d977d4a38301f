import type { Span } from '../../contract/call.ts';
import type { Outgoing } from './wire.ts';

/** Where the answer to one request goes: an HTTP response, or a line on a pipe. */
export interface Reply {
  /** The span that the answer ends; there where spans are collected. */
  readonly span?: Span;
  /** Whether somebody is still there to read the answer. */
  readonly listening: boolean;
  /** Something that belongs to the request, before its answer. */
  notify(message: Outgoing): void;
  /** The HTTP status counts only where the answer is a plain HTTP response. */
  answer(message: Outgoing | Outgoing[], status?: number): void;
  /** The request was cancelled: there must be no answer, but whatever carries it must end. */
  cancelled(): void;
}

/** The requests of one batch share a carrier: their answers leave together, when the last one is there. */
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
