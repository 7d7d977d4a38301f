import type { Config } from '../../contract/config.ts';
import type { Sqlite, SqliteDatabase, WriteOp } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Chain } from '../chain/chain.ts';
import type { RecordKind } from '../chain/hash-chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facet, Facets } from '../counts/facets.ts';
import type { Marker } from '../mask/mask-text.ts';
import {
  type Entry,
  type EntryQueue,
  type LogMeter,
  fillRow,
  logFields,
  areNamesKnown,
  openEntry,
  openRecord,
} from './entry.ts';
import type { OpenRecord, RecordDraft } from './record.ts';
import type { HeldRecords } from './held-records.ts';
import { rowValues } from './row.ts';
import type { Sequence } from './sequence.ts';
import { createUnsaved } from './unsaved.ts';

export interface RecorderParts {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  sequence: Sequence;
  /** Whether this record is in the text index, so that a change must be indexed again. */
  isIndexed: (seq: number) => boolean;
  settings: () => Config['activity'];
  marker: Marker;
  clock: Clock;
  log: Log;
  meter?: LogMeter | undefined;
  held: HeldRecords<Facet>;
  /** Records were appended again that the database had lost. */
  restored: (records: number) => void;
  policyVersion?: (() => string) | undefined;
}

export interface Recorder {
  open(draft: RecordDraft): OpenRecord;
  /** Closed records that wait to be written, and how many were dropped. */
  unsaved(): { waiting: number; lost: number };
  /** Stops retrying. */
  close(): void;
}

export function createRecorder(parts: RecorderParts): Recorder {
  const { db, facets, counts, chain, sequence, settings, held } = parts;
  const { write, committed, rolledBack } = createWriter(parts);
  const unsaved = createUnsaved({
    log: parts.log,
    save: (entry, failed) => db.writes.add({ run: () => attempt(entry, failed), failed }),
  });
  const saveSkew = skewSaver(db.sqlite, sequence);

  /** An entry that cannot be written must not make its whole group fail again and again. */
  function attempt(entry: Entry, failed: () => void): void {
    try {
      write(entry);
    } catch (error) {
      parts.log.warn({ ...logFields(entry), err: error }, 'a closed record still cannot be written');
      failed();
    }
  }

  const queue: EntryQueue<WriteOp> = {
    opOf: (entry) => ({
      run: () => write(entry),
      failed() {
        entry.queued = false;
        entry.uncertain = true;
        if (entry.closed) unsaved.keep(entry);
      },
    }),
    writes: db.writes,
  };
  const opening = { queue, settings };

  /** The database has lost what it had acknowledged: what is still here is written again, where it is missing. */
  function writeAgain(): void {
    for (const entry of held.all()) {
      entry.wentBack = true;
      entry.uncertain = true;
      const failed = () => {
        entry.uncertain = true;
        if (entry.closed) unsaved.keep(entry);
      };
      // One that waits in the queue anyway is not written a second time.
      const run = () => void (entry.queued || write(entry));
      // Where this fails, the record is kept with the others that wait for the disk.
      void db.writes.add({ run, failed }).catch(() => {});
    }
  }

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
      let restored = 0;
      committed((entry, facet, isRestored) => {
        entry.onDisk = facet;
        entry.wentBack = false;
        if (isRestored) restored++;
        held.stored(entry, entry.closed);
      });
      if (restored > 0) parts.restored(restored);
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
      if (chain.reopened()) writeAgain();
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

/** Time filters need the largest clock skew, also after a restart. */
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

type Write = (entry: Entry) => void;

export interface WriterParts {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  isIndexed: (seq: number) => boolean;
}

/** Inserts an entry, or updates its row. */
export function createWriter({ db, facets, counts, chain, isIndexed }: WriterParts): {
  write: Write;
  /** Visits each entry that the transaction wrote, with its stored facet. */
  committed: (each: (entry: Entry, facet: Facet, isRestored: boolean) => void) => void;
  rolledBack: () => void;
} {
  const { insert, update, reindex, find } = statements(db.sqlite);
  const written: Array<{ entry: Entry; facet: Facet; isRestored: boolean }> = [];

  /** True if a write that seemed to fail did reach the disk completely. */
  function isThere(entry: Entry): boolean {
    entry.uncertain = false;
    const row = find.get(entry.row.seq, entry.row.id) as { facet_id: number } | undefined;
    entry.onDisk = (row && facets.get(row.facet_id)) ?? null;
    return entry.onDisk?.status === entry.key.status;
  }

  function write(entry: Entry): void {
    const { row, key } = entry;
    entry.queued = false;
    if (entry.uncertain && isThere(entry))
      return void written.push({ entry, facet: entry.onDisk!, isRestored: false });
    const facet = facets.of(key, areNamesKnown(entry));
    facets.store(facet);
    fillRow(entry, facet);
    const before = entry.onDisk;
    if (before === null) insert.put(...rowValues(row));
    else if (updateRow(row) === 0) return void written.push({ entry, facet, isRestored: false }); // retention has removed it
    const isRestored = entry.wentBack && entry.closed;
    written.push({ entry, facet, isRestored });
    counts.move(row, before, facet);
    // Late or changed: the index has passed it already.
    if (isIndexed(row.seq)) reindex.put(row.seq);
    chain.append(kindOf(entry), row, facet);
  }

  function updateRow(row: Entry['row']): number {
    const { changes } = update.run(
      row.facet_id,
      row.server_name,
      row.tool_name,
      row.duration_ms,
      row.error_code,
      row.error_message,
      row.response_truncated,
      row.metadata,
      row.response,
      row.seq,
    );
    return changes;
  }

  return {
    write,
    committed(each) {
      for (const { entry, facet, isRestored } of written) each(entry, facet, isRestored);
      written.length = 0;
    },
    rolledBack: () => void (written.length = 0),
  };
}

function kindOf({ closed, wentBack }: Entry): RecordKind {
  if (!closed) return 'opened';
  return wentBack ? 'restored' : 'closed';
}

function statements(sqlite: Sqlite) {
  return {
    insert: sqlite.prepare(
      'INSERT INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    update: sqlite.prepare(`
      UPDATE activity SET facet_id = ?, server_name = ?, tool_name = ?, duration_ms = ?, error_code = ?, error_message = ?,
        response_truncated = ?, metadata = ?, response = ? WHERE seq = ? AND salt IS NOT NULL`),
    reindex: sqlite.prepare('INSERT OR IGNORE INTO activity_reindex VALUES (?)'),
    find: sqlite.prepare('SELECT facet_id FROM activity WHERE seq = ? AND id = ?'),
  };
}
