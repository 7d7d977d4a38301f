import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, readDaemon } from '../config/index.ts';
import { ProxyError } from '../contract/errors.ts';
import type { Place } from '../doors/cli/index.ts';
import { configPaths } from './config-commands.ts';

/** The proxy itself gives up its calls in flight before that. */
const PATIENCE_MS = 40_000;
const STEP_MS = 50;

/** Ends the process that uses the data directory, and waits until it has ended. Undefined: there is none. */
export async function stopDaemon(
  place: Place,
  patienceMs = PATIENCE_MS,
): Promise<{ pid: number; url?: string } | undefined> {
  const { data_dir: dataDir } = await configPaths(place);
  const daemon = readDaemon(dataDir);
  if (!daemon) return undefined;
  const { pid, url } = daemon;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH')
      throw new ProxyError(
        'NO_DAEMON',
        `The proxy (process ${pid}) cannot be stopped: it belongs to another user. Run the command as that user`,
      ).withCause(error);
  }
  const end = performance.now() + patienceMs;
  while (isAlive(daemon)) {
    if (performance.now() > end)
      throw new ProxyError(
        'INTERNAL',
        `The proxy (process ${pid}) was told to stop, but still runs after ${Math.round(patienceMs / 1000)} s. Its log says what it waits for`,
      );
    await pause(STEP_MS);
  }
  return { pid, ...(url !== undefined && { url }) };
}
