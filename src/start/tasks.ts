import type { Place } from '../doors/cli/index.ts';
import { openDatabase } from '../db/index.ts';
import { ensureDataDir } from '../config/index.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { runTasksStdio } from '../tasks/server.ts';
import { openInstallation } from './place.ts';
import { untilSignal } from './until-signal.ts';

/** `mcpproxy tasks`: the built-in server alone, over stdin and stdout. It can share the database with a running proxy. */
export async function tasks(options: Place): Promise<number> {
  const log = createLog('warn', { pretty: false });
  const { config, dataDir, database } = openInstallation(options, { watch: false, log });
  ensureDataDir(dataDir);
  const db = await openDatabase({ ...database, log });
  await Promise.race([runTasksStdio({ db, clock: systemClock, log }), untilSignal()]);
  await db.close();
  await config.close();
  return 0;
}
