import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Time as a part, so that a test can hold it still. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** For how long ago something was: it does not jump when somebody sets the time. Its numbers mean nothing outside of this process. */
export const monotonicClock: Clock = { now: () => performance.now() };

/** Random bytes are fetched by the thousand: asking the system for each one cost 50 µs per millisecond in which an id was made. */
const pool = new Uint8Array(4096);
let used = pool.length;

function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]! / 256;
}

const next = monotonicFactory(random);

/** A ULID that sorts after every one made before it in this process. */
export function newId(): string {
  return next();
}
