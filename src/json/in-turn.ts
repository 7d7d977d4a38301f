/** A message that is longer is read in turn with others of its kind; below this, nobody notices. */
export const LONG_TEXT = 64 * 1024;
/** Steps of one text that are shorter together are done in one turn. */
const TOGETHER_MS = 1.5;
/** A pause after less than this would be none. */
const NOTICED_MS = 1;
/** So many times as long as a step took everybody else has the loop. */
const SHARE_OF_OTHERS = 2;

/** Work on a long text, in steps: it yields wherever it can be interrupted. */
export type Steps<T> = Generator<void, T>;

interface Job {
  steps: Steps<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const waiting: Job[] = [];
let running = false;

/**
 * Work that grows with what somebody sent. All of it stands in one queue: a turn of the event loop holds one step of one text, and after
 * it everybody else has twice as long as it took. However many long texts come, those with short ones go in between.
 */
export function inTurn<T>(steps: Steps<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    waiting.push({ steps, resolve: resolve as Job['resolve'], reject });
    if (!running) {
      running = true;
      setImmediate(next);
    }
  });
}

function next(): void {
  const job = waiting.shift();
  if (!job) return void (running = false);
  const began = performance.now();
  let isDone = advance(job);
  // Small steps go together, up to what nobody notices.
  while (!isDone && performance.now() - began < TOGETHER_MS) isDone = advance(job);
  if (!isDone) waiting.push(job);
  // At the end of the turn: what the step has set off counts as well.
  setImmediate(rest, began);
}

function rest(began: number): void {
  const took = performance.now() - began;
  if (took < NOTICED_MS) next();
  else setTimeout(next, SHARE_OF_OTHERS * took);
}

/** True: it has come to its end. */
function advance({ steps, resolve, reject }: Job): boolean {
  try {
    const { done, value } = steps.next();
    if (!done) return false;
    resolve(value);
  } catch (error) {
    reject(error);
  }
  return true;
}

/** The same at once, for what is short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
