import type { Sqlite, SqliteDatabase } from '../../db/index.ts';
import type { RecordFilter } from '../../contract/activity.ts';
import type { Log } from '../../lib/log.ts';
import type { Facets } from '../counts/facets.ts';
import { expression, indexText, type SearchRow } from './text-marks.ts';

/**
 * Full-text index of the records, filled in the background: in batches, when the log is idle or too many records wait. Records that
 * are not indexed yet are searched one by one.
 */
export interface TextIndex {
  /** Everything up to this sequence number is indexed, or is queued to be indexed again. */
  indexedTo(): number;
  /** The index query for words and for the other filters that the index supports. */
  expression(filter: RecordFilter, words: Iterable<string>, unlisted: boolean): string;
  /** Indexes until at most this many records are not indexed. */
  catchUp(left: number): Promise<void>;
  /** Pauses indexing meanwhile: a record that moves into the index would be missed or counted twice. */
  whilePaused<T>(read: () => Promise<T>): Promise<T>;
  /** Called after each append: indexing starts when the log is idle. */
  schedule(): void;
  close(): void;
}

const BATCH = 500;
/** Limits the time that one batch blocks the event loop to some milliseconds. */
const BATCH_CHARACTERS = 60_000;
const PAUSE_MS = 300;
const MAX_BEHIND = 20_000;
/** After a batch, indexing rests for this many times the duration of the batch. */
const SHARE_OF_OTHERS = 3;

/** How long a batch waits for readers, and the polling interval. */
const MAX_STILL_MS = 2000;
const STILL_MS = 10;

const now = () => performance.now();
const rest = (tookMs: number) => new Promise((resolve) => setTimeout(resolve, SHARE_OF_OTHERS * tookMs));

/** Without the response, and only the indexed part of the arguments. */
const COLUMNS = `seq, facet_id, server_name, tool_name, session_id, request_id, conversation_id, error_code, error_message, metadata,
  substr(arguments, 1, 262144), client`;
export function createTextIndex({
  db,
  facets,
  log,
}: {
  db: Pick<SqliteDatabase, 'sqlite' | 'write'>;
  facets: Facets;
  log: Log;
}): TextIndex {
  const sql = prepare(db.sqlite);
  let indexedTo = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
  let behind = 0;
  let timer: NodeJS.Timeout | undefined;
  /** A record was appended since the timer was set. */
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
    // Read again, because two runs may share a transaction.
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

  /** Waits a limited time, so that readers cannot block indexing. */
  async function waitForReaders(): Promise<void> {
    for (const until = now() + MAX_STILL_MS; readers.n > 0 && now() < until && !ended.yes;)
      await new Promise((resolve) => setTimeout(resolve, STILL_MS));
  }

  /** True if more records wait. */
  async function step(): Promise<boolean> {
    await waitForReaders();
    if (ended.yes) return false;
    writing = db.write(() => indexSome(BATCH));
    const { count, more } = await writing;
    indexedTo = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
    behind = Math.max(0, behind - count);
    return more;
  }

  /** The timer is not reset with each append, because that would cost too much. */
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
      log.warn(
        { err: error },
        'records could not be indexed; they are searched one by one until indexing works',
      );
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
        // The writer reports its error; a reader only waits for its end.
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

/** Reading rows as arrays takes half the time of reading objects. */
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
