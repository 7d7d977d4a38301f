import { Script } from 'node:vm';

/** Beyond this a case hangs. Far above what any takes, so that a busy machine does not look like a fault. */
export const HANGS_MS = 100_000;

const slot = globalThis as { __fuzzed?: () => unknown };
const call = new Script('globalThis.__fuzzed()');

/** Runs something that does not wait, and interrupts it where it does not end: a pattern that backtracks for ever, a loop. */
export function inTime<T>(act: () => T): T {
  slot.__fuzzed = act;
  return call.runInThisContext({ timeout: HANGS_MS }) as T;
}

/** Waits for an answer, with an end. */
export async function answered<T>(answer: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer in ${HANGS_MS} ms: ${what.slice(0, 300)}`)),
      HANGS_MS,
    );
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
