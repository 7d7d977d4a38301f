import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sqlite } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import { entryCounts } from './chain.ts';
import { CHECKPOINT_FILE, readCheckpoints } from './checkpoint-file.ts';

/** A database that was deleted, emptied or put back is told of at the start. It is a look at the ends only; verify checks everything. */
export async function warnOfMissingEntries(sqlite: Sqlite, dataDir: string, log: Log): Promise<void> {
  const file = join(dataDir, CHECKPOINT_FILE);
  try {
    const counts = entryCounts(sqlite);
    for (const { log: logId, n } of readCheckpoints(await readFile(file, 'utf8')).values()) {
      const entries = counts.get(logId) ?? 0;
      if (entries < n)
        log.warn(
          { file, log_id: logId, entries, checkpoint: n },
          `the activity log has fewer entries than its last checkpoint names (${entries}, not ${n}): the database was deleted, replaced or put back; run mcpproxy activity verify`,
        );
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ file, err: error }, 'the checkpoints cannot be read; run mcpproxy activity verify');
  }
}
