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

  /** Not by spreading: a long text may hold more secrets than a call takes arguments. */
  function add(found: readonly MaskedPart[]): void {
    for (const part of found) parts.push(part);
  }

  function collect(item: unknown, key: string, pointer: string): void {
    if (parts.length > MAX_PARTS) return;
    const kind = maskedByKey(key, item);
    if (kind !== null) parts.push({ pointer, in: 'value', kind });
    else if (typeof item === 'string') add(partsOfText(item, key, pointer));
    else if (Array.isArray(item))
      item.forEach((each, index) => collect(each, '', pointer + pointerStep(String(index))));
    else if (typeof item === 'object' && item !== null && !(item instanceof ExactNumber))
      for (const [name, each] of Object.entries(item)) {
        const inside = pointer + pointerStep(name);
        add(partsOfKey(name, inside));
        collect(each, name, inside);
      }
  }

  collect(value, '', root);
  return parts.length <= MAX_PARTS ? parts : [{ pointer: root, in: 'value', kind: 'several' }];
}

function partsOfText(text: string, key: string, pointer: string): MaskedPart[] {
  if (isLongBlob(key, text)) return [{ pointer, in: 'value', kind: 'binary-data' }];
  return (findSecrets(text) ?? []).map((span) => ({ pointer, in: 'value', ...span }));
}

function partsOfKey(key: string, pointer: string): MaskedPart[] {
  if (key.length > MAX_KEY)
    return [{ pointer, in: 'key', kind: 'long-key', start: MAX_KEY, end: key.length }];
  return (findSecrets(key) ?? []).map((span) => ({ pointer, in: 'key', ...span }));
}
