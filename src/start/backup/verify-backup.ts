import { ProxyError } from '../../contract/errors.ts';
import type { ActivityVerification } from '../../contract/activity.ts';
import { createClientFor, openBackup, type BackedUpFile, type BackupInfo } from '../../db/index.ts';
import { verifyLog } from '../../log/index.ts';
import { createKnownWriters, verifyOnPostgres, verifyPostgresCopy } from '../../log/postgres/index.ts';
import type { BackupReport } from '../../doors/cli/index.ts';
import { withUnpacked } from './data-files.ts';

export type Verified = Pick<BackupReport, 'verdict' | 'records' | 'entries' | 'logs'> & { why?: string };

interface ToVerify {
  path: string;
  /** The URL of a PostgreSQL database into which it was loaded: then that is verified. */
  staged?: string;
  engine: BackupInfo['engine'];
  files: readonly BackedUpFile[];
  signal: AbortSignal;
  /** What mcpproxy did not make in the PostgreSQL database that was copied. */
  foreign?: string | undefined;
}

/** Verifies the log in a back-up with the keys and checkpoints in it. */
export async function verifyBackup(given: ToVerify): Promise<Verified> {
  const { path, staged, engine, files, signal, foreign } = given;
  if (isEmpty(path, files)) return { verdict: 'empty', records: 0, entries: 0, logs: [] };
  const result = await withUnpacked(files, (dataDir) => {
    if (engine === 'sqlite') return verifyLog({ file: path, dataDir, signal });
    const writers = createKnownWriters(dataDir);
    return staged === undefined
      ? verifyPostgresCopy(path, writers, { dataDir, signal, foreign })
      : verifyOnPostgres({ newClient: createClientFor(staged) }, writers, { dataDir, signal });
  });
  signal.throwIfAborted();
  const why = result.problem ? `${result.problem.reason}: ${result.problem.message}` : result.why;
  return { ...summaryOf(result), ...(why !== undefined && { why }) };
}

function summaryOf({ verdict, records, entries, logs }: ActivityVerification): Verified {
  return {
    verdict,
    records,
    entries,
    logs: logs.map(({ log, entries: n, records: each, head }) => ({ log, entries: n, records: each, head })),
  };
}

/** A proxy that has never recorded anything has nothing to verify. */
function isEmpty(path: string, files: readonly BackedUpFile[]): boolean {
  const sqlite = openBackup(path);
  try {
    const row = sqlite.prepare('SELECT 1 FROM activity_log LIMIT 1').get();
    return row === undefined && !files.some(({ name }) => name === 'checkpoints.log');
  } finally {
    sqlite.close();
  }
}

/** Refuses a log that does not verify, unless the user accepts that. Returns the warning for the report. */
export function requireIntact(
  { verdict, why = '' }: Verified,
  { what, allowBroken }: { what: string; allowBroken?: boolean | undefined },
): string[] {
  if (verdict === 'intact' || verdict === 'empty') return [];
  if (allowBroken) return [`the log in the back-up failed verification: ${why}`];
  throw new ProxyError(
    'LOG_BROKEN',
    `The activity log of ${what} failed verification (${why}). Run "mcpproxy activity verify" for details. To go on anyway, add --allow-broken`,
    { verdict },
  );
}
