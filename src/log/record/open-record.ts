import type { Config } from '../../contract/config.ts';
import type { Urgency } from '../../db/index.ts';
import { closeEntry, type Entry, type StoredFacet } from './entry.ts';
import type { Facet } from '../counts/facets.ts';
import type { OpenRecord } from './record.ts';

/** Where an entry waits for its group to be committed. */
export interface EntryQueue<F extends StoredFacet = Facet> {
  /** What is known of the entry when its turn comes is written; the promise settles with the commit. */
  add(entry: Entry<F>, urgency: Urgency): Promise<void>;
  /** What is queued now is committed without further delay. */
  hurry(): void;
}

export function openRecord<F extends StoredFacet>(
  entry: Entry<F>,
  { queue, settings }: { queue: EntryQueue<F>; settings: () => Config['activity'] },
): OpenRecord {
  let saved = enqueue('soon');
  let inserted = saved;

  function enqueue(urgency: Urgency): Promise<void> {
    entry.queued = true;
    return queue.add(entry, urgency);
  }

  return {
    id: entry.row.id,
    durable() {
      if (entry.onDisk) return Promise.resolve();
      if (entry.queued) queue.hurry();
      // The first attempt failed with nobody waiting for it: this is the second.
      else inserted = saved = enqueue('now');
      return inserted;
    },
    close(outcome) {
      if (entry.closed) return saved;
      closeEntry(entry, outcome, settings().max_response_bytes);
      // Still in the queue: the open record and its end become one insert.
      if (entry.queued) queue.hurry();
      else saved = enqueue('now');
      return saved;
    },
  };
}
