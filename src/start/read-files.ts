import { existsSync } from 'node:fs';
import { createReadingRest } from '../doors/http/index.ts';
import {
  missingChainReason,
  orUnknownVerdict,
  readActivity,
  unknownVerdict,
  verifyLog,
  readWitnesses,
  type ActivityReader,
  type VerifyOptions,
} from '../log/index.ts';
import { createKnownWriters, readPostgresActivity, verifyOnPostgres } from '../log/postgres/index.ts';
import type { ActivityVerification } from '../contract/activity.ts';
import type { Config } from '../contract/config.ts';
import type { Fetch } from '../contract/routes/client.ts';
import {
  createClientFor,
  openPostgresReadOnly,
  openSqliteReadOnly,
  openUntouched,
  type DatabaseLocation,
} from '../db/index.ts';
import { newId, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { VERSION } from './version.ts';

/** Servers outside of the configuration. */
const BUILT_IN = ['tasks'];

interface Files {
  config: Config;
  dataDir: string;
  database: DatabaseLocation;
}

interface OpenLog extends ActivityReader {
  close(): Promise<void>;
}

type Asked = Pick<VerifyOptions, 'checkpoints' | 'witness' | 'publicKey'> & { signal: AbortSignal };

/**
 * Answers the routes that read the log, without a daemon. Nothing is created, locked or written, so that evidence does not change. The
 * database is opened by the first route that needs it: a log that cannot be read otherwise can still be verified.
 */
export function readingFiles(
  files: Files,
  { ended, log }: { ended: AbortSignal; log: Log },
): { fetch: Fetch; close: () => Promise<void> } {
  let opening: Promise<OpenLog> | undefined;
  let verifying: Promise<unknown> = Promise.resolve();
  const open = () => (opening ??= openLog(files, log));
  const rest = createReadingRest({
    activity: {
      list: async (...args) => (await open()).list(...args),
      get: async (...args) => (await open()).get(...args),
      summary: async (...args) => (await open()).summary(...args),
      series: async (...args) => (await open()).series(...args),
      breakdown: async (...args) => (await open()).breakdown(...args),
      digest: async (...args) => (await open()).digest(...args),
      async *export(...args) {
        yield* (await open()).export(...args);
      },
      async *sealed() {
        yield* (await open()).sealed();
      },
      facts: {
        after: async (...args) => (await open()).facts.after(...args),
        heads: async () => (await open()).facts.heads(),
        onGrown: () => () => {},
      },
      verify({ signal = ended, ...asked }) {
        const result = verifyFiles(files, { ...asked, signal: AbortSignal.any([signal, ended]) });
        // `result` reports the error; the stop only waits for its end.
        verifying = result.catch(() => {});
        return result;
      },
    },
    into: { config: files.config, names: BUILT_IN, running: null, dataDir: files.dataDir },
    info: { version: VERSION },
    log,
  });
  const visitor = { principal: 'operator', userId: 'local', via: 'cli' as const };
  return {
    fetch: (request) => rest(request, { ...visitor, requestId: newId() }),
    async close() {
      await verifying;
      // A log that was not opened has nothing to close.
      await opening?.then((opened) => opened.close()).catch(() => {});
    },
  };
}

async function openLog({ dataDir, database }: Files, log: Log): Promise<OpenLog> {
  const parts = { dataDir, clock: systemClock, log };
  if ('url' in database) {
    const db = await openPostgresReadOnly(database.url);
    return { ...readPostgresActivity({ db, ...parts }), close: () => db.close() };
  }
  const db = await openSqliteReadOnly({ ...database, log });
  return { ...readActivity({ db, ...parts }), close: () => db.close() };
}

async function verifyFiles({ dataDir, database }: Files, asked: Asked): Promise<ActivityVerification> {
  if ('url' in database) {
    const newClient = createClientFor(database.url);
    return verifyOnPostgres({ newClient }, createKnownWriters(dataDir), { ...asked, dataDir });
  }
  const { file } = database;
  return orUnknownVerdict(async () => {
    if (!existsSync(file)) return unknownVerdict(withoutFile(file, { ...asked, dataDir }));
    const untouched = await openUntouched(file);
    try {
      const result = await verifyLog({ ...asked, dataDir, file: untouched.name });
      // Another process began to write meanwhile, so the read may have mixed the old and the new state.
      return untouched.isUnchanged() ? result : await verifyLog({ ...asked, dataDir, file });
    } finally {
      await untouched.close();
    }
  });
}

function withoutFile(file: string, options: VerifyOptions): string {
  const witnesses = readWitnesses(options);
  return witnesses.size === 0
    ? `the database ${file} does not exist`
    : `the database ${file} is missing: ${missingChainReason(witnesses)}`;
}
