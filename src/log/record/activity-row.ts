import type { ActivityTable } from '../../db/index.ts';

/** A record as it lies in the table; what its facet says is not repeated in it. */
export type ActivityRow = ActivityTable;
