import type { ActivityRecord } from '../contract/activity.ts';

/** The credential behind a record: "operator", "token:NAME" or "anonymous"; none where the proxy noted something by itself. */
export function principalOf({ metadata: { principal } }: ActivityRecord): string | undefined {
  return typeof principal === 'string' ? principal : undefined;
}
