import { openBackup } from '../../db/index.ts';
import { LOG_SPAN } from './chain.ts';

/** A log in a back-up. */
export interface CopiedLog {
  id: string;
  /** The number of its last entry. */
  n: number;
  /** The entry up to which its last checkpoint signs it; null without one. */
  signed: number | null;
  publicKey: string;
}

const RANGES = {
  sqlite: `pos >= l.log * ${LOG_SPAN} AND pos < (l.log + 1) * ${LOG_SPAN}`,
  postgres: 'j.log = l.log',
};
const LAST = { sqlite: `max(pos) - l.log * ${LOG_SPAN}`, postgres: 'max(n)' };
const CHECKPOINT = `seq IS NULL AND entry LIKE '%"k":"checkpoint"%'`;

/** The logs in a back-up of either database, with their ends. */
export function copiedLogs(path: string, engine: 'sqlite' | 'postgres'): CopiedLog[] {
  const sqlite = openBackup(path);
  try {
    const last = (where: string) =>
      `(SELECT ${LAST[engine]} FROM activity_journal j WHERE ${RANGES[engine]} AND ${where})`;
    return sqlite
      .prepare(
        `SELECT log_id AS id, public_key AS publicKey, coalesce(${last('true')}, json_extract(base, '$.n'), 0) AS n,
           ${last(CHECKPOINT)} - 1 AS signed FROM activity_log l`,
      )
      .all() as CopiedLog[];
  } finally {
    sqlite.close();
  }
}
