import type { Sqlite, SqliteDatabase } from '../../db/index.ts';
import type { Config } from '../../contract/config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Chain } from '../chain/chain.ts';
import type { Counts } from '../counts/counts.ts';
import { lineOf, openEntry, type Entry } from './entry.ts';
import type { Facets } from '../counts/facets.ts';
import { openRecord, type EntryQueue } from './open-record.ts';
import type { Sequence } from './sequence.ts';
import { createUnsaved } from './unsaved.ts';
import { createWriter } from './writer.ts';
import type { RecordDraft, OpenRecord } from './record.ts';

export interface RecorderParts {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  sequence: Sequence;
  /** Whether the words of this record have been indexed already, so that a change must be indexed anew. */
  isIndexed: (seq: number) => boolean;
  settings: () => Config['activity'];
  clock: Clock;
  log: Log;
}

export interface Recorder {
  open(draft: RecordDraft): OpenRecord;
  /** Ends of records that wait for the disk, and how many were given up. */
  unsaved(): { waiting: number; lost: number };
  /** Stops trying to write what could not be written. */
  close(): void;
}

export function createRecorder(parts: RecorderParts): Recorder {
  const { db, facets, counts, chain, sequence, settings } = parts;
  const { write, committed, rolledBack } = createWriter(parts);
  const unsaved = createUnsaved({
    log: parts.log,
    save: (entry, failed) => db.writes.add({ run: () => attempt(entry, failed), failed }, 'soon'),
  });
  const saveSkew = skewSaver(db.sqlite, sequence);

  /** An entry that cannot be written must not take others down with it, time after time. */
  function attempt(entry: Entry, failed: () => void): void {
    try {
      write(entry);
    } catch (error) {
      parts.log.warn({ ...lineOf(entry), err: error }, 'the end of a record still cannot be written');
      failed();
    }
  }

  const queue: EntryQueue = {
    add(entry, urgency) {
      const failed = () => {
        entry.queued = false;
        entry.uncertain = true;
        if (entry.closed) unsaved.keep(entry);
      };
      return db.writes.add({ run: () => write(entry), failed }, urgency);
    },
    hurry: () => db.writes.hurry(),
  };
  const opening = { queue, settings };

  db.onCommit({
    beforeCommit() {
      counts.beforeCommit();
      saveSkew();
      chain.beforeCommit();
    },
    committed() {
      facets.committed();
      counts.committed();
      chain.committed();
      committed((entry, facet) => void (entry.onDisk = facet));
    },
    rolledBack() {
      facets.rolledBack();
      counts.rolledBack();
      chain.rolledBack();
      rolledBack();
    },
    reopened() {
      facets.reopened();
      counts.reopened();
      chain.reopened();
    },
  });

  return {
    open(draft) {
      return openRecord(openEntry(draft, parts), opening);
    },
    unsaved: () => unsaved.state(),
    close: () => unsaved.close(),
  };
}

/** A time filter must know how far the clock has gone back, also after a restart. */
function skewSaver(sqlite: Sqlite, sequence: Sequence): () => void {
  const save = sqlite.prepare(
    `INSERT INTO activity_state VALUES ('max_skew', ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`,
  );
  let saved = 0;
  return () => {
    if (sequence.maxSkew <= saved) return;
    save.run(sequence.maxSkew);
    saved = sequence.maxSkew;
  };
}
