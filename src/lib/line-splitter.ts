import { isUtf8 } from 'node:buffer';
import { TextCollector } from '../load/index.ts';

export interface LineSink {
  /** `isValid`: it was UTF-8. Otherwise the text is not what was sent. */
  line(text: string, isValid: boolean): void;
  /** A line over the limit has ended. It was skipped; its edges tell whose answer it was. */
  oversize(edges: { head: string; tail: string; bytes: number }): void;
  /** A line over the limit has not ended even after several times the limit: there is no way back to a boundary. */
  endless(edges: { head: string; tail: string; bytes: number }): void;
}

const NEWLINE = 10;
const EDGE_BYTES = 256;
const ENDLESS_FACTOR = 4;

/**
 * Cuts bytes into lines. Parts of a long line are decoded as they come and joined once, so that the cost stays linear and the line is
 * not held as bytes and as text; beyond the limit they are only counted.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  #text = new TextCollector();
  #bytes = 0;
  #head = '';
  #tail = '';
  #skipping = false;
  #ended = false;

  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && !this.#ended; at = chunk.indexOf(NEWLINE, from)) {
      this.#finish(from === at ? undefined : chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length && !this.#ended) this.#collect(from === 0 ? chunk : chunk.subarray(from));
  }

  /** What follows the last newline, as HTTP bodies need it. */
  end(): void {
    if (!this.#ended && this.#bytes > 0) this.#finish(undefined);
    this.#ended = true;
  }

  #collect(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#head.length < EDGE_BYTES)
      this.#head += part.toString('latin1', 0, EDGE_BYTES - this.#head.length);
    if (!this.#skipping && this.#bytes <= this.#maxBytes) {
      this.#text.add(part);
      return;
    }
    this.#skip(part);
  }

  #skip(part: Buffer): void {
    if (!this.#skipping) this.#text = new TextCollector();
    this.#skipping = true;
    this.#tail = (this.#tail + part.subarray(-EDGE_BYTES).toString('latin1')).slice(-EDGE_BYTES);
    if (this.#bytes <= ENDLESS_FACTOR * this.#maxBytes) return;
    this.#ended = true;
    this.#sink.endless({ head: this.#head, tail: this.#tail, bytes: this.#bytes });
  }

  #finish(last: Buffer | undefined): void {
    if (this.#bytes === 0) {
      // The usual case: the whole line is in this chunk.
      if (last && last.length <= this.#maxBytes) return this.#sink.line(last.toString(), isUtf8(last));
      if (!last) return this.#sink.line('', true);
    }
    if (last) this.#collect(last);
    if (this.#ended) return;
    const [isValid, text, skipped] = [this.#text.isValid, this.#text.take(), this.#skipping];
    const edges = { head: this.#head, tail: this.#tail, bytes: this.#bytes };
    this.#reset();
    if (skipped) this.#sink.oversize(edges);
    else this.#sink.line(text, isValid);
  }

  #reset(): void {
    this.#bytes = 0;
    this.#head = '';
    this.#tail = '';
    this.#skipping = false;
  }
}
