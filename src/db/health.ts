import type { Log } from '../lib/log.ts';
import { errorReason } from './postgres/errors.ts';
import { isLocked } from './sqlite/sqlite.ts';

/** Whether the last write worked. */
export type Health = { ok: true } | { ok: false; since: number; reason: string };

export interface HealthWatch {
  current(): Health;
  /** A write failed. */
  reportFailure(cause: unknown): void;
  reportSuccess(): void;
  /** The disk failed, so the state of the handle is unknown: it must be reopened before the next write. */
  readonly needsReopen: boolean;
  reopened(): void;
  close(): void;
}

export interface HealthParts {
  /** Tries to write; rejects where that is still impossible. */
  probe: () => Promise<void>;
  log: Log;
  /** Name of the database in log lines. */
  place: string;
  everyMs?: number;
}

/** After a failed write it probes every second until one write works, so that no restart is needed. */
export function createHealthWatch({ probe, log, place, everyMs = 1000 }: HealthParts): HealthWatch {
  let failure: { since: number; reason: string } | undefined;
  let needsReopen = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function scheduleProbe(): void {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      probe().catch(() => failure && scheduleProbe());
    }, everyMs).unref();
  }

  return {
    current: () => (failure ? { ok: false, ...failure } : { ok: true }),
    get needsReopen() {
      return needsReopen;
    },
    reportFailure(cause) {
      const reason = errorReason(cause);
      if (isDiskError(cause)) needsReopen = true;
      if (!failure)
        log.error({ database: place, err: cause }, 'the database cannot be written; retrying every second');
      failure = { since: failure?.since ?? Date.now(), reason };
      scheduleProbe();
    },
    reportSuccess() {
      if (!failure) return;
      log.warn(
        { database: place, seconds: Math.round((Date.now() - failure.since) / 1000) },
        'the database can be written again',
      );
      failure = undefined;
      clearTimeout(timer);
      timer = undefined;
    },
    reopened: () => void (needsReopen = false),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Disk full, disk error, or locked by another program; not a mistake in the statement. */
export function isStorageFailure(cause: unknown): boolean {
  const { errcode } = (cause ?? {}) as { errcode?: unknown };
  const full = typeof errcode === 'number' && (errcode & 0xff) === 13;
  return full || isLocked(cause) || isDiskError(cause);
}

/** An I/O error (SQLITE_IOERR with its variants) or a damaged file: the state of the handle is unknown. */
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
