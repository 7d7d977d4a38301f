import type { AnyDatabase } from '../../db/index.ts';

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

export function stateOf(
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
