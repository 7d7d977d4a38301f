import type { Writable } from 'node:stream';
import { collectSoonAfter } from './collect-garbage.ts';
import { paced } from './pace.ts';

/** What is smaller is handed over in one piece. */
const LARGE = 1024 * 1024;
const SLICE = 256 * 1024;
/** How long a reader may take nothing at all of a text that is kept for it. */
const STALL_MS = 20_000;
/** What all readers together may keep waiting; beyond it those make room that have taken nothing for the longest time. */
const MOST_WAITING = 256 * 1024 * 1024;

export const isLarge = (text: string): boolean => text.length > LARGE;

/** Pieces of a text, never in the middle of a character. */
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
 * Writes no faster than the reader reads, piece by piece: the whole would be there a second time as bytes. A reader that stands still is
 * cut off. Resolves when everything has been handed over, or when there is nobody left; does not end the stream.
 */
export async function sendText(out: Writable, text: string, stallMs = STALL_MS): Promise<void> {
  const own: Sending = { out, left: text.length, movedAt: performance.now() };
  sending.add(own);
  makeRoom(own);
  try {
    for (const slice of slicesOf(text)) {
      await paced(slice.length);
      if (out.destroyed) return;
      own.left -= slice.length;
      if (!out.write(slice)) await drained(out, stallMs);
      own.movedAt = performance.now();
    }
  } finally {
    sending.delete(own);
    collectSoonAfter(text.length);
  }
}

/** Resolves when the reader has caught up or is gone; one that takes nothing in all that time is sent away. */
export function drained(out: Writable, stallMs?: number): Promise<void> {
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

function makeRoom(newcomer: Sending): void {
  let waiting = [...sending].reduce((sum, { left }) => sum + left, 0);
  const others = [...sending].filter((each) => each !== newcomer).sort((a, b) => a.movedAt - b.movedAt);
  for (const { out, left } of others) {
    if (waiting <= MOST_WAITING) return;
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
        collectSoonAfter(text.length);
      },
      cancel: () => collectSoonAfter(text.length),
    },
    { highWaterMark: 0 },
  );
}
