import type { Heads, PostgresDatabase } from '../../db/index.ts';
import type { ActivityParts } from '../log.ts';
import type { Activity } from '../activity.ts';
import { type CheckpointFile, createCheckpointFile } from '../chain/checkpoint-file.ts';
import { type Restore, openRestore } from '../restore/restore.ts';
import { openHeadNote } from '../chain/head-note.ts';
import { createTaskGroup } from '../verify/stop.ts';
import { seqOfId } from '../record/sequence.ts';
import { createMasking, type Masking } from '../mask/masking.ts';
import { openSigner } from '../chain/signer.ts';
import { activityState } from '../record/unsaved.ts';
import { createGrowth } from '../retention/growth.ts';
import { createOverLimit } from '../retention/over-limit.ts';
import type { LogRow } from '../verify/verification.ts';
import { createAnnouncer } from './write/announce.ts';
import { createPgFacts } from './read/facts.ts';
import { createKnownWriters } from './write/known-writers.ts';
import { openWriter, type OpenWriter } from './write/open-writer.ts';
import { createPgReader } from './read/reader.ts';
import { readPgStoredEnds } from './read/stored-ends.ts';
import { createPgRecorder } from './write/recorder.ts';
import { createRecovery } from './write/recover.ts';
import { createPgRedact } from './upkeep/redact.ts';
import { createPgRetention } from './upkeep/retention.ts';
import { reindexAll } from './upkeep/reindex.ts';
import { sealedOnPostgres, type AtSignedEnd } from './upkeep/sealed.ts';
import { startPgUpkeep } from './upkeep/upkeep.ts';
import { verifyOnPostgres } from './upkeep/verify.ts';
import { type Witnesses, createWitnesses } from '../witness/witnesses.ts';

export interface PgActivityParts extends Omit<ActivityParts, 'db'> {
  db: PostgresDatabase;
  /** For how long the lock of another proxy must have been free before its open records are settled; it may only have lost its connection. */
  graceMs?: number;
  /** What is newest of what calls are judged by, as of a statement that began at this time. */
  onHeads?: (heads: Heads, began: number) => void;
}

const GRACE_MS = 30_000;
const RECOVERY_LOOKS = 6;

/** The activity log on PostgreSQL, which several proxies may share. Each writes a chain of its own; all read everything. */
export async function createPostgresActivity(parts: PgActivityParts): Promise<Activity> {
  const { db, clock, log, dataDir } = parts;
  const checkpoints = createCheckpointFile(dataDir, log);
  const witnesses = createWitnesses({ ...parts, settings: () => parts.settings().witness });
  const signer = openSigner(dataDir);
  const note = openHeadNote(dataDir, log);
  const read = () => readPgStoredEnds(db);
  const restore = await openRestore({ dataDir, checkpoints, note, read, clock, log });
  const announcer = createAnnouncer(db);
  const open = await openWriter({
    db,
    signer,
    clock,
    log,
    announcer,
    note,
    restore,
    onHeads: parts.onHeads,
    onCheckpoint(each) {
      checkpoints.add(each);
      witnesses.add(each);
    },
  });
  try {
    const masking = createMasking(signer);
    const activity = await start(parts, open, { checkpoints, restore, witnesses, masking });
    return {
      ...activity,
      async close() {
        await activity.close();
        await open.writer.close();
        await announcer.close();
        note.close();
      },
    };
  } catch (error) {
    await open.writer.close();
    throw error;
  }
}

interface StartParts {
  checkpoints: CheckpointFile;
  restore: Restore;
  witnesses: Witnesses;
  masking: Masking;
}

async function start(
  parts: PgActivityParts,
  open: OpenWriter,
  { checkpoints, restore, witnesses, masking }: StartParts,
): Promise<Activity> {
  const { db, clock, log, dataDir, settings, graceMs = GRACE_MS } = parts;
  const { own, links, sequence, writer } = open;
  const shared = { ...open, db, clock, settings };
  const recovery = createRecovery({ ...shared, graceMs });
  const abandoned = await recovery.own();
  if (abandoned > 0)
    log.warn({ records: abandoned }, 'records left open by an earlier run were closed with unknown outcome');
  const writers = createKnownWriters(dataDir);
  const pinWriters = async () =>
    writers.pin((await db.pool.query<LogRow>('SELECT * FROM activity_log')).rows);
  await pinWriters();

  const growth = createGrowth(settings, () => upkeep.look());
  const recorder = createPgRecorder({
    writer,
    sequence,
    settings,
    marker: masking.marker,
    clock,
    log,
    policyVersion: parts.policyVersion,
    meter(client, bytes) {
      growth(bytes);
      parts.meter?.(client, bytes);
    },
  });
  // Writes that fail report themselves; readers show what is stored.
  const flush = () => writer.writes.flush().catch(() => {});
  const reader = createPgReader({ db, clock, flush });
  const redact = createPgRedact(shared);
  const checkpoint = async () => {
    await writer.write(async () => links.checkpoint());
    await checkpoints.done();
  };
  const atSignedEnd: AtSignedEnd = async (work) => {
    // Both are queued at once, so that nothing comes between them.
    const signed = writer.write(async () => links.checkpoint());
    const done = writer.write(work);
    const [checkpointed, found] = await Promise.allSettled([signed, done]);
    return checkpointed.status === 'fulfilled' && found.status === 'fulfilled' ? found.value : work();
  };
  const verifying = createTaskGroup();
  const retention = createPgRetention(shared);
  const over = createOverLimit(log);
  const upkeep = startPgUpkeep({
    async sweep(signal) {
      await pinWriters();
      const removed = await retention.run(signal);
      over.look(await retention.excess());
      return removed;
    },
    sign: checkpoint,
    recover: () => recovery.others(),
    log,
    recoverEveryMs: Math.max(200, graceMs / RECOVERY_LOOKS),
  });
  const reindexing = createTaskGroup();
  reindexing
    .run(undefined, (signal) => reindexAll({ pool: db.pool, facets: open.facets }, signal))
    .catch((error: unknown) =>
      log.warn({ err: error }, 'records of earlier versions could not be reindexed'),
    );
  return {
    open: (draft) => recorder.open(draft),
    ...reader,
    mask: masking.mask,
    digest: masking.digest,
    facts: createPgFacts(db),
    async redact(id, redaction) {
      if ((await reader.get(id)) === undefined) return undefined;
      await redact({ seq: seqOfId(id)!, id }, masking.redaction(redaction));
      open.held.forget(seqOfId(id)!);
      return reader.get(id);
    },
    state: () =>
      Object.assign(activityState(db, recorder.unsaved(), over.state()), restore.state(), witnesses.part()),
    async acceptRestore() {
      await checkpoint();
      return restore.accept();
    },
    onWrite: (listener) => writer.writes.onGroup(listener),
    sweep: () => upkeep.sweep(),
    checkpoint,
    async *sealed() {
      await flush();
      yield* sealedOnPostgres(db, atSignedEnd);
      await checkpoints.done();
    },
    async verify(options = {}) {
      await flush();
      await checkpoints.done();
      return verifying.run(options.signal, (signal) =>
        verifyOnPostgres(db, writers, { ...options, signal, dataDir, ownLog: own.logId }),
      );
    },
    async close() {
      await verifying.stop();
      await reindexing.stop();
      recorder.close();
      await upkeep.stop();
      await flush();
      // The next start signs what this checkpoint would have.
      await checkpoint().catch(() => {});
      await witnesses.close();
    },
  };
}
