import type { Log } from '../lib/log.ts';
import { reasonOf } from './postgres/trouble.ts';
import { isLocked } from './sqlite/sqlite.ts';

/** Whether the database takes writes, as far as the last attempt tells. */
export type Health = { ok: true } | { ok: false; since: number; reason: string };

export interface HealthWatch {
  now(): Health;
  /** A group could not be committed. */
  failed(cause: unknown): void;
  worked(): void;
  /** The handle must not be used for writes until it has been opened anew. */
  readonly distrusted: boolean;
  reopened(): void;
  close(): void;
}

export interface HealthParts {
  /** Tries to write; rejects where that is still impossible. */
  probe: () => Promise<void>;
  log: Log;
  /** As it is named in the log. */
  place: string;
  everyMs?: number;
}

/** A failed write starts a probe every second; the first that works ends the trouble, so nobody has to restart anything. */
export function createHealthWatch({ probe, log, place, everyMs = 1000 }: HealthParts): HealthWatch {
  let trouble: { since: number; reason: string } | undefined;
  let distrusted = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function again(): void {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      probe().catch(() => trouble && again());
    }, everyMs).unref();
  }

  return {
    now: () => (trouble ? { ok: false, ...trouble } : { ok: true }),
    get distrusted() {
      return distrusted;
    },
    failed(cause) {
      const reason = reasonOf(cause);
      if (isDiskError(cause)) distrusted = true;
      if (!trouble)
        log.error({ database: place, err: cause }, 'the database cannot be written; trying every second');
      trouble = { since: trouble?.since ?? Date.now(), reason };
      again();
    },
    worked() {
      if (!trouble) return;
      log.warn(
        { database: place, seconds: Math.round((Date.now() - trouble.since) / 1000) },
        'the database can be written again',
      );
      trouble = undefined;
      clearTimeout(timer);
      timer = undefined;
    },
    reopened: () => void (distrusted = false),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** No room, no disk, or held by another program: not a fault of the statement. */
export function isStorageTrouble(cause: unknown): boolean {
  const { errcode } = (cause ?? {}) as { errcode?: unknown };
  const full = typeof errcode === 'number' && (errcode & 0xff) === 13;
  return full || isLocked(cause) || isDiskError(cause);
}

/** What the disk itself failed to do (SQLITE_IOERR with its variants), or damage in the file: the state of the handle is unknown. */
function isDiskError(cause: unknown): boolean {
  const { errcode, code } = cause as { errcode?: unknown; code?: unknown };
  const number = typeof errcode === 'number' ? errcode & 0xff : 0;
  return (
    number === 10 ||
    number === 11 ||
    number === 26 ||
    code === 'EIO' ||
    code === 'FILE_GONE' ||
    /disk I\/O error/i.test(String(cause))
  );
}
