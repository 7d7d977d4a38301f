import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { wasCut } from './errors.ts';

/** A connection that is lost for no longer than this is ridden out, as far as nothing can be done twice by that. */
export const BLIP_MS = 2_000;
export const PAUSE_MS = 50;

export interface Blip {
  /** Whether this failure is one too many. */
  isOver(error: unknown): boolean;
}

/**
 * The time in which something is tried again. It begins again with the first connection that ends: what had taken long before, on a busy
 * machine or behind a lock, is ridden out like everything else. What fails in another way has the time from the beginning.
 */
export function createBlip(): Blip {
  let until = performance.now() + BLIP_MS;
  let isCut = false;
  return {
    isOver(error) {
      if (!isCut && wasCut(error)) {
        isCut = true;
        until = performance.now() + BLIP_MS;
      }
      return performance.now() > until;
    },
  };
}

type Query = (...asked: readonly unknown[]) => Promise<unknown>;

/** A statement that only reads is repeated on another connection where its own ends; nothing can be done twice by that. */
export function repeatReads(pool: pg.Pool): pg.Pool {
  const once = pool.query.bind(pool) as Query;
  const query: Query = async (...asked) => {
    const [first] = asked as [string | pg.QueryConfig];
    if (!isRead(typeof first === 'string' ? first : first.text)) return once(...asked);
    for (const blip = createBlip(); ; await sleep(PAUSE_MS))
      try {
        return await once(...asked);
      } catch (error) {
        if (!wasCut(error) || blip.isOver(error)) throw error;
      }
  };
  pool.query = query as pg.Pool['query'];
  return pool;
}

/** Also a notification, which may arrive twice. */
export const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);
