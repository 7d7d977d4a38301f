/** Time as a part, so that a test can hold it still. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** For how long ago something was: it does not jump when somebody sets the time. Its numbers mean nothing outside of this process. */
export const monotonicClock: Clock = { now: () => performance.now() };
