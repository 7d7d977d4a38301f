import { isUtf8 } from 'node:buffer';
import { TextCollector } from '../load/index.ts';
import { setTimeout as rest } from 'node:timers/promises';
import { LONG_TEXT, atOnce, inTurn, type Steps } from '../json/index.ts';

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

/** What can be told to wait with more. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

interface Text {
  text: string;
  isValid: boolean;
}

/** So long the texts of one piece are read in one go, and what follows only after everybody else had as much time. */
const BUSY_MS = 5;

interface InOrderParts<Parsed> {
  /** How a text of any length is read; it never throws. */
  steps: (text: string, isValid: boolean) => Steps<Parsed>;
  deliver: (parsed: Parsed, text: string) => void;
  source?: () => Source | null | undefined;
}

/**
 * Texts of one connection, parsed in the order in which they came. A long one is read in turn with the long texts of everybody else, and
 * thousands of short ones a few at a time; what follows waits for them, and nothing more is taken in meanwhile.
 */
export class InOrder<Parsed> {
  readonly #parts: InOrderParts<Parsed>;
  readonly #waiting: Array<Text | undefined> = [];
  #reading: Promise<void> | undefined;
  #began = Number.POSITIVE_INFINITY;

  constructor(parts: InOrderParts<Parsed>) {
    this.#parts = parts;
  }

  /** A piece of what the server sends is here; its texts follow. */
  begin(): void {
    this.#began = performance.now();
  }

  push(text: string, isValid: boolean): void {
    if (!this.#reading && text.length <= LONG_TEXT && performance.now() - this.#began < BUSY_MS)
      return this.#deliverNow(text, isValid);
    this.#waiting.push({ text, isValid });
    this.#reading ??= this.#read();
  }

  /** There while something is being read: resolves when all that has come is delivered. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  #deliverNow(text: string, isValid: boolean): void {
    this.#parts.deliver(atOnce(this.#parts.steps(text, isValid)), text);
  }

  async #read(): Promise<void> {
    const source = this.#parts.source?.();
    source?.pause();
    let began = this.#began;
    for (let at = 0; at < this.#waiting.length; at++) {
      const { text, isValid } = this.#waiting[at]!;
      this.#waiting[at] = undefined;
      if (text.length > LONG_TEXT) {
        this.#parts.deliver(await inTurn(this.#parts.steps(text, isValid)), text);
        began = performance.now();
      } else {
        const spent = performance.now() - began;
        if (spent >= BUSY_MS) {
          await rest(spent);
          began = performance.now();
        }
        this.#deliverNow(text, isValid);
      }
    }
    this.#waiting.length = 0;
    this.#reading = undefined;
    source?.resume();
  }
}
