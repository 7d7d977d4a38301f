import { lstatSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { daemonFile, isAlive, readDaemon, userOf, type Daemon } from '../config/daemon/index.ts';
import { ProxyError } from '../contract/errors.ts';
import type { Place } from '../doors/cli/index.ts';
import { configPaths } from './config-commands.ts';
import { toDaemon } from './connect/to-daemon.ts';

/** The proxy itself gives up its calls in flight before that. */
const PATIENCE_MS = 40_000;
const STEP_MS = 50;
const ANSWER_MS = 5_000;

/** Ends the process that uses the data directory, and waits until it has ended. Undefined: there is none. */
export async function stopDaemon(
  place: Place,
  patienceMs = PATIENCE_MS,
): Promise<{ pid: number; url?: string } | undefined> {
  const { data_dir: dataDir } = await configPaths(place);
  const daemon = readDaemon(dataDir);
  if (!daemon) return undefined;
  const { pid, url } = daemon;
  const doubt = await doubtAbout(daemon, dataDir);
  if (doubt !== undefined)
    throw new ProxyError('CONFLICT', `Process ${pid} was not stopped: ${doubt}`, { data_dir: dataDir });
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH')
      throw new ProxyError(
        'CONFLICT',
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

/** Why the process may be another program: a file names it, and files can be old, restored or written by others. */
async function doubtAbout(daemon: Daemon, dataDir: string): Promise<string | undefined> {
  const { pid, started } = daemon;
  if (pid === 1)
    return 'it is the first process of this system or container. Stop the container or its service instead';
  const file = daemonFile(dataDir);
  const user = userOf(pid);
  const { uid } = lstatSync(file);
  if (user !== undefined && user !== uid) return `it belongs to another user than ${file}, which names it`;
  // Another program with the same id has another start time.
  if (started !== undefined) return undefined;
  const isRoots = process.getuid?.() === 0 && uid !== 0;
  return !isRoots && (await answers(daemon, dataDir))
    ? undefined
    : `it is not certain that it is mcpproxy, because ${file} does not say when it was started. If it is, stop it as any other process`;
}

/** Where the system reports no start times: whether the daemon itself says that it is this process. */
async function answers({ pid, url }: Daemon, dataDir: string): Promise<boolean> {
  if (url === undefined) return false;
  const daemon = toDaemon(url, undefined, dataDir);
  try {
    return (await daemon.client.request('status', {}, AbortSignal.timeout(ANSWER_MS))).pid === pid;
  } catch {
    return false;
  } finally {
    await daemon.close();
  }
}
