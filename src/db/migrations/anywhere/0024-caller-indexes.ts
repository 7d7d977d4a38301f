import { statements } from '../../statements.ts';

/**
 * The text index answers filters by caller and client too. Indexes of their own were written twice for each call, a large part of the cost
 * of its record.
 */
export const dropCallerIndexes = statements([
  'DROP INDEX IF EXISTS activity_by_principal',
  'DROP INDEX IF EXISTS activity_by_client',
]);
