import { z } from 'zod';
import { Config, ServerConfig } from '../contract/config.ts';

/** The known key that an unknown one was probably meant to be, for "did you mean". */
export function nearestKey(key: string, path: readonly PropertyKey[]): string | undefined {
  const known = keysAt(path);
  const wanted = plain(key);
  return (
    known.find((candidate) => plain(candidate) === wanted) ??
    known.find((candidate) => oneEditApart(plain(candidate), wanted))
  );
}

function keysAt(path: readonly PropertyKey[]): string[] {
  if (path[0] === 'mcpServers' && path.length === 2) return Object.keys(ServerConfig.shape);
  let schema: unknown = Config;
  for (const key of path) schema = unwrap(schema)?.shape[String(key)];
  return Object.keys(unwrap(schema)?.shape ?? {});
}

function unwrap(schema: unknown): z.ZodObject | undefined {
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    schema = schema.unwrap();
  return schema instanceof z.ZodObject ? schema : undefined;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** One letter too many, too few, wrong, or two swapped. */
function oneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
