import type { ActivityMetadata } from '../../contract/activity.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { SqliteDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Chain } from './chain.ts';
import type { Facets } from '../counts/facets.ts';
import type { ActivityRow, StoredStatus } from '../record/row.ts';

export interface Redaction {
  /** The principal who redacts. */
  by: string;
  /** Masked. */
  reason?: string | undefined;
}

/** Removes the content of a record (arguments, response, error text, reason) and keeps the fact that it happened. */
export function createRedact(parts: {
  db: SqliteDatabase;
  facets: Facets;
  chain: Chain;
  clock: Clock;
}): (seq: number, redaction: Redaction) => Promise<void> {
  const { db, facets, chain, clock } = parts;
  const find = db.sqlite.prepare('SELECT * FROM activity WHERE seq = ?');
  const save = db.sqlite.prepare(
    'UPDATE activity SET error_message = NULL, metadata = ?, arguments = NULL, response = NULL, salt = NULL WHERE seq = ?',
  );
  const removeWords = db.sqlite.prepare('DELETE FROM activity_text WHERE rowid = ?');
  // Records that are not indexed yet will be indexed in their new state.
  const reindex = db.sqlite.prepare(
    `INSERT OR IGNORE INTO activity_reindex SELECT seq FROM activity
     WHERE seq = ? AND seq <= (SELECT value FROM activity_state WHERE key = 'indexed_to')`,
  );

  return async (seq, { by, reason }) => {
    await db.write((sqlite) => {
      // SQLite overwrites the removed data in the file.
      sqlite.exec('PRAGMA secure_delete = ON');
      try {
        const row = find.get(seq) as ActivityRow | undefined;
        const facet = row && facets.get(row.facet_id);
        if (!row || !facet) throw new ProxyError('NOT_FOUND', 'The record no longer exists');
        const left = redacted(row, facet.status, { by, reason, at: clock.now() });
        save.run(left.metadata, seq);
        removeWords.run(seq);
        reindex.run(seq);
        chain.append('redacted', left, facet);
      } finally {
        sqlite.exec('PRAGMA secure_delete = OFF');
      }
    });
    // The write-ahead log may hold older copies of the page.
    db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  };
}

/** The record without its content; throws if it cannot be redacted. */
export function redacted(
  row: ActivityRow,
  status: StoredStatus,
  { by, reason, at }: Redaction & { at: number },
): ActivityRow {
  if (row.salt === null) throw conflict(row.id, 'was redacted before');
  if (status === 'pending') throw conflict(row.id, 'is still open; redact it once the call has ended');
  const note = { at: new Date(at).toISOString(), by, ...(reason && { reason }) };
  const metadata = JSON.stringify({ ...withoutReason(row.metadata), redacted: note });
  return { ...row, metadata, error_message: null, arguments: null, response: null, salt: null };
}

function withoutReason(text: string): Record<string, unknown> {
  const {
    masked: _masked,
    secrets_sent: _sent,
    secrets_received: _received,
    arguments_truncated: _truncated,
    ...metadata
  } = JSON.parse(text) as ActivityMetadata;
  if (!metadata.intent) return metadata;
  const { reason: _removed, ...intent } = metadata.intent;
  return { ...metadata, intent };
}

function conflict(id: string, why: string): ProxyError {
  return new ProxyError('CONFLICT', `Record ${id} ${why}`, { id });
}
