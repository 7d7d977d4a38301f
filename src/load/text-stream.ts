import { isUtf8 } from 'node:buffer';
import type { Writable } from 'node:stream';
import { collectAfterHuge } from './collect-garbage.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Collects a long text that arrives in pieces. Each piece is decoded on arrival, so that bytes, joined bytes and text are never held at
 * the same time; the pieces become one string only when it is read.
 */
export class TextCollector {
  /** The first bytes of a character that is not complete yet. */
  #partial = NOTHING;
  #text = '';
  #valid = true;

  /** False: some bytes were not UTF-8, so the text differs from what was sent. */
  get isValid(): boolean {
    return this.#valid && this.#partial.length === 0;
  }

  add(part: Buffer): void {
    const bytes = this.#partial.length === 0 ? part : Buffer.concat([this.#partial, part]);
    const end = bytes.length - partialBytesAtEnd(bytes);
    // A copy: a view of three bytes would keep the whole piece in memory.
    this.#partial = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
    this.#valid &&= isUtf8(bytes.subarray(0, end));
    this.#text += bytes.toString('utf8', 0, end);
  }

  /** Returns the whole text and starts over. */
  take(): string {
    const text = this.#text + this.#partial.toString();
    this.#text = '';
    this.#partial = NOTHING;
    this.#valid = true;
    return text;
  }
}

/** How many bytes at the end belong to an incomplete character. */
function partialBytesAtEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** A stream that can be paused. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of long texts that are read or written in one turn of the event loop: a few milliseconds of work. */
const BYTES_PER_TURN = 512 * 1024;
/** How many of the waiting sources continue in the next turn. */
const RELEASED_PER_TURN = 4;

const waiting: Array<() => void> = [];
let spent = 0;
let isScheduled = false;

/**
 * Counts bytes of a long text that arrived. In one turn of the event loop the system delivers megabytes on every connection; beyond the
 * budget of the turn a source is paused and continues in order of arrival.
 */
export function pace(source: Source, bytes: number): void {
  if (!isOverBudget(bytes)) return;
  source.pause();
  waiting.push(() => source.resume());
}

/** The same for a caller that pulls its parts itself: a promise where it has to wait. */
export function waitForTurn(bytes: number): Promise<void> | undefined {
  return isOverBudget(bytes) ? new Promise((resolve) => waiting.push(resolve)) : undefined;
}

function isOverBudget(bytes: number): boolean {
  spent += bytes;
  if (!isScheduled) schedule();
  return spent > BYTES_PER_TURN;
}

function schedule(): void {
  isScheduled = true;
  setImmediate(release);
}

function release(): void {
  isScheduled = false;
  spent = 0;
  for (const resume of waiting.splice(0, RELEASED_PER_TURN)) resume();
  if (waiting.length > 0 && !isScheduled) schedule();
}

/** Shorter reads are not worth a pause. */
const BUSY_MS = 2;

/** Pauses a server whose messages took long to read for the same time, so that it cannot use more than half of the event loop. */
export function throttleReads(source: Source, readingMs: number): void {
  if (readingMs < BUSY_MS) return;
  source.pause();
  setTimeout(() => source.resume(), readingMs);
}

/** Smaller texts are written in one piece. */
const LARGE = 1024 * 1024;
const SLICE = 256 * 1024;
/** A reader that accepts nothing for this long is disconnected. */
const STALL_MS = 20_000;
/** Limit on what waits for all readers together; beyond it the reader that has been stalled for longest is disconnected. */
const MAX_WAITING = 256 * 1024 * 1024;

export const isLarge = (text: string): boolean => text.length > LARGE;

/** Pieces of a text; a surrogate pair is never split. */
export function* slicesOf(text: string, size = SLICE): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + size);
    const code = text.charCodeAt(to - 1);
    if (to < text.length && code >= 0xd800 && code <= 0xdbff) to++;
    yield text.slice(from, to);
    from = to;
  }
}

interface Sending {
  out: Writable;
  left: number;
  movedAt: number;
}

const sending = new Set<Sending>();

/**
 * Writes piece by piece, no faster than the reader reads: written at once, the whole text would be in memory a second time as bytes. A
 * stalled reader is disconnected. Resolves when everything is written or the reader is gone; does not end the stream.
 */
export async function sendText(out: Writable, text: string, stallMs = STALL_MS): Promise<void> {
  const own: Sending = { out, left: text.length, movedAt: performance.now() };
  sending.add(own);
  disconnectStalled(own);
  try {
    for (const slice of slicesOf(text)) {
      await waitForTurn(slice.length);
      if (out.destroyed) return;
      own.left -= slice.length;
      if (!out.write(slice)) await waitForDrain(out, stallMs);
      own.movedAt = performance.now();
    }
  } finally {
    sending.delete(own);
    collectAfterHuge(text.length);
  }
}

/** Resolves when the reader has caught up or is gone; a reader that accepts nothing within `stallMs` is disconnected. */
export function waitForDrain(out: Writable, stallMs?: number): Promise<void> {
  return new Promise((resolve) => {
    if (out.destroyed || !out.writableNeedDrain) return resolve();
    const timer = stallMs === undefined ? undefined : setTimeout(() => out.destroy(), stallMs);
    const done = () => {
      clearTimeout(timer);
      out.off('drain', done);
      out.off('close', done);
      resolve();
    };
    out.once('drain', done);
    out.once('close', done);
  });
}

function disconnectStalled(newcomer: Sending): void {
  let waiting = [...sending].reduce((sum, { left }) => sum + left, 0);
  const others = [...sending].filter((each) => each !== newcomer).sort((a, b) => a.movedAt - b.movedAt);
  for (const { out, left } of others) {
    if (waiting <= MAX_WAITING) return;
    out.destroy();
    waiting -= left;
  }
}

/** A large text as the body of a response, encoded only as it is read. */
export function textStream(text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const slices = slicesOf(text);
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { value, done } = slices.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
        collectAfterHuge(text.length);
      },
      cancel: () => collectAfterHuge(text.length),
    },
    { highWaterMark: 0 },
  );
}
