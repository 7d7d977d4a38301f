import type { ActivityRollback } from '../../contract/activity.ts';
import type { WitnessState } from '../../contract/config.ts';
import type { AnyDatabase } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import type { Facet } from '../counts/facets.ts';
import type { OverLimit } from '../retention/over-limit.ts';
import { type Entry, type StoredFacet, logFields } from './entry.ts';

/** Closed records that could not be written. They are retried until the disk works again. */
export interface Unsaved<F extends StoredFacet = Facet> {
  keep(entry: Entry<F>): void;
  /** How many wait, and how many were dropped because too many waited. */
  state(): { waiting: number; lost: number };
  /** Retries all of them once more, and drops those that fail. */
  close(): void;
}

const MAX_KEPT = 10_000;
const MAX_CHARACTERS = 67_108_864;
const RETRY_MS = 1000;

export interface UnsavedParts<F extends StoredFacet> {
  log: Log;
  /** Writes an entry again; calls `failed` if that fails. */
  save: (entry: Entry<F>, failed: () => void) => Promise<void>;
}

export function createUnsaved<F extends StoredFacet = Facet>({ log, save }: UnsavedParts<F>): Unsaved<F> {
  const kept = new Set<Entry<F>>();
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let lost = 0;
  /** Being written, so they still count as waiting. */
  let underway = 0;

  function giveUp(oldest: Entry<F>): void {
    kept.delete(oldest);
    characters -= sizeOf(oldest);
    lost++;
    log.error(logFields(oldest), 'a closed record is lost: too many records wait for the disk');
  }

  function keep(entry: Entry<F>): void {
    if (closed) return log.error(logFields(entry), 'a closed record is lost: it could not be written');
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
      // `save` keeps what failed and reports it.
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

/** Whether records reach the disk. */
export interface ActivityState {
  log: 'ok' | 'unavailable';
  since?: string;
  reason?: string;
  /** Closed records that wait until the log can be written. */
  waiting: number;
  /** Closed records that were dropped because too many waited. */
  lost: number;
  /** The log was behind its checkpoints at the start, and nobody has accepted that. */
  rollback?: ActivityRollback;
  /** Where checkpoints are sent. */
  witnesses?: WitnessState[];
  /** What is over the limits of the log and stays, because changes are kept for a while. */
  over_limit?: OverLimit;
}

export function activityState(
  db: Pick<AnyDatabase, 'health'>,
  unsaved: { waiting: number; lost: number },
  over: OverLimit | undefined,
): ActivityState {
  const health = db.health();
  const state: ActivityState = health.ok
    ? { log: 'ok', ...unsaved }
    : {
        log: 'unavailable',
        since: new Date(health.since).toISOString(),
        reason: health.reason,
        ...unsaved,
      };
  if (over) state.over_limit = over;
  return state;
}
