import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

interface Seen {
  version: number;
  /** From then on the row lets nothing pass anyway. Null: never. */
  until: number | null;
}

/** The newest version of each changed row that this proxy has seen, also before a restart: an older one was put back by somebody else. */
export interface SeenVersions {
  /** 0 where the row has not changed since it was made. */
  newest: (table: string, row: string) => number;
  note: (table: string, row: string, seen: Seen) => void;
  close: () => void;
}

const NAME = 'row-versions.log';
const MAX_ROWS = 200_000;
/** The file is rewritten when it has this many lines more than there are rows. */
const MAX_SPARE_LINES = 20_000;
/** For clocks that differ. */
const KEPT_LONGER_MS = 86_400_000;

/** In memory alone, for a database that lives no longer than the process. */
export function createSeenVersions(append: (line: string) => void = () => {}): SeenVersions & {
  load(text: string, now: number): void;
  text(): string;
} {
  const rows = new Map<string, Seen>();

  function keep(key: string, seen: Seen): boolean {
    if ((rows.get(key)?.version ?? 0) >= seen.version) return false;
    rows.delete(key);
    rows.set(key, seen);
    if (rows.size > MAX_ROWS) rows.delete(rows.keys().next().value!);
    return true;
  }

  return {
    newest: (table, row) => rows.get(keyOf(table, row))?.version ?? 0,
    note(table, row, seen) {
      const key = keyOf(table, row);
      if (keep(key, seen)) append(lineOf(key, seen));
    },
    load(text, now) {
      for (const line of text.split('\n')) {
        const read = parseLine(line);
        if (read) keep(...read);
      }
      for (const [key, { until }] of rows)
        if (until !== null && until + KEPT_LONGER_MS < now) rows.delete(key);
    },
    text: () => [...rows].map(([key, seen]) => lineOf(key, seen)).join(''),
    close() {},
  };
}

/** Kept in a file of the data directory, which somebody who can only write the database cannot reach. */
export function openSeenVersions(dataDir: string, now: number): SeenVersions {
  const file = join(dataDir, NAME);
  let lines = 0;
  let handle: number | undefined;
  const seen = createSeenVersions((line) => {
    handle ??= openSync(file, 'a', 0o600);
    writeSync(handle, line);
    if (++lines > MAX_SPARE_LINES) rewrite();
  });

  function rewrite(): void {
    close();
    writeFileSync(`${file}.new`, seen.text(), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    lines = 0;
  }

  function close(): void {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
  }

  if (existsSync(file)) {
    seen.load(readFileSync(file, 'utf8'), now);
    rewrite();
  }
  return { newest: seen.newest, note: seen.note, close };
}

function keyOf(table: string, row: string): string {
  return JSON.stringify([table, row]);
}

function lineOf(key: string, { version, until }: Seen): string {
  return `${version} ${until ?? '-'} ${key}\n`;
}

/** A line that was cut off by a crash is left out: its row was not used yet. */
function parseLine(line: string): [string, Seen] | undefined {
  const parts = /^(\d+) (-|\d+) (\[".*"\])$/.exec(line);
  if (!parts) return undefined;
  return [parts[3]!, { version: Number(parts[1]), until: parts[2] === '-' ? null : Number(parts[2]) }];
}
