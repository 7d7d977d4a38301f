import type { ActivitySource, ActivityType } from '../../contract/activity.ts';
import type { OperationType } from '../../contract/operation.ts';
import type { StoredStatus } from '../record/stored-status.ts';

/** A combination of values that records share. Filters are judged per facet, counts are kept per facet. */
export interface FacetKey {
  type: ActivityType;
  source: ActivitySource;
  status: StoredStatus;
  operation_type: OperationType | null;
  server_name: string | null;
  tool_name: string | null;
}
