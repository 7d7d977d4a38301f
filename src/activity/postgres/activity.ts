import type { PostgresDatabase } from '../../db/postgres-database.ts';
import type { Activity, ActivityParts } from '../activity.ts';
import { createCheckpointFile } from '../checkpoint-file.ts';
import { createLinks } from '../links.ts';
import { createSequence, seqOfId } from '../sequence.ts';
import { openSigner } from '../signer.ts';
import { stateOf } from '../state.ts';
import type { LogRow } from '../verification.ts';
import { createAnnouncer } from './announce.ts';
import { createChains } from './chains.ts';
import { createWriterFacets } from './facets.ts';
import { createPgFacts } from './facts.ts';
import { createKnownWriters } from './known-writers.ts';
import { loadHead, loadSequence, openOwnLog } from './own-log.ts';
import { createPgReader } from './reader.ts';
import { createPgRecorder } from './recorder.ts';
import { createRecovery } from './recover.ts';
import { createPgRedact } from './redact.ts';
import { createPgRetention } from './retention.ts';
import { sealedOnPostgres } from './sealed.ts';
import { connectWriter, createSession } from './session.ts';
import { createSkewSaver } from './skew.ts';
import { startPgUpkeep } from './upkeep.ts';
import { verifyOnPostgres } from './verify.ts';
import { createWriter } from './writer.ts';

export interface PgActivityParts extends Omit<ActivityParts, 'db'> {
  db: PostgresDatabase;
  /** For how long the lock of another proxy must have been free before its open records are settled; it may only have lost its connection. */
  graceMs?: number;
}

const GRACE_MS = 30_000;
const RECOVERY_LOOKS = 6;

/** The activity log on PostgreSQL, which several proxies may share. Each writes a chain of its own; all read everything. */
export async function createPostgresActivity(parts: PgActivityParts): Promise<Activity> {
  const { db, clock, log, dataDir, settings, graceMs = GRACE_MS } = parts;
  const signer = openSigner(dataDir);
  const checkpoints = createCheckpointFile(dataDir, log);
  const announcer = createAnnouncer(db);
  const { client, own, links, facets, sequence } = await openWriterLog();
  const skew = createSkewSaver(sequence);
  const writer = createWriter({
    db,
    own,
    links,
    facets,
    log,
    session: createSession({
      db,
      log: own.log,
      client,
      renewed: async (next) => links.reset(await loadHead(next, own)),
      lost: (cause) => log.warn({ err: cause }, 'the connection that writes the activity log is lost'),
    }),
    beforeWrite: (writing) => skew.save(writing),
    committed: (written) => {
      for (const { entry, facet } of written) entry.onDisk = facet;
    },
    onCheckpoint: (each) => checkpoints.add(each),
    grown: (n) => announcer.tell({ log: own.logId, n }),
  });
  const chains = createChains({
    own,
    links,
    signer,
    clock,
    onForeign: ({ logId }, n) => announcer.tell({ log: logId, n }),
  });
  const shared = { db, own, writer, facets, chains, clock, settings };
  const recovery = createRecovery({ ...shared, graceMs });
  const abandoned = await recovery.own();
  if (abandoned > 0)
    log.warn({ records: abandoned }, 'records left open by an earlier run are closed with unknown outcome');

  const recorder = createPgRecorder({ writer, sequence, settings, clock, log });
  const flush = () => writer.writes.flush().catch(() => {});
  const reader = createPgReader({ db, clock, flush });
  const redact = createPgRedact(shared);
  const writers = createKnownWriters(dataDir);
  const facts = createPgFacts(db);
  const checkpoint = async () => {
    await writer.write(async () => links.checkpoint());
    await checkpoints.done();
  };
  const upkeep = startPgUpkeep({
    sweep: createPgRetention(shared),
    sign: checkpoint,
    recover: () => recovery.others(),
    log,
    recoverEveryMs: Math.max(200, graceMs / RECOVERY_LOOKS),
  });
  await writers.note((await db.pool.query<LogRow>('SELECT * FROM activity_log')).rows);

  async function openWriterLog() {
    const client = await connectWriter(db);
    try {
      const own = await openOwnLog(client, signer);
      return {
        client,
        own,
        links: createLinks({ logId: own.logId, head: await loadHead(client, own), signer, clock }),
        facets: await createWriterFacets(client),
        sequence: createSequence(await loadSequence(client, own.log)),
      };
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  return {
    open: (draft) => recorder.open(draft),
    ...reader,
    facts,
    async redact(id, redaction) {
      if ((await reader.get(id)) === undefined) return undefined;
      await redact({ seq: seqOfId(id)!, id }, redaction);
      return reader.get(id);
    },
    state: () => stateOf(db, recorder.unsaved()),
    sweep: () => upkeep.sweep(),
    checkpoint,
    async *sealed() {
      await flush();
      await checkpoint().catch(() => {});
      yield* sealedOnPostgres(db);
    },
    async verify(options = {}) {
      await flush();
      await checkpoints.done();
      return verifyOnPostgres(db, writers, { ...options, dataDir, ownLog: own.logId });
    },
    async close() {
      recorder.close();
      await upkeep.stop();
      await flush();
      await checkpoint().catch(() => {});
      await writer.close();
      await announcer.close();
    },
  };
}
