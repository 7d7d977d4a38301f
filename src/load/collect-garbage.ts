import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Texts of this size are rare, and reading one takes longer than a collection. */
const HUGE = 8 * 1024 * 1024;

let collect: (() => void) | undefined;

function load(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/**
 * Gives memory back after a huge text has become another one. By itself the engine lets several of them pile up: it collects when the
 * heap has grown by a share of what it was, and that is large then.
 */
export function collectAfter(length: number): void {
  if (length >= HUGE) collectNow();
}

/** For things that hold more than memory, and that only a collection lets go of. */
export function collectSoon(): void {
  setImmediate(collectNow);
}

function collectNow(): void {
  collect ??= load();
  // What the first one finds is given back to the system by the second.
  collect();
  collect();
}

/** The same once whoever works with the text now is done with it. */
export function collectSoonAfter(length: number): void {
  if (length >= HUGE) setImmediate(collectAfter, length);
}
