import type { MaskedPart } from '../../contract/approval.ts';
import { ExactNumber, pointerStep } from '../../json/index.ts';
import { findSecrets } from './mask-text.ts';
import { isLongBlob, maskedByKey, MAX_KEY } from '../record/to-json.ts';

/** Beyond so many the whole value is marked instead: a list that nobody can read says less than that. */
const MAX_PARTS = 1000;

/**
 * What `toJson` replaces in a value: by the same rules, as places instead of a text. `root` is the pointer of the value itself. Where more
 * is replaced than can be listed, the one part is the whole value.
 */
export function maskedParts(value: unknown, root: string): MaskedPart[] {
  const parts: MaskedPart[] = [];
  collect(value, '', root, parts);
  return parts.length <= MAX_PARTS ? parts : [{ pointer: root, in: 'value', kind: 'several' }];
}

function collect(value: unknown, key: string, pointer: string, parts: MaskedPart[]): void {
  if (parts.length > MAX_PARTS) return;
  const kind = maskedByKey(key, value);
  if (kind !== null) parts.push({ pointer, in: 'value', kind });
  else if (typeof value === 'string') collectText(value, key, pointer, parts);
  else if (Array.isArray(value))
    value.forEach((item, index) => collect(item, '', pointer + pointerStep(String(index)), parts));
  else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber))
    for (const [name, item] of Object.entries(value)) {
      const inside = pointer + pointerStep(name);
      collectKey(name, inside, parts);
      collect(item, name, inside, parts);
    }
}

function collectText(text: string, key: string, pointer: string, parts: MaskedPart[]): void {
  if (isLongBlob(key, text)) return void parts.push({ pointer, in: 'value', kind: 'binary-data' });
  for (const span of findSecrets(text) ?? []) parts.push({ pointer, in: 'value', ...span });
}

function collectKey(key: string, pointer: string, parts: MaskedPart[]): void {
  if (key.length > MAX_KEY)
    return void parts.push({ pointer, in: 'key', kind: 'long-key', start: MAX_KEY, end: key.length });
  for (const span of findSecrets(key) ?? []) parts.push({ pointer, in: 'key', ...span });
}
