import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 1000;
const CAP_MS = 60_000;

/** How long to wait after so many failures in a row: exponential with a cap, and fully random, so that servers do not return in step. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16)));
}

/** Ends early, and quietly, when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
