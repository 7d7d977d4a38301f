import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createFacets } from '../src/log/counts/facets.ts';
import { type ActivityRow, COLUMNS } from '../src/log/record/row.ts';
import { indexText } from '../src/log/query/text-marks.ts';
import type { SqliteDatabase } from '../src/db/sqlite/database.ts';

/**
 * What SQLite alone does with the same data: the same settings, one transaction for all writers, prepared statements, nothing computed.
 * Each kind holds what the one before it holds, and more.
 */
export const RAW_KINDS = {
  small: 'one row of 600 bytes',
  rows: 'the same rows',
  indexed: '+ index',
  searchable: '+ words',
} as const;
export type RawKind = keyof typeof RAW_KINDS;

export interface RawWriter {
  /** One transaction with a record of each writer. */
  commit(writers: number): void;
  close(): void;
}

/** What the log has stored of one record. */
export interface Sample {
  row: ActivityRow;
  entry: string;
  hash: string;
  words: string;
}

export function sampleOf({ sqlite }: SqliteDatabase): Sample {
  const row = sqlite.prepare('SELECT * FROM activity ORDER BY seq DESC LIMIT 1').get() as ActivityRow;
  const { entry, hash } = sqlite
    .prepare('SELECT entry, hash FROM activity_journal WHERE seq IS NOT NULL ORDER BY pos DESC LIMIT 1')
    .get() as { entry: string; hash: string };
  return { row, entry, hash, words: indexText(row, createFacets(sqlite).get(row.facet_id)!) };
}

/** As many documents as the log indexes at once. */
const WORDS_AT_ONCE = 500;

export function openRaw(dir: string, kind: RawKind, sample: Sample): RawWriter {
  const sqlite = new DatabaseSync(join(dir, `raw-${kind}.db`));
  sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000;
    PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY`);
  const insert = kind === 'small' ? smallRows(sqlite) : sameRows(sqlite, sample, kind !== 'rows');
  const index = kind === 'searchable' ? indexer(sqlite, sample.words) : () => {};
  const [begin, commit] = [sqlite.prepare('BEGIN IMMEDIATE'), sqlite.prepare('COMMIT')];
  let waiting = 0;
  return {
    commit(writers) {
      begin.run();
      for (let i = 0; i < writers; i++) insert();
      if ((waiting += writers) >= WORDS_AT_ONCE) {
        index(waiting);
        waiting = 0;
      }
      commit.run();
    },
    close: () => sqlite.close(),
  };
}

type Connection = InstanceType<typeof DatabaseSync>;

function smallRows(sqlite: Connection): () => void {
  sqlite.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)');
  const insert = sqlite.prepare('INSERT INTO t (body) VALUES (?)');
  const body = 'x'.repeat(600);
  return () => void insert.get(body);
}

/** The record and its entry of the chain, with new numbers each time. */
function sameRows(sqlite: Connection, { row, entry, hash }: Sample, indexed: boolean): () => void {
  sqlite.exec(`CREATE TABLE activity (seq INTEGER PRIMARY KEY, ${COLUMNS.slice(1).join()});
    CREATE TABLE activity_journal (pos INTEGER PRIMARY KEY, seq INTEGER, entry TEXT, hash TEXT)`);
  if (indexed) sqlite.exec('CREATE INDEX activity_by_facet ON activity (facet_id)');
  const record = sqlite.prepare(`INSERT INTO activity VALUES (${COLUMNS.map(() => '?').join()})`);
  const link = sqlite.prepare('INSERT INTO activity_journal VALUES (?, ?, ?, ?)');
  const values = COLUMNS.map((name) => row[name]);
  let n = 0;
  return () => {
    n++;
    values[0] = row.seq + n;
    values[1] = n % 16;
    record.get(...values);
    link.get(n, row.seq + n, entry, hash);
  };
}

function indexer(sqlite: Connection, words: string): (documents: number) => void {
  sqlite.exec(`CREATE VIRTUAL TABLE activity_text USING fts5 (words, content = '', contentless_delete = 1, detail = none,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'")`);
  const insert = sqlite.prepare('INSERT INTO activity_text (rowid, words) VALUES (?, ?)');
  let n = 0;
  return (documents) => {
    for (let i = 0; i < documents; i++) insert.get(++n, `${words} r${n}`);
  };
}
