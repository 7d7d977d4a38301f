import type { Readable, Writable } from 'node:stream';
import { onOneLine } from '../../../json/index.ts';
import type { Reply } from '../reply.ts';
import { messageText, type Outgoing } from '../wire.ts';

/** Writes messages as lines. While a slow reader does not keep up, its own requests are not read. */
export class LineWriter implements Reply {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #bufferedBytes: number;
  #waiting = false;

  constructor(input: Readable, output: Writable, bufferedBytes: number) {
    this.#input = input;
    this.#output = output;
    this.#bufferedBytes = bufferedBytes;
  }

  get listening(): boolean {
    return this.#output.writable;
  }

  answer(message: Outgoing | Outgoing[]): void {
    this.text(messageText(message));
  }

  /** Progress may be dropped for a slow reader; an answer may not. */
  notify(message: Outgoing): void {
    if (this.#output.writableLength <= this.#bufferedBytes) this.answer(message);
  }

  cancelled(): void {
    // On a pipe there is nothing to end: the request is not answered.
  }

  text(message: string): void {
    if (this.#output.write(`${onOneLine(message)}\n`) || this.#waiting) return;
    this.#waiting = true;
    this.#input.pause();
    this.#output.once('drain', () => {
      this.#waiting = false;
      this.#input.resume();
    });
  }

  /** Resolves when everything is written, or at the deadline. */
  flushed(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#output.write('', () => {
        clearTimeout(deadline);
        resolve();
      });
    });
  }
}
