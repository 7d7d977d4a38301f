import { z } from 'zod';
import { OperationType } from './operation.ts';

export const DataSensitivity = z.enum(['public', 'internal', 'private', 'unknown']);
export type DataSensitivity = z.infer<typeof DataSensitivity>;

/** Counted in Unicode code points, so that every script gets the same room. */
export const REASON_MAX_LENGTH = 1000;

/** What a call claims to do, as stored with its record. Fields that were not given are not stored. */
export const IntentDeclaration = z.object({
  operation_type: OperationType,
  data_sensitivity: DataSensitivity.optional(),
  reason: z.string().optional(),
});
export type IntentDeclaration = z.infer<typeof IntentDeclaration>;
