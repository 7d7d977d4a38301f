import type { ToolDiff } from '../../contract/tool.ts';
import { ExactNumber, exactJson } from '../../json/index.ts';

type Change = ToolDiff['changes'][number];

const MAX_CHANGES = 200;
const MAX_VALUE = 4000;

/** What differs between two definitions, field by field. Long values and long lists are cut; `cut` says so. */
export function diffDefinitions(before: unknown, after: unknown): { changes: Change[]; cut: boolean } {
  const changes: Change[] = [];
  compare('', before, after, changes);
  return { changes: changes.slice(0, MAX_CHANGES), cut: changes.length > MAX_CHANGES };
}

function compare(path: string, before: unknown, after: unknown, changes: Change[]): void {
  if (changes.length > MAX_CHANGES) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const [old, now] = [fieldsOf(before), fieldsOf(after)];
    for (const key of new Set([...old.keys(), ...now.keys()]))
      compare(`${path}/${escaped(key)}`, old.get(key), now.get(key), changes);
  } else if (text(before) !== text(after)) {
    changes.push({ path, ...shown('before', before), ...shown('after', after) });
  }
}

/** A map, so that fields named like members of Object hold no surprise. */
function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}

function text(value: unknown): string | undefined {
  return exactJson(value, 2);
}

function shown(side: 'before' | 'after', value: unknown): Partial<Change> {
  const full = text(value);
  if (full === undefined) return {};
  return { [side]: full.length <= MAX_VALUE ? full : `${full.slice(0, MAX_VALUE - 1)}…` };
}

/** As RFC 6901 writes pointers. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
