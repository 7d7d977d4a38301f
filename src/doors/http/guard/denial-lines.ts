import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';

/** Lines per minute about wrong keys: of one address, and of all. */
const PER_ADDRESS = 10;
const IN_ALL = 100;
const MINUTE_MS = 60_000;

export interface DenialLines {
  /** Writes a line about a wrong key, or counts it where there were enough in this minute. */
  add(source: string, fields: () => Record<string, unknown>): void;
  /** Writes the count of those without a line. */
  flush(): void;
}

/** Anybody can send wrong keys: the log on stderr gets a bounded number of lines about them, and their exact number. */
export function createDenialLines(log: Log, clock: Clock): DenialLines {
  const lines = new Map<string, number>();
  let since = clock.now();
  let written = 0;
  let counted = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (counted > 0)
      log.warn({ count: counted }, 'further requests with a wrong key or token, in one minute');
    lines.clear();
    since = clock.now();
    written = counted = 0;
  }

  return {
    flush,
    add(source, fields) {
      if (clock.now() - since >= MINUTE_MS) flush();
      const own = lines.get(source) ?? 0;
      if (own >= PER_ADDRESS || written >= IN_ALL) {
        counted++;
        timer ??= setTimeout(flush, MINUTE_MS).unref();
        return;
      }
      lines.set(source, own + 1);
      written++;
      log.warn(fields(), 'wrong key or token');
    },
  };
}
