import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Texts of this size are rare, and sending one takes longer than a collection. */
const HUGE = 8 * 1024 * 1024;

let collect: (() => void) | undefined;

function load(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/**
 * Releases the memory of a huge text after it was sent. The engine itself collects only when the heap has grown by a share of its size,
 * which is large then: without this an idle proxy keeps 430 MB after eight readers of 50 MB have gone, where fault F13 allows 100 MB.
 */
export function collectAfterHuge(length: number): void {
  if (length >= HUGE) collectSoon();
}

/** Releases resources other than memory that only a collection frees: file descriptors of closed database connections. */
export function collectSoon(): void {
  setImmediate(collectNow);
}

function collectNow(): void {
  collect ??= load();
  // The second one returns to the system what the first one has found.
  collect();
  collect();
}
