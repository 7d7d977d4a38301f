import { createHash } from 'node:crypto';
import type { ToolDefinition, ToolDiff } from '../../contract/tool.ts';
import { canonicalJson, ExactNumber, exactJson } from '../../json/index.ts';

/**
 * A hash of the whole definition, unknown fields included: an icon or a field of a later protocol version can carry a message for the model
 * as well as a description can. The order of keys does not matter.
 */
export function definitionHash(definition: ToolDefinition): string {
  return definitionTextHash(canonicalJson(definition));
}

/** The same of a definition that was stored as canonical JSON. */
export function definitionTextHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Change = ToolDiff['changes'][number];

const MAX_CHANGES = 200;
const MAX_VALUE = 4000;

/** The differences between two definitions, field by field. Long values are shortened; `cut` says that changes are missing. */
export function diffDefinitions(before: unknown, after: unknown): { changes: Change[]; cut: boolean } {
  const changes: Change[] = [];
  const compare = (path: string, old: unknown, now: unknown): void => {
    if (changes.length > MAX_CHANGES) return;
    if (isContainer(old) && isContainer(now) && Array.isArray(old) === Array.isArray(now)) {
      const [oldFields, nowFields] = [fieldsOf(old), fieldsOf(now)];
      for (const key of new Set([...oldFields.keys(), ...nowFields.keys()]))
        compare(`${path}/${escaped(key)}`, oldFields.get(key), nowFields.get(key));
    } else if (text(old) !== text(now)) {
      changes.push({ path, ...shown('before', old), ...shown('after', now) });
    }
  };
  compare('', before, after);
  return { changes: changes.slice(0, MAX_CHANGES), cut: changes.length > MAX_CHANGES };
}

/** A map, because a field may be named like a member of Object. */
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

/** As in a JSON pointer (RFC 6901). */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
