import type { Config } from '../contract/config.ts';
import type { SqliteDatabase } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { adoptRecords, closeAbandoned } from './chain/recover.ts';
import { createChain } from './chain/chain.ts';
import { createCheckpointFile } from './chain/checkpoint-file.ts';
import { createCounts } from './counts/counts.ts';
import { createTaskGroup } from './verify/stop.ts';
import { createFacets, type Facet } from './counts/facets.ts';
import { createFacts } from './record/facts.ts';
import { lastSequence, openReader } from './query/open-reader.ts';
import { openHeadNote } from './chain/head-note.ts';
import { createHeldRecords } from './record/held-records.ts';
import { createMasking } from './mask/masking.ts';
import type { LogMeter } from './record/entry.ts';
import { createRecorder } from './record/recorder.ts';
import { createRedact } from './chain/redact.ts';
import { openRestore } from './restore/restore.ts';
import { readStoredEnds } from './restore/stored-ends.ts';
import { sealedLines } from './export/sealed-reader.ts';
import { createSequence, seqOfId } from './record/sequence.ts';
import { createSeries } from './counts/series.ts';
import { activityState } from './record/unsaved.ts';
import { openSigner } from './chain/signer.ts';
import { createTextIndex } from './query/text-index.ts';
import { startUpkeep, type Upkeep } from './retention/upkeep.ts';
import { withHeldFacets } from './verify/held-facets.ts';
import { verifyLog } from './verify/verify.ts';
import { writeAheadLogOf } from './verify/verify-threads.ts';
import { createWitnesses } from './witness/witnesses.ts';
import type { Activity } from './activity.ts';

export interface ActivityParts {
  db: SqliteDatabase;
  /** Contains the signing key and the checkpoint file. */
  dataDir: string;
  settings: () => Config['activity'];
  clock: Clock;
  log: Log;
  /** Counts what is written. */
  meter?: LogMeter | undefined;
  /** The version of the configuration, for every record. */
  policyVersion?: (() => string) | undefined;
}

export async function createActivity(parts: ActivityParts): Promise<Activity> {
  const { db, clock, log, dataDir } = parts;
  const checkpoints = createCheckpointFile(dataDir, log);
  const witnesses = createWitnesses({ ...parts, settings: () => parts.settings().witness });
  const signer = openSigner(dataDir);
  const read = async () => readStoredEnds(db.sqlite);
  const note = openHeadNote(dataDir, log);
  const restore = await openRestore({ dataDir, checkpoints, note, read, clock, log });
  const masking = createMasking(signer);
  const chain = createChain({
    sqlite: db.sqlite,
    signer,
    clock,
    note,
    restore,
    onCheckpoint(each) {
      checkpoints.add(each);
      witnesses.add(each);
    },
  });
  const facets = createFacets(db.sqlite);
  const series = createSeries(db.sqlite);
  const counts = createCounts(db.sqlite, series, facets);
  const sequence = createSequence(lastSequence(db.sqlite));
  const index = createTextIndex({ db, facets, log });
  let upkeep: Upkeep | undefined = undefined;
  const held = createHeldRecords<Facet>();
  const recorder = createRecorder({
    ...parts,
    facets,
    counts,
    chain,
    sequence,
    marker: masking.marker,
    isIndexed: (seq) => seq <= index.indexedTo(),
    held,
    restored: (records) => restore.restored(chain.logId, records),
    meter(client, bytes) {
      upkeep?.grew(bytes);
      parts.meter?.(client, bytes);
    },
  });
  if (chain.first && (await adoptRecords({ db, facets, chain })) > 0)
    log.info('records written before the chain existed were added to it');
  const abandoned = await closeAbandoned({ db, facets, counts, chain });
  if (abandoned > 0)
    log.warn({ records: abandoned }, 'records left open by an earlier run were closed with unknown outcome');

  const verifying = createTaskGroup();
  const wal = writeAheadLogOf(db);
  const shared = { facets, counts, chain, index, verified: () => verifying.idle() };
  const started = (upkeep = startUpkeep(parts, shared));
  const checkpoint = async () => {
    await db.write(() => chain.checkpoint());
    await checkpoints.done();
  };
  const reader = openReader({ db, facets, series, counts, sequence, index, clock });
  const redact = createRedact({ db, facets, chain, clock });
  return {
    open(draft) {
      index.schedule();
      return recorder.open(draft);
    },
    ...reader,
    async redact(id, redaction) {
      if ((await reader.get(id)) === undefined) return undefined;
      await redact(seqOfId(id)!, masking.redaction(redaction));
      held.forget(seqOfId(id)!);
      return reader.get(id);
    },
    mask: masking.mask,
    digest: masking.digest,
    facts: createFacts(db),
    state: () =>
      Object.assign(
        activityState(db, recorder.unsaved(), started.overLimit()),
        restore.state(),
        witnesses.part(),
      ),
    async acceptRestore() {
      await checkpoint();
      return restore.accept();
    },
    onWrite: (listener) => db.writes.onGroup(listener),
    sweep: () => started.sweep(),
    checkpoint,
    async *sealed() {
      // Where the log cannot be written, the export ends with the last signature that is stored.
      await db.writes.flush().catch(() => {});
      // Nothing may be awaited between these two: no other commit may follow the one that ends with the checkpoint.
      await db.write(() => chain.checkpoint()).catch(() => {});
      yield* sealedLines(db.file);
      await checkpoints.done();
    },
    async verify(options = {}) {
      return verifying.run(options.signal, async (signal) => {
        // Writes that fail report themselves; the rest of the log can be verified.
        await db.writes.flush().catch(() => {});
        await checkpoints.done();
        const result = await verifyLog({ ...options, signal, file: db.file, dataDir }, wal);
        return withHeldFacets(result, { sqlite: db.sqlite, facets });
      });
    },
    async close() {
      await verifying.stop();
      recorder.close();
      index.close();
      await started.stop();
      // At the stop: what cannot be written now is found open at the next start.
      await db.writes.flush().catch(() => {});
      // The next start signs what this checkpoint would have.
      await checkpoint().catch(() => {});
      await witnesses.close();
      note.close();
    },
  };
}
