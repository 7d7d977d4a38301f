import type { Clock } from '../../lib/clock.ts';
import { tellingLines } from '../process/telling-lines.ts';

export interface LogLine {
  time: string;
  text: string;
}

const MAX_LINES = 1000;
export const MAX_LINE_BYTES = 8192;
const BYTES_PER_SECOND = 1024 * 1024;
/** What each line costs of the budget, beside its bytes. */
const LINE_COST = 128;
const SKIPPED_BYTES = 64 * 1024;
const NEWLINE = 10;
const EXPLAINED_LINES = 400;
/** Before a line of stdout that is not a message: many programs print their errors there. */
export const NOISE_MARK = '[stdout, not a message] ';

/**
 * The newest lines of a server's stderr. Decoding has a budget per second, so that a flood costs little and the server never blocks on a full
 * pipe. Of the skipped output the newest part is kept.
 */
export class LogRing {
  readonly #clock: Clock;
  #lines: LogLine[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #restCut = false;
  #skipped: Buffer[] = [];
  #skippedBytes = 0;
  /** The last byte of the dropped output, if any was dropped. */
  #gapEnd: number | undefined;
  #windowStart = 0;
  #windowBytes = 0;
  #dropped = 0;
  /** The number of lines before the present process. */
  #runStart = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  push(chunk: Buffer): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#windowStart) >= 1000) {
      this.#windowStart = now;
      this.#windowBytes = 0;
      this.#takeSkipped();
    }
    this.#windowBytes += chunk.length + LINE_COST * estimatedLines(chunk);
    if (this.#windowBytes <= BYTES_PER_SECOND) return this.#decode(chunk);
    this.#skip(chunk);
  }

  /** Adds a remark of the proxy between the server's lines. */
  note(text: string): void {
    this.#add(text.slice(0, MAX_LINE_BYTES));
  }

  tail(count: number): { lines: LogLine[]; dropped: number } {
    this.#takeSkipped();
    const lines = this.#lines.slice(-MAX_LINES);
    const dropped = this.#dropped + this.#lines.length - lines.length;
    if (this.#rest.length > 0) lines.push({ time: this.#now(), text: this.#rest.toString() });
    return { lines: lines.slice(-count), dropped };
  }

  /** A new process begins: what the previous one wrote says nothing about it. */
  beginRun(): void {
    this.#takeSkipped();
    this.#runStart = this.#dropped + this.#lines.length;
  }

  /** The lines of the present process that best explain its failure, in one text. */
  explanation(): string {
    const { lines, dropped } = this.tail(MAX_LINES);
    const own = lines.slice(Math.max(0, this.#runStart - dropped)).slice(-EXPLAINED_LINES);
    return tellingLines(own.map(({ text }) => text.replace(NOISE_MARK, ''))).join(' · ');
  }

  #skip(chunk: Buffer): void {
    this.#skipped.push(chunk);
    this.#skippedBytes += chunk.length;
    while (this.#skippedBytes - this.#skipped[0]!.length >= SKIPPED_BYTES) {
      const gone = this.#skipped.shift()!;
      this.#skippedBytes -= gone.length;
      this.#dropped += estimatedLines(gone);
      this.#gapEnd = gone.at(-1);
    }
  }

  #takeSkipped(): void {
    const newest = this.#newestOf(Buffer.concat(this.#skipped));
    const gapEnd = this.#gapEnd;
    this.#skipped = [];
    this.#skippedBytes = 0;
    this.#gapEnd = undefined;
    if (gapEnd === undefined) return this.#decode(newest);
    // After a gap the pending line is incomplete, and so may be the first line after it.
    this.#rest = Buffer.alloc(0);
    this.#decode(gapEnd === NEWLINE ? newest : newest.subarray(newest.indexOf(NEWLINE) + 1));
  }

  /** At most as many lines as are kept. */
  #newestOf(skipped: Buffer): Buffer {
    let from = skipped.length;
    for (let lines = 0; lines <= MAX_LINES && from > 0; lines++)
      from = skipped.lastIndexOf(NEWLINE, from - 1);
    if (from <= 0) return skipped;
    this.#dropped += estimatedLines(skipped.subarray(0, from));
    this.#gapEnd = NEWLINE;
    return skipped.subarray(from + 1);
  }

  #decode(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#add(this.#rest.toString().replace(/\r$/, '') + (this.#restCut ? '…' : ''));
      this.#rest = Buffer.alloc(0);
      this.#restCut = false;
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    const room = MAX_LINE_BYTES - this.#rest.length;
    if (part.length > room) this.#restCut = true;
    if (room <= 0 || part.length === 0) return;
    this.#rest = Buffer.concat([this.#rest, part.subarray(0, room)]);
  }

  #add(text: string): void {
    this.#lines.push({ time: this.#now(), text });
    if (this.#lines.length < 2 * MAX_LINES) return;
    // Dropping lines in bulk is cheaper.
    this.#dropped += this.#lines.length - MAX_LINES;
    this.#lines = this.#lines.slice(-MAX_LINES);
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function estimatedLines(chunk: Buffer): number {
  const sample = chunk.subarray(0, 4096);
  let count = 0;
  for (let at = sample.indexOf(NEWLINE); at !== -1; at = sample.indexOf(NEWLINE, at + 1)) count++;
  return Math.round((count * chunk.length) / Math.max(1, sample.length));
}
