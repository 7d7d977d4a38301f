import { ActivityFilter } from '../../../../src/contract/activity.ts';
import { timeOf, type Edge } from '../../../../src/contract/time.ts';

const KEYS = Object.keys(ActivityFilter.shape) as Array<keyof ActivityFilter>;

/** The filter in the URL. Values that the API would reject are dropped, so that a mistyped link still works. */
export function filterFrom(search: string): ActivityFilter {
  const params = new URLSearchParams(search);
  const given: Record<string, string> = {};
  for (const key of KEYS) {
    const value = params.get(key);
    if (value && ActivityFilter.shape[key].safeParse(value).success) given[key] = exact(key, value);
  }
  return ActivityFilter.parse(given);
}

const EDGES: Partial<Record<keyof ActivityFilter, Edge>> = { start_time: 'start', end_time: 'end' };

/** Days and weeks are those of the person at the browser. */
function exact(key: keyof ActivityFilter, value: string): string {
  const edge = EDGES[key];
  const at = edge && timeOf(value, { now: Date.now(), edge, zone: 'local' });
  return at === undefined ? value : new Date(at).toISOString();
}

export function searchOf(filter: ActivityFilter): string {
  const params = new URLSearchParams();
  for (const key of KEYS) {
    const value = filter[key];
    if (value !== undefined && value !== '') params.set(key, value);
  }
  return params.toString();
}

/** The filter with some values changed, or removed where they are empty. */
export function withValue(
  filter: ActivityFilter,
  changes: Partial<Record<keyof ActivityFilter, string | undefined>>,
): ActivityFilter {
  return filterFrom(searchOf({ ...filter, ...changes } as ActivityFilter));
}
