import { statements } from './statements.ts';

/** The tables of the activity log on PostgreSQL. */
export const activityOnPostgres = statements([]);
