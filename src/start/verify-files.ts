import { existsSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  missingChainReason,
  orUnknownVerdict,
  unknownVerdict,
  verifyLog,
  readWitnesses,
  type VerifyOptions,
} from '../log/index.ts';
import { createKnownWriters, verifyOnPostgres } from '../log/postgres/index.ts';
import { routes } from '../contract/routes/api.ts';
import type { ActivityVerification } from '../contract/activity.ts';
import type { Fetch } from '../contract/routes/client.ts';
import { createClientFor, type DatabaseLocation } from '../db/index.ts';

interface Files {
  dataDir: string;
  database: DatabaseLocation;
}

type Asked = Pick<VerifyOptions, 'checkpoints' | 'witness' | 'publicKey'> & { signal: AbortSignal };

/** Answers `GET` and `POST /activity/verify` without a daemon. Nothing is created, locked or written, so that evidence does not change. */
export function verifyingFiles(
  files: Files,
  ended: AbortSignal,
): { fetch: Fetch; done: () => Promise<void> } {
  let running: Promise<unknown> = Promise.resolve();
  return {
    async fetch(request) {
      const body = routes.verifyActivityAgainst.body.parse(
        request.method === 'POST' ? await request.json() : {},
      );
      const signal = AbortSignal.any([request.signal, ended]);
      const result = verifyFiles(files, {
        checkpoints: body.checkpoints,
        witness: body.witness,
        publicKey: body.public_key,
        signal,
      });
      // `result` reports the error; the stop only waits for its end.
      running = result.catch(() => {});
      return Response.json(await result);
    },
    done: async () => void (await running),
  };
}

async function verifyFiles({ dataDir, database }: Files, asked: Asked): Promise<ActivityVerification> {
  if ('url' in database) {
    const newClient = createClientFor(database.url);
    return verifyOnPostgres({ newClient }, createKnownWriters(dataDir), { ...asked, dataDir });
  }
  const { file } = database;
  if (!existsSync(file))
    return orUnknownVerdict(async () => unknownVerdict(withoutFile(file, { ...asked, dataDir })));
  const before = stateOf(file);
  const result = await verifyLog({ ...asked, dataDir, file: untouched(file) });
  // Another process began to write meanwhile, so the read may have mixed the old and the new state.
  return stateOf(file) === before ? result : verifyLog({ ...asked, dataDir, file });
}

function withoutFile(file: string, options: VerifyOptions): string {
  const witnesses = readWitnesses(options);
  return witnesses.size === 0
    ? `the database ${file} does not exist`
    : `the database ${file} is missing: ${missingChainReason(witnesses)}`;
}

/** SQLite readers create files beside the database. These URL options prevent it: no writer exists, or the shared index is read-only. */
function untouched(file: string): string {
  const url = pathToFileURL(file).href;
  if (sizeOf(`${file}-wal`) === 0) return `${url}?immutable=1`;
  return existsSync(`${file}-shm`) ? `${url}?readonly_shm=1` : file;
}

function stateOf(file: string): string {
  const { mtimeMs, size } = statSync(file);
  return [mtimeMs, size, sizeOf(`${file}-wal`)].join(' ');
}

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);
