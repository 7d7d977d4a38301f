import type { Clock } from '../lib/clock.ts';

export interface LogLine {
  time: string;
  text: string;
}

const MAX_LINES = 1000;
const MAX_LINE_BYTES = 8192;
const BYTES_PER_SECOND = 1024 * 1024;
const NEWLINE = 10;

/**
 * The newest lines of a server's stderr. A flood is not decoded beyond a budget per second, so that reading it costs next to nothing
 * and the server never blocks on a full pipe; of what was skipped, the newest chunk is kept.
 */
export class LogRing {
  readonly #clock: Clock;
  #lines: LogLine[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #restCut = false;
  #skipped: Buffer | undefined;
  #windowStart = 0;
  #windowBytes = 0;
  #dropped = 0;

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
    this.#windowBytes += chunk.length;
    if (this.#windowBytes <= BYTES_PER_SECOND) return this.#decode(chunk);
    if (this.#skipped) this.#dropped += estimatedLines(this.#skipped);
    this.#skipped = chunk;
  }

  /** A remark of our own between the server's lines. */
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

  /** The last thing that was said, to explain an exit. */
  lastText(): string {
    return this.tail(5).lines.findLast(({ text }) => text.trim() !== '')?.text ?? '';
  }

  #takeSkipped(): void {
    const chunk = this.#skipped;
    if (!chunk) return;
    this.#skipped = undefined;
    // What lies between is lost, so that its first line has no beginning.
    this.#rest = Buffer.alloc(0);
    this.#decode(chunk.subarray(chunk.indexOf(NEWLINE) + 1));
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
    // Cutting rarely and in bulk keeps pushing cheap.
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
