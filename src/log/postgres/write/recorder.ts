import type { Config } from '../../../contract/config.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import {
  type EntryQueue,
  type LogMeter,
  type StoredFacet,
  openEntry,
  openRecord,
} from '../../record/entry.ts';
import type { Marker } from '../../mask/mask-text.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { Sequence } from '../../record/sequence.ts';
import { createUnsaved } from '../../record/unsaved.ts';
import type { WriteOp, Writer } from './writer.ts';

export interface PgRecorderParts {
  writer: Writer;
  sequence: Sequence;
  settings: () => Config['activity'];
  marker: Marker;
  clock: Clock;
  log: Log;
  meter?: LogMeter | undefined;
  policyVersion?: (() => string) | undefined;
}

export function createPgRecorder(parts: PgRecorderParts): Recorder {
  const { writer, settings, log } = parts;
  const { writes } = writer;
  const unsaved = createUnsaved<StoredFacet>({
    log,
    save: (entry, failed) => writes.add({ entry, single: true, failed }),
  });
  const queue: EntryQueue<WriteOp, StoredFacet> = {
    opOf: (entry) => ({
      entry,
      failed() {
        entry.queued = false;
        entry.uncertain = true;
        if (entry.closed) unsaved.keep(entry);
      },
    }),
    writes,
  };
  const opening = { queue, settings };
  return {
    open(draft) {
      return openRecord(openEntry<StoredFacet>(draft, parts), opening);
    },
    unsaved: () => unsaved.state(),
    close: () => unsaved.close(),
  };
}
