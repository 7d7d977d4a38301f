/** The public interface of this folder: other folders import only from here. */
export { CSV_HEADER, csvLine } from './export/csv.ts';
export { createActivity, type ActivityParts } from './log.ts';
export type { Activity, ActivityReader } from './activity.ts';
export { readActivity } from './read-activity.ts';
export { maskText } from './mask/mask-text.ts';
export { hasSecret, maskedParts } from './mask/masked-parts.ts';
export { type Fact, type Facts, type Head, findFacts } from './record/facts.ts';
export { createBadRequests, UNNAMED, type BadRequests } from './record/bad-requests.ts';
export { shareAcceptance } from './restore/share-acceptance.ts';
export { recordRestore, RESTORE_NOTE, type RestoreNote } from './restore/restore-note.ts';
export { createSealRecords } from './record/seal-records.ts';
export { createConfigRecords, type ConfigRecords } from './config/config-records.ts';
export { configDigest } from './config/last-recorded.ts';
export type { OpenRecord, Outcome, RecordDraft } from './record/record.ts';
export {
  type RejectedRequest,
  type RejectedRequests,
  createRejectedRequests,
} from './record/rejected-requests.ts';
export { CHECKPOINT_FILE, readCheckpoints } from './chain/checkpoint-file.ts';
export { copiedLogs } from './chain/copied-logs.ts';
export { missingChainReason, readWitnesses, type VerifyOptions } from './verify/verification.ts';
export { unknownVerdict } from './verify/report.ts';
export { orUnknownVerdict, verifyLog } from './verify/verify.ts';
