import { applyEdits, modify, type JSONPath } from 'jsonc-parser';
import { isObject } from '../lib/json-object.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The text of the file after a merge patch: objects are merged, null removes, everything else replaces. Comments stay. */
export function editSettings(text: string, patch: Record<string, unknown>): string {
  let next = text.trim() === '' ? '{}\n' : text;
  for (const { path, value } of leavesOf(patch)) next = applyEdits(next, modify(next, path, value, FORMAT));
  return next;
}

function leavesOf(
  patch: Record<string, unknown>,
  at: JSONPath = [],
): Array<{ path: JSONPath; value: unknown }> {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = [...at, key];
    if (isObject(value)) return leavesOf(value, path);
    return [{ path, value: value === null ? undefined : value }];
  });
}
