import { setTimeout as pause } from 'node:timers/promises';

/** How long another program may hold the database, and how often is looked whether it still does. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 25;

/**
 * Another program may hold the database for a moment: somebody looks at it, or copies it. That is waited for here and not inside SQLite,
 * where the whole process would stand still. `work` gets whether it is tried again; it throws the error of SQLite as it is.
 */
export async function whileLocked<T>(work: (again: boolean) => T): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const again = performance.now() < end;
    try {
      return work(again);
    } catch (error) {
      if (!again || !isLocked(error)) throw error;
    }
  }
}

/** SQLITE_BUSY: nothing was done. */
export function isLocked(cause: unknown): boolean {
  const { errcode } = (cause ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5;
}
