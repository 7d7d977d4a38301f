import { statSync } from 'node:fs';
import { DatabaseSync, backup } from '@photostructure/sqlite';

export interface CopyWatch {
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
}

/** Pages per step: 4 MB. */
const STEP = 1024;

/**
 * Copies a database page by page while another process writes to it. All pages are those of one read transaction, which begins before the
 * first page is read. Until it ends, the write-ahead log of the database cannot be shortened.
 */
export async function copySqlite(from: string, to: string, { onProgress, signal }: CopyWatch): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5000 });
  try {
    // The transaction begins with its first read. A prepared statement would keep the connection open after its end.
    source.exec('BEGIN; SELECT count(*) FROM sqlite_master');
    await backup(source, to, {
      rate: STEP,
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted();
        onProgress(totalPages - remainingPages, totalPages);
      },
    });
    signal.throwIfAborted();
  } finally {
    if (source.isTransaction) source.exec('ROLLBACK');
    source.close();
  }
  // Without a write-ahead log beside it.
  const copy = new DatabaseSync(to);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/** Moves the write-ahead log into the database, so that the one file contains everything. False if the database is damaged or in use. */
export function foldWal(file: string): boolean {
  try {
    const sqlite = new DatabaseSync(file, { timeout: 1000 });
    try {
      sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      sqlite.close();
    }
    return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  } catch {
    return false;
  }
}
