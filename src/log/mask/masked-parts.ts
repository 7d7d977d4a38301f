import type { MaskedPart } from '../../contract/approval.ts';
import { ExactNumber, pointerStep } from '../../json/index.ts';
import { findSecrets, isSecretKind } from './mask-text.ts';
import { isLongBlob, isSecretLeaf, MAX_KEY } from '../record/to-json.ts';
import { kindOfField, secretKindOfKey } from './secret-words.ts';

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

  function collect(item: unknown, { key, kind, pointer }: Place): void {
    if (parts.length > MAX_PARTS) return;
    if (kind !== null && isSecretLeaf(item)) parts.push({ pointer, in: 'value', kind });
    else if (typeof item === 'string') add(partsOfText(item, key, pointer));
    else if (Array.isArray(item))
      item.forEach((each, index) =>
        collect(each, { key: '', kind, pointer: pointer + pointerStep(String(index)) }),
      );
    else if (typeof item === 'object' && item !== null && !(item instanceof ExactNumber))
      for (const [name, each] of Object.entries(item)) {
        const inside = pointer + pointerStep(name);
        add(partsOfKey(name, inside));
        collect(each, { key: name, kind: secretKindOfKey(name) ?? kind, pointer: inside });
      }
  }

  collect(value, { key: '', kind: null, pointer: root });
  return parts.length <= MAX_PARTS ? parts : [{ pointer: root, in: 'value', kind: 'several' }];
}

/** Whether the log would mask a secret in a value. */
export function hasSecret(value: unknown): boolean {
  return value !== undefined && maskedParts(value, '').some(({ kind }) => isSecretKind(kind));
}

interface Place {
  key: string;
  /** The kind of secret that everything here is, because of a key above. */
  kind: string | null;
  pointer: string;
}

function partsOfText(text: string, key: string, pointer: string): MaskedPart[] {
  if (isLongBlob(key, text)) return [{ pointer, in: 'value', kind: 'binary-data' }];
  const kind = kindOfField(key, text);
  if (kind !== null) return [{ pointer, in: 'value', kind }];
  return (findSecrets(text) ?? []).map((span) => ({ pointer, in: 'value', ...span }));
}

function partsOfKey(key: string, pointer: string): MaskedPart[] {
  const spans = findSecrets(key) ?? [];
  const long = { kind: 'long-key', start: MAX_KEY, end: key.length };
  const kept = key.length > MAX_KEY ? [...spans.filter(({ end }) => end <= MAX_KEY), long] : spans;
  return kept.map((span) => ({ pointer, in: 'key', ...span }));
}
