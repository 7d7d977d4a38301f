import type { Sqlite, SqliteDatabase } from '../../db/index.ts';
import type { ActivityFilter } from '../../contract/activity.ts';
import type { Log } from '../../lib/log.ts';
import type { Facets } from '../counts/facets.ts';
import { expression, indexText, type SearchRow } from './text-marks.ts';

/**
 * Full-text index over the records, filled behind the calls: in batches, while nothing else happens or when too much has piled up. What it
 * does not hold yet (`unindexed`) is looked through record by record.
 */
export interface TextIndex {
  /** Everything up to this sequence number is indexed, in its present state or waiting to be indexed anew. */
  indexedTo(): number;
  /** The query for words and, as far as the index knows them, the other filters. */
  expression(filter: ActivityFilter, words: Iterable<string>, unlisted: boolean): string;
  /** Indexes until at most this many records are left. */
  catchUp(left: number): Promise<void>;
  /** Nothing is indexed meanwhile: what moves from the unindexed records to the index would be missed, or counted twice. */
  whilePaused<T>(read: () => Promise<T>): Promise<T>;
  /** To be called after appends: indexing waits for a pause. */
  schedule(): void;
  close(): void;
}

const BATCH = 500;
/** Records may be long, and nobody else has a turn while they are taken apart: some milliseconds. */
const BATCH_CHARACTERS = 60_000;
const PAUSE_MS = 300;
const MAX_BEHIND = 20_000;
/** So many times as long as a batch took everybody else has the loop. */
const SHARE_OF_OTHERS = 3;

/** How long a batch waits for those who are reading, and how often it looks. */
const MAX_STILL_MS = 2000;
const STILL_MS = 10;

const now = () => performance.now();
const rest = (tookMs: number) => new Promise((resolve) => setTimeout(resolve, SHARE_OF_OTHERS * tookMs));

/** Without the response, and no more of the arguments than is indexed. */
const COLUMNS = `seq, facet_id, server_name, tool_name, session_id, request_id, conversation_id, error_code, error_message, metadata,
  substr(arguments, 1, 262144), client`;
export function createTextIndex({
  db,
  facets,
  log,
}: {
  db: SqliteDatabase;
  facets: Facets;
  log: Log;
}): TextIndex {
  const sql = prepare(db.sqlite);
  let indexedTo = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
  let behind = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Something was appended since the timer was set. */
  let busy = false;
  let running = false;
  const ended = { yes: false };
  const readers = { n: 0 };
  let writing: Promise<{ count: number; more: boolean }> | undefined;

  function index(row: SearchRow): void {
    const facet = facets.get(row.facet_id);
    if (facet) sql.insert.put(row.seq, indexText(row, facet));
  }

  function indexSome(limit: number): { count: number; more: boolean } {
    const changed = sql.changed.all(limit) as Array<{ seq: number }>;
    for (const { seq } of changed) {
      sql.remove.put(seq);
      sql.done.put(seq);
      const values = sql.one.get(seq) as unknown as Values | undefined;
      if (values) index(rowOf(values));
    }
    let count = 0;
    // Read here and not remembered: two runs may share a transaction.
    let last = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
    let characters = 0;
    for (const values of sql.after.iterate(last, limit) as Iterable<Values>) {
      const row = rowOf(values);
      index(row);
      last = row.seq;
      count++;
      characters += row.arguments?.length ?? 0;
      if (characters > BATCH_CHARACTERS) break;
    }
    if (count > 0) sql.saveTo.put(last);
    const more = count === limit || changed.length === limit || characters > BATCH_CHARACTERS;
    return { count, more };
  }

  /** Readers that go on for long, or come one after the other, do not keep it from working. */
  async function waitForReaders(): Promise<void> {
    for (const until = now() + MAX_STILL_MS; readers.n > 0 && now() < until && !ended.yes;)
      await new Promise((resolve) => setTimeout(resolve, STILL_MS));
  }

  /** True while there are more. */
  async function step(): Promise<boolean> {
    await waitForReaders();
    if (ended.yes) return false;
    writing = db.write(() => indexSome(BATCH));
    const { count, more } = await writing;
    indexedTo = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
    behind = Math.max(0, behind - count);
    return more;
  }

  /** To set the timer anew with each append would cost more than the append's own part in it. */
  function onPause(): void {
    if (busy) timer?.refresh();
    else void run();
    busy = false;
  }

  async function run(): Promise<void> {
    timer = undefined;
    running = true;
    try {
      for (let began = now(); !ended.yes && (await step()); began = now()) await rest(now() - began);
      behind = 0;
    } catch (error) {
      log.warn({ err: error }, 'records could not be indexed; they are searched one by one until it works');
    } finally {
      running = false;
    }
  }

  return {
    indexedTo: () => indexedTo,
    expression,
    async catchUp(left) {
      const waiting = () => (sql.behind.get(indexedTo, left + 1) as { n: number }).n;
      while (!ended.yes && waiting() > left) await step();
    },
    async whilePaused(read) {
      readers.n++;
      try {
        await writing?.catch(() => {});
        return await read();
      } finally {
        readers.n--;
      }
    },
    schedule() {
      behind++;
      if (ended.yes || running) return;
      if (behind > MAX_BEHIND) {
        clearTimeout(timer);
        void run();
      } else if (timer) busy = true;
      else timer = setTimeout(onPause, PAUSE_MS).unref();
    },
    close() {
      ended.yes = true;
      clearTimeout(timer);
    },
  };
}

/** As arrays they are read in half the time. */
type Values = Array<string | number | null>;

function rowOf(values: Values): SearchRow {
  return {
    seq: values[0] as number,
    facet_id: values[1] as number,
    server_name: values[2] as string | null,
    tool_name: values[3] as string | null,
    session_id: values[4] as string | null,
    request_id: values[5] as string,
    conversation_id: values[6] as string | null,
    error_code: values[7] as string | null,
    error_message: values[8] as string | null,
    metadata: values[9] as string,
    arguments: values[10] as string | null,
    client: values[11] as string | null,
  };
}

function prepare(sqlite: Sqlite) {
  return {
    insert: sqlite.prepare('INSERT INTO activity_text (rowid, words) VALUES (?, ?)'),
    remove: sqlite.prepare('DELETE FROM activity_text WHERE rowid = ?'),
    indexedTo: sqlite.prepare(`SELECT value FROM activity_state WHERE key = 'indexed_to'`),
    saveTo: sqlite.prepare(`INSERT OR REPLACE INTO activity_state VALUES ('indexed_to', ?)`),
    after: sqlite.prepare(`SELECT ${COLUMNS} FROM activity WHERE seq > ? ORDER BY seq LIMIT ?`, {
      returnArrays: true,
    }),
    behind: sqlite.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM activity WHERE seq > ? LIMIT ?)'),
    one: sqlite.prepare(`SELECT ${COLUMNS} FROM activity WHERE seq = ?`, { returnArrays: true }),
    changed: sqlite.prepare('SELECT seq FROM activity_reindex LIMIT ?'),
    done: sqlite.prepare('DELETE FROM activity_reindex WHERE seq = ?'),
  };
}
