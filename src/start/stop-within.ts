import type { Log } from '../lib/log.ts';

/** Supervisors usually wait 30 seconds before they kill a process. Calls in flight have ended by then. */
const LIMIT_MS = 28_000;

/**
 * Stops, or ends the process when that takes too long, for example because the database does not answer. No acknowledged write is lost:
 * records that were not closed become unknown on the next start, and the server processes end with this one.
 */
export async function stopWithin(
  stop: () => Promise<void>,
  { log, limitMs = LIMIT_MS, exit = () => process.exit(1) }: StopOptions,
): Promise<void> {
  const timer = setTimeout(() => {
    log.error({ ms: limitMs }, 'stopping took too long: the process exits with unfinished work');
    exit();
  }, limitMs);
  await stop().finally(() => clearTimeout(timer));
}

interface StopOptions {
  log: Log;
  limitMs?: number;
  exit?: () => void;
}
