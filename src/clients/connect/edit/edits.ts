import { isObject } from '../../../json/index.ts';
import type { CutText } from './cut-toml.ts';

/** A key of an object, or the element of a list that has this name (or `id`). */
export type Step = string | ItemStep;

interface ItemStep {
  item: string;
  by?: 'id';
}

/** The text of a removed value, with its comments and its form: of JSON, or of TOML. */
export type KeptText = string | CutText[];

/** One change of a document, independent of its syntax. */
export type Edit =
  /** The value is ours as a whole. `undefined` removes what is there. */
  | { at: readonly Step[]; value: unknown; kept?: KeptText }
  /** The list has these texts, besides its own. */
  | { list: readonly string[]; values: readonly string[] };

/** What brings a document back, besides changes that others made meanwhile. */
export type Undo =
  | {
      at: readonly Step[];
      had?: unknown;
      /** The text of `had`, where it was taken out. */
      kept?: KeptText;
      /** How many steps of the path existed before. */
      depth: number;
    }
  | { list: readonly string[]; added: readonly string[]; depth: number };

/** The document after the edit, and how to undo it. Throws if the document has another shape than the edit needs. */
export function applyEdit(document: unknown, edit: Edit): { value: unknown; undo: Undo } {
  if ('list' in edit) {
    const before = valueAt(document, edit.list);
    if (before !== undefined && before !== null && !Array.isArray(before))
      throw new ShapeError(`${shownPath(edit.list)} is not a list`);
    const list = (before ?? []) as unknown[];
    const added = edit.values.filter((value) => !list.includes(value));
    const value = added.length === 0 ? document : replaceAt(document, edit.list, [...list, ...added]);
    return { value, undo: { list: edit.list, added, depth: depthOf(document, edit.list) } };
  }
  const had = valueAt(document, edit.at);
  return {
    value: replaceAt(document, edit.at, edit.value),
    undo: { at: edit.at, ...(had !== undefined && { had }), depth: depthOf(document, edit.at) },
  };
}

/** The edit that undoes it in this document, if there is something to undo. What others have added to our containers stays. */
export function undoEdit(document: unknown, undo: Undo): Edit | undefined {
  const at = 'list' in undo ? undo.list : undo.at;
  const now = valueAt(document, at);
  if ('list' in undo) {
    if (!Array.isArray(now)) return undefined;
    const rest = now.filter((value) => !undo.added.includes(value as string));
    if (rest.length === now.length) return undefined;
    return rest.length === 0 && at.length > undo.depth ? removal(document, undo) : { at, value: rest };
  }
  if (undo.had !== undefined)
    return { at, value: undo.had, ...(undo.kept !== undefined && { kept: undo.kept }) };
  return now === undefined ? undefined : removal(document, undo);
}

/** Containers that did not exist before go with their last value. */
function removal(document: unknown, undo: Undo): Edit {
  let at: readonly Step[] = 'list' in undo ? undo.list : undo.at;
  while (at.length - 1 > undo.depth && sizeOf(valueAt(document, at.slice(0, -1))) <= 1) at = at.slice(0, -1);
  return { at, value: undefined };
}

/** The document has another shape than an edit needs. */
export class ShapeError extends Error {}

export function valueAt(document: unknown, path: readonly Step[]): unknown {
  let value = document;
  for (const step of path) {
    if (typeof step === 'string')
      value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    else value = Array.isArray(value) ? value.find((each) => isNamed(each, step)) : undefined;
  }
  return value;
}

export function isNamed(value: unknown, { item, by }: ItemStep): boolean {
  return isObject(value) && value[by ?? 'name'] === item;
}

function depthOf(document: unknown, path: readonly Step[]): number {
  let depth = 0;
  // A key without a value (`mcpServers:` in YAML) exists, but contains nothing.
  while (depth < path.length && valueAt(document, path.slice(0, depth + 1)) !== undefined) depth++;
  return depth;
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function replaceAt(document: unknown, path: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const object = containerOf(document, isObject, step) ?? {};
    const next = replaceAt(Object.hasOwn(object, step) ? object[step] : undefined, rest, value);
    if (next !== undefined) return { ...object, [step]: next };
    const { [step]: _removed, ...others } = object;
    return others;
  }
  const list = containerOf(document, Array.isArray, step.item) ?? [];
  const index = list.findIndex((each) => isNamed(each, step));
  const next = replaceAt(list[index], rest, value);
  if (next === undefined) return list.filter((_, at) => at !== index);
  return index < 0 ? [...list, next] : list.map((each: unknown, at) => (at === index ? next : each));
}

function containerOf<T>(value: unknown, is: (value: unknown) => value is T, key: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!is(value)) throw new ShapeError(`"${key}" cannot stand in ${kindOf(value)}`);
  return value;
}

/** Its kind alone: the value itself may be a secret. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function shownPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'string' ? step : step.item)).join('.');
}
