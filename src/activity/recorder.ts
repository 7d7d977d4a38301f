import type { Sqlite } from '../db/sqlite.ts';
import type { ActivityMetadata, ActivitySource, ActivityStatus, ActivityType } from '../contract/activity.ts';
import type { Config } from '../contract/config.ts';
import type { OperationType } from '../contract/operation.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import type { Chain } from './chain.ts';
import type { Counts } from './counts.ts';
import { closeEntry, metadataText, namesKnown, openEntry, type Entry } from './entry.ts';
import type { Facet, Facets } from './facets.ts';
import { rowValues } from './row.ts';
import type { Sequence } from './sequence.ts';
import { createUnsaved } from './unsaved.ts';

/** What is known when a record is opened. */
export interface RecordDraft {
  type: ActivityType;
  source: ActivitySource;
  server_name?: string;
  tool_name?: string;
  arguments?: unknown;
  request_id: string;
  session_id?: string;
  conversation_id?: string;
  client?: string;
  operation_type?: OperationType;
  metadata: ActivityMetadata;
}

/** How it ended. Metadata is merged into that of the draft. */
export interface Outcome {
  status: ActivityStatus;
  response?: unknown;
  error_code?: string;
  error_message?: string;
  metadata?: ActivityMetadata;
}

export interface OpenRecord {
  readonly id: string;
  /** Resolves once the opened record is on disk; rejects with AUDIT_UNAVAILABLE. */
  durable(): Promise<void>;
  /** Closes the record, once; resolves when that is on disk. Further calls do nothing. */
  close(outcome: Outcome): Promise<void>;
}

export interface RecorderParts {
  db: Database;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  sequence: Sequence;
  /** Whether the words of this record have been indexed already, so that a change must be indexed anew. */
  isIndexed: (seq: number) => boolean;
  settings: () => Config['activity'];
  events: EventBus;
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
  const { db, facets, counts, chain, sequence, settings, events, clock } = parts;
  const { write, committed, rolledBack } = createWriter(parts);
  const unsaved = createUnsaved({ db, log: parts.log, write });
  const saveSkew = skewSaver(db.sqlite, sequence);

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
      committed((entry, facet) => {
        entry.onDisk = facet;
        if (entry.closed)
          events.emit('activity', {
            id: entry.row.id,
            type: entry.key.type,
            status: entry.key.status,
            phase: 'closed',
          });
      });
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
      const now = clock.now();
      const entry = openEntry(draft, sequence.next(now), now);
      events.emit('activity', { id: entry.row.id, type: draft.type, status: 'pending', phase: 'opened' });
      return openRecord(entry, { db, write, settings, failed: (each) => unsaved.keep(each) });
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

type Write = (entry: Entry) => void;

function openRecord(
  entry: Entry,
  {
    db,
    write,
    settings,
    failed,
  }: { db: Database; write: Write; failed: Write; settings: () => Config['activity'] },
): OpenRecord {
  const op = {
    run: () => write(entry),
    failed() {
      entry.queued = false;
      entry.uncertain = true;
      if (entry.closed) failed(entry);
    },
  };
  let saved = enqueue('soon');
  let inserted = saved;

  function enqueue(urgency: 'now' | 'soon'): Promise<void> {
    entry.queued = true;
    return db.writes.add(op, urgency);
  }

  return {
    id: entry.row.id,
    durable() {
      if (entry.onDisk) return Promise.resolve();
      if (entry.queued) db.writes.hurry();
      // The first attempt failed with nobody waiting for it: this is the second.
      else inserted = saved = enqueue('now');
      return inserted;
    },
    close(outcome) {
      if (entry.closed) return saved;
      closeEntry(entry, outcome, settings().max_response_bytes);
      // Still in the queue: the open record and its end become one insert.
      if (entry.queued) db.writes.hurry();
      else saved = enqueue('now');
      return saved;
    },
  };
}

/** Writes what is known of an entry now: inserts it, or updates the row that is there. */
function createWriter({ db, facets, counts, chain, isIndexed }: RecorderParts): {
  write: Write;
  /** Each entry that the transaction wrote, with the facet it now has on disk. */
  committed: (each: (entry: Entry, facet: Facet) => void) => void;
  rolledBack: () => void;
} {
  const { insert, update, reindex, find } = statements(db.sqlite);
  const written = new Map<Entry, Facet>();

  /** True where an attempt that seemed to fail did reach the disk with all that is known. */
  function isThere(entry: Entry): boolean {
    entry.uncertain = false;
    const row = find.get(entry.row.seq, entry.row.id) as { facet_id: number } | undefined;
    entry.onDisk = (row && facets.get(row.facet_id)) ?? null;
    return entry.onDisk?.status === entry.key.status;
  }

  function write(entry: Entry): void {
    const { row, key } = entry;
    entry.queued = false;
    if (entry.uncertain && isThere(entry)) return void written.set(entry, entry.onDisk!);
    const facet = facets.of(key, namesKnown(entry));
    facets.store(facet);
    row.facet_id = facet.id;
    row.server_name = facet.unlisted ? key.server_name : null;
    row.tool_name = facet.unlisted ? key.tool_name : null;
    row.metadata = metadataText(entry.metadata);
    const before = entry.onDisk;
    if (before === null) insert.run(...rowValues(row));
    else if (updateRow(row) === 0) return void written.set(entry, facet); // retention has taken it
    written.set(entry, facet);
    counts.move(row.seq, before, facet);
    // Late, or changed: the index has gone past it.
    if (isIndexed(row.seq)) reindex.run(row.seq);
    chain.append(entry.closed ? 'closed' : 'opened', row, facet);
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
      for (const [entry, facet] of written) each(entry, facet);
      written.clear();
    },
    rolledBack: () => written.clear(),
  };
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
