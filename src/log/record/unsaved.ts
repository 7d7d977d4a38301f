import type { AnyDatabase } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import type { Facet } from '../counts/facets.ts';
import { type Entry, type StoredFacet, logFields } from './entry.ts';

/** Ends of records that the disk did not take. They are written when it does again, so that no record stays open for nothing. */
export interface Unsaved<F extends StoredFacet = Facet> {
  keep(entry: Entry<F>): void;
  /** How many wait, and how many were given up because too many did. */
  state(): { waiting: number; lost: number };
  /** Tries all of them once more; what fails then is not kept. */
  close(): void;
}

const MAX_KEPT = 10_000;
const MAX_CHARACTERS = 67_108_864;
const RETRY_MS = 1000;

export interface UnsavedParts<F extends StoredFacet> {
  log: Log;
  /** Tries again to write what is known of an entry, and says so when that fails. */
  save: (entry: Entry<F>, failed: () => void) => Promise<void>;
}

export function createUnsaved<F extends StoredFacet = Facet>({ log, save }: UnsavedParts<F>): Unsaved<F> {
  const kept = new Set<Entry<F>>();
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let lost = 0;
  /** Being written at this moment, so that nobody takes them for written. */
  let underway = 0;

  function giveUp(oldest: Entry<F>): void {
    kept.delete(oldest);
    characters -= sizeOf(oldest);
    lost++;
    log.error(logFields(oldest), 'the end of a record is lost: too many wait for the disk');
  }

  function keep(entry: Entry<F>): void {
    if (closed) return log.error(logFields(entry), 'the end of a record is lost: the disk did not take it');
    if (kept.has(entry)) return;
    kept.add(entry);
    characters += sizeOf(entry);
    while (kept.size > MAX_KEPT || characters > MAX_CHARACTERS) giveUp(kept.values().next().value!);
    timer ??= setTimeout(retry, RETRY_MS).unref();
  }

  function retry(): void {
    timer = undefined;
    const entries = [...kept];
    kept.clear();
    characters = 0;
    for (const entry of entries) {
      if (entry.queued) continue;
      entry.queued = true;
      const failed = () => {
        entry.queued = false;
        entry.uncertain = true;
        keep(entry);
      };
      underway++;
      void save(entry, failed)
        .catch(() => {})
        .finally(() => underway--);
    }
  }

  return {
    keep,
    state: () => ({ waiting: kept.size + underway, lost }),
    close() {
      clearTimeout(timer);
      closed = true;
      retry();
    },
  };
}

function sizeOf({ row }: Entry<StoredFacet>): number {
  return 1000 + (row.arguments?.length ?? 0) + (row.response?.length ?? 0);
}

/** Whether records arrive on disk. */
export interface ActivityState {
  log: 'ok' | 'unavailable';
  since?: string;
  reason?: string;
  /** Ends of records that are written once the log can be written again. */
  waiting: number;
  /** Those given up because too many waited. */
  lost: number;
}

export function activityState(
  db: Pick<AnyDatabase, 'health'>,
  unsaved: { waiting: number; lost: number },
): ActivityState {
  const health = db.health();
  if (health.ok) return { log: 'ok', ...unsaved };
  return {
    log: 'unavailable',
    since: new Date(health.since).toISOString(),
    reason: health.reason,
    ...unsaved,
  };
}
