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
