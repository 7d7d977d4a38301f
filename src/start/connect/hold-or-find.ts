import { lockDataDir, readDaemon, type DataDirLock } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';

/** A daemon that starts on a busy machine takes some seconds to listen. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Returns the address of the daemon that has locked the data directory, or locks the directory. A lock without an address belongs to a
 * daemon that is about to listen or to a short command, so this waits for either.
 */
export async function holdOrFind(
  dataDir: string,
  signal?: AbortSignal,
): Promise<{ url: string } | { lock: DataDirLock }> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const url = readDaemon(dataDir)?.url;
    if (url) return { url };
    try {
      return { lock: lockDataDir(dataDir) };
    } catch (error) {
      const busy = error instanceof ProxyError && error.code === 'DATA_DIR_IN_USE';
      if (!busy || signal?.aborted || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The address of the daemon; undefined if none runs or starts. */
export async function findDaemon(dataDir: string, signal?: AbortSignal): Promise<string | undefined> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const holder = readDaemon(dataDir);
    if (!holder || holder.url || signal?.aborted || performance.now() > end) return holder?.url;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
