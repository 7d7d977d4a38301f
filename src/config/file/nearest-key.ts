import { z } from 'zod';
import { Config } from '../../contract/config.ts';
import { editDistance } from '../../lib/edit-distance.ts';
import { nearestWord, plainWord } from '../../contract/entry/server-entry.ts';

/** Two edits make another word of a shorter one, such as "hooks" and "tools". */
const MIN_TWO_EDITS = 6;
const MIN_PREFIX = 4;
const LONG_PREFIX = 6;

/** The known key that is most similar to an unknown one, for "did you mean". */
export function nearestKey(key: string, path: readonly PropertyKey[]): string | undefined {
  let schema: unknown = Config;
  for (const step of path) schema = unwrap(schema)?.shape[String(step)];
  const known = Object.keys(unwrap(schema)?.shape ?? {});
  return nearestWord(key, known) ?? known.find((each) => isTwoEditsApart(plainWord(each), plainWord(key)));
}

function isTwoEditsApart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= MIN_TWO_EDITS && editDistance(a, b, 2) <= 2;
}

/**
 * Whether an unknown key next to the servers is probably a setting of the proxy: misspelt, abbreviated, or in the wrong place. Ignoring it
 * could disable a security setting. A key of another client, such as "inputs", does not resemble one.
 */
export function resemblesSetting(key: string): boolean {
  const word = plainWord(key);
  const settings = Object.keys(Config.shape).map(plainWord);
  const nested = Object.values(Config.shape).flatMap((schema) => Object.keys(unwrap(schema)?.shape ?? {}));
  return (
    nearestKey(key, []) !== undefined ||
    settings.some((setting) => isRelated(setting, word)) ||
    nested.map(plainWord).includes(word)
  );
}

/** One is a prefix of the other, or both share a long prefix. */
function isRelated(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared++;
  return shared >= LONG_PREFIX || (shared === shorter && shared >= MIN_PREFIX);
}

function unwrap(schema: unknown): z.ZodObject | undefined {
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    schema = schema.unwrap();
  return schema instanceof z.ZodObject ? schema : undefined;
}
