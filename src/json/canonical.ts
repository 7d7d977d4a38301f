import { ExactNumber } from './exact.ts';
import { exactValue } from './source.ts';

/**
 * JSON with sorted keys and no spaces: equal values give equal text, different values never do, not even where they differ beyond what
 * a number can hold. The caller has limited the depth.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  if (value instanceof ExactNumber) return value.text;
  const fields = Object.entries(exactValue(value) as object)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
