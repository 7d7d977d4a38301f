import { hasSuccessor, isInUse, lockDataDir, readDaemon, type DataDirLock } from '../../config/index.ts';

interface HoldOptions {
  signal?: AbortSignal;
  background?: true;
}

/** A daemon that ends may take half a minute for its last calls; one that starts on a busy machine takes some seconds to listen. */
const PATIENCE_MS = 45_000;
const PAUSE_MS = 50;

/**
 * Returns the address of the daemon that has locked the data directory, or locks the directory. A lock without an address belongs to a
 * daemon that is about to listen or to end, or to a short command, so this waits for each.
 */
export async function holdOrFind(
  dataDir: string,
  { signal, ...kind }: HoldOptions = {},
): Promise<{ url: string } | { lock: DataDirLock }> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const url = readDaemon(dataDir)?.url;
    if (url) return { url };
    const isOver = signal?.aborted || performance.now() > end;
    // A `mcpproxy serve` that waits for the directory comes first.
    if (isOver || !hasSuccessor(dataDir)) {
      try {
        return { lock: lockDataDir(dataDir, kind) };
      } catch (error) {
        if (!isInUse(error) || isOver) throw error;
      }
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
