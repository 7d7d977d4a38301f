import type { ActivityFilter } from '../contract/activity.ts';
import type { Config } from '../contract/config.ts';
import type { SqliteDatabase } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { adoptRecords, closeAbandoned } from './chain/recover.ts';
import { createChain } from './chain/chain.ts';
import { createCheckpointFile } from './chain/checkpoint-file.ts';
import { createCounts } from './counts/counts.ts';
import { createTaskGroup } from './verify/stop.ts';
import { createFacetSums, createTotals, createWindows } from './counts/totals.ts';
import { createFacets } from './counts/facets.ts';
import { createFacts } from './record/facts.ts';
import { createFinder } from './query/finder.ts';
import { makePlan } from './query/plan.ts';
import { createReader, newestSeq } from './query/reader.ts';
import type { LogMeter } from './record/entry.ts';
import { createRecorder } from './record/recorder.ts';
import { createRedact } from './chain/redact.ts';
import { openRestore } from './restore/restore.ts';
import { readStoredEnds } from './restore/stored-ends.ts';
import { sealedLines } from './export/sealed-reader.ts';
import { createSequence, seqOfId } from './record/sequence.ts';
import { createSeries } from './counts/series.ts';
import { activityState } from './record/unsaved.ts';
import { createColumnStreams, createStreams, createTextStreams } from './query/streams.ts';
import { openSigner } from './chain/signer.ts';
import { createTextIndex } from './query/text-index.ts';
import { startUpkeep, type Upkeep } from './retention/upkeep.ts';
import { verifyLog } from './verify/verify.ts';
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
}

export async function createActivity(parts: ActivityParts): Promise<Activity> {
  const { db, clock, log, dataDir } = parts;
  const checkpoints = createCheckpointFile(dataDir, log);
  const witnesses = createWitnesses({ ...parts, settings: () => parts.settings().witness });
  const signer = openSigner(dataDir);
  const read = async () => readStoredEnds(db.sqlite);
  const restore = await openRestore({ dataDir, checkpoints, read, clock, log });
  const chain = createChain({
    sqlite: db.sqlite,
    signer,
    clock,
    ended: restore.ended,
    onCheckpoint(each) {
      checkpoints.add(each);
      witnesses.add(each);
    },
  });
  const facets = createFacets(db.sqlite);
  const series = createSeries(db.sqlite);
  const counts = createCounts(db.sqlite, series, facets);
  const sequence = createSequence(lastSequence(db));
  const index = createTextIndex({ db, facets, log });
  let upkeep: Upkeep | undefined = undefined;
  const recorder = createRecorder({
    ...parts,
    facets,
    counts,
    chain,
    sequence,
    isIndexed: (seq) => seq <= index.indexedTo(),
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

  const text = createTextStreams(db.sqlite, index);
  const columns = createColumnStreams(db.sqlite);
  const streamsOf = createStreams(db.sqlite, { text, columns });
  const finder = createFinder({ sqlite: db.sqlite, facets, text, columns, streamsOf });
  const planFor = (filter: ActivityFilter) =>
    makePlan(filter, { facets, maxSkew: sequence.maxSkew, records: counts.records() });
  const sums = createFacetSums(db.sqlite);
  const totals = createTotals({
    sums,
    windows: createWindows({ counts, facets, sums }),
    facets,
    counts,
    series,
    finder,
    maxSkew: () => sequence.maxSkew,
  });
  const started = (upkeep = startUpkeep(parts, { facets, counts, chain, index }));
  const checkpoint = async () => {
    await db.write(() => chain.checkpoint());
    await checkpoints.done();
  };
  const reader = createReader({ db, planFor, index, finder, totals, series, clock });
  const redact = createRedact({ db, facets, chain, clock });
  const verifying = createTaskGroup();
  return {
    open(draft) {
      index.schedule();
      return recorder.open(draft);
    },
    ...reader,
    async redact(id, redaction) {
      if ((await reader.get(id)) === undefined) return undefined;
      await redact(seqOfId(id)!, redaction);
      return reader.get(id);
    },
    facts: createFacts(db),
    state: () => ({
      ...activityState(db, recorder.unsaved(), started.overLimit()),
      ...restore.state(),
      ...witnesses.part(),
    }),
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
      // Writes that fail report themselves; the rest of the log can be verified.
      await db.writes.flush().catch(() => {});
      await checkpoints.done();
      return verifying.run(options.signal, (signal) =>
        verifyLog({ ...options, signal, file: db.file, dataDir }),
      );
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
    },
  };
}

function lastSequence(db: SqliteDatabase): { last: number; maxSkew: number } {
  const state = db.sqlite.prepare('SELECT value FROM activity_state WHERE key = ?');
  const value = (key: string) => (state.get(key) as { value: number } | undefined)?.value ?? 0;
  return { last: Math.max(newestSeq(db), value('indexed_to'), 0), maxSkew: value('max_skew') };
}
