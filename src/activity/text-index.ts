import type { Sqlite } from '../db/sqlite.ts';
import type { ActivityFilter } from '../contract/activity.ts';
import type { SqliteDatabase } from '../db/sqlite-database.ts';
import type { Log } from '../lib/log.ts';
import { namesOf, type Facet, type Facets } from './facets.ts';
import type { ActivityRow } from './row.ts';
import { wordsOf } from './words.ts';
import { shownStatus } from './stored-status.ts';

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
  /** To be called after appends: indexing waits for a pause. */
  nudge(): void;
  close(): void;
}

const BATCH = 500;
const PAUSE_MS = 300;
const MAX_BEHIND = 20_000;

/** Without the response, and no more of the arguments than is indexed. */
const COLUMNS = `seq, facet_id, server_name, tool_name, session_id, request_id, conversation_id, error_code, error_message, metadata,
  substr(arguments, 1, 262144) AS arguments`;
export type SearchRow = Pick<
  ActivityRow,
  | 'seq'
  | 'facet_id'
  | 'server_name'
  | 'tool_name'
  | 'session_id'
  | 'request_id'
  | 'conversation_id'
  | 'error_code'
  | 'error_message'
  | 'metadata'
  | 'arguments'
>;

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
  let running = false;
  const ended = { yes: false };

  function index(row: SearchRow): void {
    const facet = facets.get(row.facet_id);
    if (facet) sql.insert.run(row.seq, indexText(row, facet));
  }

  function indexSome(limit: number): number {
    for (const { seq } of sql.changed.all(limit) as Array<{ seq: number }>) {
      sql.remove.run(seq);
      sql.done.run(seq);
      const row = sql.one.get(seq) as SearchRow | undefined;
      if (row) index(row);
    }
    let count = 0;
    // Read here and not remembered: two runs may share a transaction.
    let last = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
    for (const row of sql.after.iterate(last, limit) as Iterable<SearchRow>) {
      index(row);
      last = row.seq;
      count++;
    }
    if (count > 0) sql.saveTo.run(last);
    return count;
  }

  /** True while there are more. */
  async function step(): Promise<boolean> {
    if (ended.yes) return false;
    const count = await db.write(() => indexSome(BATCH));
    indexedTo = (sql.indexedTo.get() as { value: number } | undefined)?.value ?? 0;
    behind = Math.max(0, behind - count);
    return count === BATCH;
  }

  async function run(): Promise<void> {
    timer = undefined;
    running = true;
    try {
      while (!ended.yes && (await step())) await new Promise(setImmediate);
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
    nudge() {
      behind++;
      if (ended.yes || running) return;
      if (behind > MAX_BEHIND) {
        clearTimeout(timer);
        void run();
      } else if (timer) timer.refresh();
      else timer = setTimeout(() => void run(), PAUSE_MS).unref();
    },
    close() {
      ended.yes = true;
      clearTimeout(timer);
    },
  };
}

/** What `q` looks at: tool, arguments, reason and error. */
export function searchText(row: SearchRow, facet: Facet): string {
  const tool = facet.unlisted ? row.tool_name : facet.tool_name;
  const reason = (JSON.parse(row.metadata) as { intent?: { reason?: string } }).intent?.reason;
  return `${tool ?? ''} ${reason ?? ''} ${row.error_code ?? ''} ${row.error_message ?? ''} ${row.arguments ?? ''}`;
}

function indexText(row: SearchRow, facet: Facet): string {
  const server = facet.unlisted ? row.server_name : facet.server_name;
  const tool = facet.unlisted ? row.tool_name : facet.tool_name;
  const all = marksOf({
    type: facet.type,
    status: shownStatus(facet.status),
    intent_type: facet.operation_type,
    server,
    tool,
    session_id: row.session_id,
    request_id: row.request_id,
    conversation_id: row.conversation_id,
  });
  if (facet.unlisted) all.push(UNLISTED);
  return [...all, ...wordsOf(searchText(row, facet))].join(' ');
}

/** `unlisted`: only records that keep their names themselves. */
function expression(filter: ActivityFilter, words: Iterable<string>, unlisted: boolean): string {
  const { server: _server, tool: _tool, ...others } = filter;
  const terms = [...words, ...marksOf(others), ...(unlisted ? [UNLISTED] : [])].map((word) => `"${word}"`);
  if (filter.server !== undefined || filter.tool !== undefined) {
    const choices = namesOf(filter).map((names) => marksOf(names).map((text) => `"${text}"`));
    terms.push(`(${choices.map((all) => `(${all.join(' AND ')})`).join(' OR ')})`);
  }
  return terms.join(' AND ');
}

const LETTER = {
  type: 'y',
  status: 's',
  intent_type: 'o',
  server: 'v',
  tool: 't',
  session_id: 'x',
  request_id: 'r',
  conversation_id: 'c',
} as const;
const MARKED = Object.keys(LETTER) as Array<keyof typeof LETTER>;
const UNLISTED = '\ue000u';

function marksOf(values: { [K in keyof typeof LETTER]?: string | null | undefined }): string[] {
  return MARKED.flatMap((name) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [mark(LETTER[name], value)];
  });
}

/** A word that no text contains, as wordsOf() lets no private-use character through. A hash keeps it short and free of quotes. */
function mark(letter: string, value: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  return `\ue000${letter}${letters(a)}${letters(b)}`;
}

/** 32 bits as text; Number.toString() takes ten times as long. */
function letters(bits: number): string {
  let text = '';
  for (let shift = 0; shift < 32; shift += 4) text += 'abcdefghijklmnop'[(bits >>> shift) & 15]!;
  return text;
}

function prepare(sqlite: Sqlite) {
  return {
    insert: sqlite.prepare('INSERT INTO activity_text (rowid, words) VALUES (?, ?)'),
    remove: sqlite.prepare('DELETE FROM activity_text WHERE rowid = ?'),
    indexedTo: sqlite.prepare(`SELECT value FROM activity_state WHERE key = 'indexed_to'`),
    saveTo: sqlite.prepare(`INSERT OR REPLACE INTO activity_state VALUES ('indexed_to', ?)`),
    after: sqlite.prepare(`SELECT ${COLUMNS} FROM activity WHERE seq > ? ORDER BY seq LIMIT ?`),
    behind: sqlite.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM activity WHERE seq > ? LIMIT ?)'),
    one: sqlite.prepare(`SELECT ${COLUMNS} FROM activity WHERE seq = ?`),
    changed: sqlite.prepare('SELECT seq FROM activity_reindex LIMIT ?'),
    done: sqlite.prepare('DELETE FROM activity_reindex WHERE seq = ?'),
  };
}
