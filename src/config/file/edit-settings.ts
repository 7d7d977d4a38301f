import { applyEdits, findNodeAtLocation, modify, parseTree, type JSONPath, type Node } from 'jsonc-parser';
import { isObject } from '../../json/index.ts';

const SYNTAX = { allowTrailingComma: true };
const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The text of the file after a merge patch: objects are merged, null removes, everything else replaces. Comments stay. */
export function editSettings(text: string, patch: Record<string, unknown>): string {
  let next = text.trim() === '' ? '{}\n' : text;
  const tree = parseTree(next, [], SYNTAX);
  for (const { path, value } of leavesOf(patch, tree))
    next = applyEdits(next, modify(next, path, value, FORMAT));
  return next;
}

/** What the patch changes in the file, piece by piece. What is not there is not removed: the editor would fail at that. */
function leavesOf(
  patch: Record<string, unknown>,
  node: Node | undefined,
  at: JSONPath = [],
): Array<{ path: JSONPath; value: unknown }> {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = [...at, key];
    const there = node && findNodeAtLocation(node, [key]);
    if (value === null) return there ? [{ path, value: undefined }] : [];
    if (isObject(value) && there?.type === 'object') return leavesOf(value, there, path);
    return [{ path, value: isObject(value) ? withoutNulls(value) : value }];
  });
}

/** An object that is new there, or takes the place of something else. */
function withoutNulls(patch: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isObject(value) ? withoutNulls(value) : value]),
  );
}
