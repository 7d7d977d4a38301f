import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { presentName } from './sealed-columns.ts';

/** The version of a row that was stored: table, name, version, and until when it matters. */
export type ToldVersion = [table: string, row: string, version: number, until: number | null];

interface Seen {
  version: number;
  /** From then on the row lets nothing pass anyway. Null: never. */
  until: number | null;
  /** The operator has restored an earlier database since. */
  isBeforeRestore?: boolean;
}

/** The newest version of each changed row that this proxy has seen, also before a restart: an older one was put back by somebody else. */
export interface SeenVersions {
  /** 0 where the row has not changed since it was made. */
  newest: (table: string, row: string) => number;
  /** The rows of a table of which a version was noted. */
  rowsOf: (table: string) => string[];
  note: (table: string, row: string, seen: Seen) => void;
  /** What other proxies should know too: not which rows exist, as each database has others. */
  all: () => ToldVersion[];
  /** Whether this row was seen last before the operator restored an earlier database, which may lack it or have an older version. */
  isBeforeRestore: (table: string, row: string) => boolean;
  /** The operator has restored an earlier database. The versions stay: what was revoked or made stricter does not come back. */
  markRestored: () => void;
  /** What was noted is on disk. */
  sync: () => void;
  close: () => void;
}

const NAME = 'row-versions.log';
/** After so many added lines the file is written again, without versions that no longer matter. */
const MAX_ADDED_LINES = 20_000;
/** For clocks that differ. */
const KEPT_LONGER_MS = 86_400_000;

/**
 * In memory alone, for a database that lives no longer than the process. A version is dropped only when its row lets nothing pass any more,
 * however many there are; the limits of pending approvals, tokens and known tools bound their number.
 */
export function createSeenVersions(append: (line: string) => void = () => {}): SeenVersions & {
  load(text: string): void;
  /** Everything that still matters, as lines; the rest is dropped. */
  text(now: number): string;
} {
  const rows = new Map<string, Seen>();

  function keep(key: string, seen: Seen): boolean {
    const before = rows.get(key);
    const isNewer = (before?.version ?? 0) < seen.version;
    const isSeenAgain = before?.version === seen.version && before.isBeforeRestore === true;
    if (!isNewer && !isSeenAgain) return false;
    rows.set(key, seen);
    return true;
  }

  return {
    newest: (table, row) => rows.get(keyOf(table, row))?.version ?? 0,
    rowsOf: (table) =>
      [...rows.keys()].flatMap((key) => {
        const [of, row] = JSON.parse(key) as [string, string];
        return of === table ? [row] : [];
      }),
    note(table, row, seen) {
      const key = keyOf(table, row);
      if (keep(key, seen)) append(lineOf(key, seen));
    },
    all: () =>
      [...rows].flatMap(([key, { version, until }]): ToldVersion[] => {
        const [table, row] = JSON.parse(key) as [string, string];
        return version > 1 ? [[table, row, version, until]] : [];
      }),
    isBeforeRestore: (table, row) => rows.get(keyOf(table, row))?.isBeforeRestore === true,
    markRestored() {
      for (const [key, seen] of rows) rows.set(key, { ...seen, isBeforeRestore: true });
    },
    load(text) {
      for (const line of text.split('\n')) {
        const read = parseLine(line);
        if (read) keep(...read);
      }
    },
    text(now) {
      for (const [key, { until }] of rows)
        if (until !== null && until + KEPT_LONGER_MS < now) rows.delete(key);
      return [...rows].map(([key, seen]) => lineOf(key, seen)).join('');
    },
    sync() {},
    close() {},
  };
}

/** Kept in a file of the data directory, which somebody who can only write the database cannot reach. */
export function openSeenVersions(dataDir: string, now: () => number): SeenVersions {
  const file = join(dataDir, NAME);
  let lines = 0;
  let handle: number | undefined;
  const seen = createSeenVersions((line) => {
    handle ??= openSync(file, 'a', 0o600);
    writeSync(handle, line);
    if (++lines > MAX_ADDED_LINES) rewrite();
  });

  function rewrite(): void {
    close();
    writeFileSync(`${file}.new`, seen.text(now()), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    lines = 0;
  }

  function close(): void {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
  }

  if (existsSync(file)) {
    seen.load(readFileSync(file, 'utf8'));
    rewrite();
  }
  return {
    newest: seen.newest,
    rowsOf: seen.rowsOf,
    note: seen.note,
    all: seen.all,
    isBeforeRestore: seen.isBeforeRestore,
    markRestored() {
      seen.markRestored();
      rewrite();
    },
    sync() {
      if (handle !== undefined) fsyncSync(handle);
    },
    close,
  };
}

/** `db restore` calls it while no proxy uses the data directory. */
export function markRowsRestored(dataDir: string, now: () => number): void {
  const seen = openSeenVersions(dataDir, now);
  seen.markRestored();
  seen.close();
}

function keyOf(table: string, row: string): string {
  return JSON.stringify([table, row]);
}

function lineOf(key: string, { version, until, isBeforeRestore = false }: Seen): string {
  return `${version}${isBeforeRestore ? 'r' : ''} ${until ?? '-'} ${key}\n`;
}

/** A line that was cut off by a crash is left out: its row was not used yet. */
function parseLine(line: string): [string, Seen] | undefined {
  const parts = /^(\d+)(r?) (-|\d+) (\[".*"\])$/.exec(line);
  if (!parts) return undefined;
  const seen: Seen = { version: Number(parts[1]), until: parts[3] === '-' ? null : Number(parts[3]) };
  const [table, row] = JSON.parse(parts[4]!) as [string, string];
  const name = presentName(table, row);
  if (name === undefined) return undefined;
  return [keyOf(table, name), parts[2] === 'r' ? { ...seen, isBeforeRestore: true } : seen];
}
