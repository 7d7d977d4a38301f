import type { Log } from '../lib/log.ts';

/** Whoever supervises us waits about this long before it kills. Calls have had their time by then. */
const LIMIT_MS = 28_000;

/**
 * Stops, or ends the process where that takes too long, as with a database that does not answer: nothing acknowledged is lost by it, what
 * was not written is closed as unknown on the next start, and servers are ended with the process.
 */
export async function stopWithin(
  stop: () => Promise<void>,
  { log, limitMs = LIMIT_MS, exit = () => process.exit(1) }: StopOptions,
): Promise<void> {
  const timer = setTimeout(() => {
    log.error({ ms: limitMs }, 'stopping takes too long, as something does not answer: ended without it');
    exit();
  }, limitMs);
  await stop().finally(() => clearTimeout(timer));
}

interface StopOptions {
  log: Log;
  limitMs?: number;
  exit?: () => void;
}
