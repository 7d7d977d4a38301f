import { setTimeout as pause } from 'node:timers/promises';
import { announceSuccessor, isInUse, lockDataDir, readDaemon, type DataDirLock } from '../config/index.ts';
import type { Log } from '../lib/log.ts';

/** The daemon in the background gives its calls time to end; its whole stop takes half a minute at most. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 25;

interface TakeOver {
  log: Log;
  signal: AbortSignal;
}

/**
 * Locks the data directory for `mcpproxy serve`. A daemon that `mcpproxy stdio` started in the background is asked to end; its clients find
 * this process then. Every other holder is an error. Undefined if the signal came first.
 */
export async function lockOrTakeOver(dataDir: string, how: TakeOver): Promise<DataDirLock | undefined> {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    const holder = readDaemon(dataDir);
    if (!isInUse(error) || !holder?.background) throw error;
    how.log.info(
      { pid: holder.pid },
      'taking over from the daemon in the background; it ends its calls first',
    );
  }
  const withdraw = announceSuccessor(dataDir);
  try {
    return await untilLocked(dataDir, how.signal);
  } finally {
    withdraw();
  }
}

async function untilLocked(dataDir: string, signal: AbortSignal): Promise<DataDirLock | undefined> {
  const end = performance.now() + PATIENCE_MS;
  while (!signal.aborted) {
    try {
      return lockDataDir(dataDir);
    } catch (error) {
      if (!isInUse(error) || hasAnother(dataDir) || performance.now() > end) throw error;
    }
    await pause(PAUSE_MS);
  }
  return undefined;
}

/** Another `mcpproxy serve` was faster. A holder without an address may be a short command, which ends. */
function hasAnother(dataDir: string): boolean {
  const holder = readDaemon(dataDir);
  return holder?.url !== undefined && !holder.background;
}
