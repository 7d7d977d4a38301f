import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomically } from '../../../config/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { Clock } from '../../../lib/clock.ts';

/** Sessions that were logged out. Their signed cookies would stay valid until they expire, so log-outs are stored. */
export interface EndedSessions {
  has(session: SessionTime): boolean;
  /** Throws where it cannot be stored; it still applies until the proxy ends. */
  add(session: SessionTime): void;
}

export interface SessionTime {
  id: string;
  expiresAt: number;
}

interface Parts {
  /** Undefined: they are not stored. */
  file?: string;
  clock: Clock;
  /** How long a session may last. */
  lifeMs: number;
  /** How many are stored individually. */
  maxStored?: number;
}

const MAX_STORED = 1000;

const Stored = z.strictObject({
  /** Every session that expires by then has been logged out. */
  all_until: z.number(),
  ended: z.array(z.object({ id: z.string(), expires_at: z.number() })),
});
type Stored = z.infer<typeof Stored>;

export function createEndedSessions({ file, clock, lifeMs, maxStored = MAX_STORED }: Parts): EndedSessions {
  // An unreadable file may have listed any of the current sessions, so all of them end.
  const stored = file === undefined ? NONE : (read(file) ?? { all_until: clock.now() + lifeMs, ended: [] });
  const ended = new Map(stored.ended.map(({ id, expires_at }) => [id, expires_at]));
  let allUntil = stored.all_until;

  function forgetExpired(): void {
    for (const [id, expiresAt] of ended) if (expiresAt <= clock.now()) ended.delete(id);
  }

  /** Ends sessions that expire earlier too: ending too many is safe, restoring one is not. */
  function makeRoom(): void {
    while (ended.size > maxStored) {
      const [id, expiresAt] = [...ended].reduce((a, b) => (b[1] < a[1] ? b : a));
      ended.delete(id);
      allUntil = Math.max(allUntil, expiresAt);
    }
  }

  return {
    has: ({ id, expiresAt }) => expiresAt <= allUntil || ended.has(id),
    add({ id, expiresAt }) {
      ended.set(id, expiresAt);
      forgetExpired();
      makeRoom();
      if (file !== undefined)
        write(file, { all_until: allUntil, ended: [...ended].map(([id, at]) => ({ id, expires_at: at })) });
    },
  };
}

const NONE: Stored = { all_until: 0, ended: [] };

/** Undefined where the file exists and is invalid. */
function read(file: string): Stored | undefined {
  try {
    return Stored.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NONE : undefined;
  }
}

function write(file: string, stored: Stored): void {
  try {
    // There must be a file to replace; an empty one ends all sessions.
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    writeFileAtomically(file, JSON.stringify(stored));
  } catch (cause) {
    throw new ProxyError(
      'DATABASE_UNAVAILABLE',
      `You are logged out, but this could not be stored in ${file}: after a restart of the proxy the old cookie would be valid again. Check the free space on the disk, then log in and out again`,
      { file },
    ).withCause(cause);
  }
}
