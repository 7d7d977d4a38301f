import { z } from 'zod';
import { Config } from '../../contract/config.ts';
import { nearestWord, plainWord } from '../../contract/entry/server-entry.ts';

const SHORTEST_STEM = 4;
const LONG_STEM = 6;

/** The known key that an unknown one was probably meant to be, for "did you mean". */
export function nearestKey(key: string, path: readonly PropertyKey[]): string | undefined {
  let schema: unknown = Config;
  for (const step of path) schema = unwrap(schema)?.shape[String(step)];
  return nearestWord(key, Object.keys(unwrap(schema)?.shape ?? {}));
}

/**
 * Whether a key beside the servers looks meant for the proxy: misspelt, cut short, or in the wrong place. A setting that was meant and is
 * passed over may be the one that asks a person; a key of another client, such as "inputs", is not one of them.
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

/** One is the beginning of the other, or both begin with the same long stem. */
function isRelated(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared++;
  return shared >= LONG_STEM || (shared === shorter && shared >= SHORTEST_STEM);
}

function unwrap(schema: unknown): z.ZodObject | undefined {
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    schema = schema.unwrap();
  return schema instanceof z.ZodObject ? schema : undefined;
}
