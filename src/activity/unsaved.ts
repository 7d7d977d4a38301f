import type { Database } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import type { Entry } from './entry.ts';

/** Ends of records that the disk did not take. They are written when it does again, so that no record stays open for nothing. */
export interface Unsaved {
  keep(entry: Entry): void;
  close(): void;
}

const MAX_KEPT = 1000;
const RETRY_MS = 1000;

export function createUnsaved({
  db,
  log,
  write,
}: {
  db: Database;
  log: Log;
  write: (entry: Entry) => void;
}): Unsaved {
  const kept = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function keep(entry: Entry): void {
    if (closed) return;
    if (kept.size >= MAX_KEPT) {
      const oldest = kept.values().next().value!;
      kept.delete(oldest);
      log.error({ id: oldest.row.id }, 'the end of a record is lost: too many wait for the disk');
    }
    kept.add(entry);
    timer ??= setTimeout(retry, RETRY_MS).unref();
  }

  function retry(): void {
    timer = undefined;
    const entries = [...kept];
    kept.clear();
    for (const entry of entries) {
      if (entry.queued) continue;
      entry.queued = true;
      void db.writes.add({ run: () => attempt(entry) }, 'soon').catch(() => keep(entry));
    }
  }

  /** An entry that cannot be written must not take others down with it, time after time. */
  function attempt(entry: Entry): void {
    try {
      write(entry);
    } catch (error) {
      log.warn({ id: entry.row.id, err: error }, 'the end of a record still cannot be written');
      keep(entry);
    }
  }

  return {
    keep,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
