import { appendFile, chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogRow } from '../../verify/verification.ts';

const FILE = 'known-writers.log';

export interface KnownWriters {
  /** Notes those that are new. */
  pin(logs: readonly LogRow[]): Promise<void>;
  /** All that are known. Those that are new are remembered from now on, but nothing is written. */
  pinnedKeys(logs: readonly LogRow[]): Promise<Map<string, string>>;
}

/**
 * The keys of the other proxies, stored in the data directory when their logs are first seen. This detects a later replacement of a log
 * together with its key in the database.
 */
export function createKnownWriters(dir: string): KnownWriters {
  const file = join(dir, FILE);
  let last: Promise<unknown> = Promise.resolve();
  const seen = new Map<string, string>();

  async function append(logs: readonly LogRow[]): Promise<void> {
    const known = await read(file);
    const fresh = logs.filter((log) => !known.has(log.log_id));
    if (fresh.length === 0) return;
    const lines = fresh.map(({ log_id: log, public_key: key }) => `${JSON.stringify({ log, key })}\n`);
    await appendFile(file, lines.join(''), { mode: 0o600 });
    await chmod(file, 0o600);
  }

  return {
    pin(logs) {
      const pinned = last.then(() => append(logs));
      // `pinned` reports the error; the next one must not fail for it.
      last = pinned.catch(() => {});
      return pinned;
    },
    async pinnedKeys(logs) {
      await last;
      for (const [log, key] of await read(file)) seen.set(log, key);
      for (const { log_id: log, public_key: key } of logs) if (!seen.has(log)) seen.set(log, key);
      return seen;
    },
  };
}

async function read(file: string): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  for (const line of text.split('\n')) {
    const pin = parse(line);
    // The first word on a log counts.
    if (pin && !known.has(pin.log)) known.set(pin.log, pin.key);
  }
  return known;
}

/** A line that was cut by a crash is left out, and written again. */
function parse(line: string): { log: string; key: string } | null {
  try {
    const { log, key } = JSON.parse(line) as { log?: unknown; key?: unknown };
    return typeof log === 'string' && typeof key === 'string' ? { log, key } : null;
  } catch {
    return null;
  }
}
