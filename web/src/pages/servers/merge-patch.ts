import { exactJson, isObject, type JsonObject } from '../../../../src/json/index.ts';

/** The change from one object to another as a JSON merge patch (RFC 7396): null removes. */
export function mergePatchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch = new Map<string, unknown>();
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch.set(key, null);
  for (const [key, value] of Object.entries(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (exactJson(was) === exactJson(value)) continue;
    patch.set(key, isObject(was) && isObject(value) ? mergePatchOf(was, value) : value);
  }
  return Object.fromEntries(patch);
}
