import type pg from 'pg';
import type { EntryMark, Links } from '../../chain/hash-chain.ts';
import type { HeadNote } from '../../chain/head-note.ts';
import { judgeEnd } from '../../restore/noted-ends.ts';
import type { Restore } from '../../restore/restore.ts';
import { type LogRef, loadBase, loadHead } from './own-log.ts';

export interface ContinueParts {
  own: LogRef;
  links: Links;
  note: HeadNote;
  restore: Pick<Restore, 'lost' | 'replaced'>;
}

/** The server works, and has another log. */
export class OtherLog extends Error {}

/**
 * Lets the chain go on from where the server has it, on a connection that is new: the server may be another one. True where it lacks what
 * was acknowledged; then the next entry that is stored says so. Throws where it has another log than the one that was written.
 */
export async function continueLog(
  client: pg.Client,
  { own, links, note, restore }: ContinueParts,
): Promise<boolean> {
  const last = { n: links.stored.n, hash: links.stored.hash };
  const { rows } = await client.query<{ log_id: string }>('SELECT log_id FROM activity_log WHERE log = $1', [
    own.log,
  ]);
  if (rows[0]?.log_id !== own.logId) throw otherLog(restore, own);
  const found = await loadHead(client, own);
  const atLast = found.n > last.n ? await hashAt(client, own, last) : found.hash;
  const verdict = judgeEnd(note, own.logId, { found, last, atLast });
  if (verdict === 'other') throw otherLog(restore, own);
  if (verdict === 'whole') {
    links.reset(found);
    return false;
  }
  restore.lost(own.logId, found, last);
  links.lost(found, last);
  return true;
}

/** Others may have added to the log, and retention may have dropped the entry. */
async function hashAt(client: pg.Client, { log }: LogRef, last: EntryMark): Promise<unknown> {
  const { rows } = await client.query<{ hash: string }>(
    'SELECT hash FROM activity_journal WHERE log = $1 AND n = $2',
    [log, last.n],
  );
  if (rows[0] || last.n === 0) return rows[0]?.hash ?? last.hash;
  const base = await loadBase(client, log);
  if (base && base.n >= last.n) return base.n === last.n ? base.head : last.hash;
  return undefined;
}

/** Nothing is written to it: the key would sign two different entries with the same number. */
function otherLog(restore: Pick<Restore, 'replaced'>, { logId }: LogRef): OtherLog {
  const reason = `the database has another activity log than log ${logId} that was written: it was replaced, or it is a server that has gone its own way`;
  restore.replaced(logId, reason);
  return new OtherLog(`${reason}; connect to the right one, or restart to begin a new log`);
}
