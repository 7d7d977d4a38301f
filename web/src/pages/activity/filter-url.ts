import { ActivityFilter } from '../../../../src/contract/activity.ts';

const KEYS = Object.keys(ActivityFilter.shape) as Array<keyof ActivityFilter>;

/** What the address says; a value that the API would not take is left out, so that a mistyped link still shows something. */
export function filterFrom(search: string): ActivityFilter {
  const params = new URLSearchParams(search);
  const given: Record<string, string> = {};
  for (const key of KEYS) {
    const value = params.get(key);
    if (value && ActivityFilter.shape[key].safeParse(value).success) given[key] = value;
  }
  return ActivityFilter.parse(given);
}

export function searchOf(filter: ActivityFilter): string {
  const params = new URLSearchParams();
  for (const key of KEYS) {
    const value = filter[key];
    if (value !== undefined && value !== '') params.set(key, value);
  }
  return params.toString();
}

/** With one value changed, or removed where it is empty. */
export function withValue(
  filter: ActivityFilter,
  changes: Partial<Record<keyof ActivityFilter, string | undefined>>,
): ActivityFilter {
  return filterFrom(searchOf({ ...filter, ...changes } as ActivityFilter));
}
