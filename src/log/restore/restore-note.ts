import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Activity } from '../activity.ts';

/** What `db restore` has done. It cannot write to the log that it puts in place, so the next start records it. */
export interface RestoreNote {
  file: string;
  sha256: string;
  /** When the back-up was made, and by which version. */
  made_at: string;
  version: string;
  restored_at: string;
  /** The user of the operating system who ran the command. */
  user: string;
  records: number;
  entries: number;
  /** Where the replaced database is kept. */
  replaced: string | null;
  /** The last hash of each log that was restored. */
  log_heads: Record<string, string>;
}

/** In the data directory. */
export const RESTORE_NOTE = 'restored.json';

/** Records a restore that was made since the last start; true if there was one. The note stays until its record is on disk. */
export async function recordRestore(
  activity: Pick<Activity, 'open'>,
  { dataDir, log }: { dataDir: string; log: Log },
): Promise<boolean> {
  const file = join(dataDir, RESTORE_NOTE);
  if (!existsSync(file)) return false;
  try {
    const { log_heads, ...facts } = readNote(file);
    const record = activity.open({
      type: 'config_change',
      source: 'cli',
      server_name: 'mcpproxy',
      arguments: facts,
      request_id: newId(),
      metadata: { action: 'restore_backup', principal: 'operator', log_heads },
    });
    await record.durable();
    await record.close({ status: 'success', response: { says: `restored from ${String(facts.file)}` } });
    rmSync(file);
  } catch (error) {
    log.warn(
      { err: error, file },
      'the restore of a back-up could not be recorded; the next start will try again',
    );
  }
  return true;
}

function readNote(file: string): Record<string, unknown> {
  const note: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isObject(note)) throw new Error('it does not contain a JSON object');
  return note;
}
