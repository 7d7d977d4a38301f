import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../json/index.ts';
import { parseDocument, type Syntax } from '../../parse-document.ts';
import {
  applyEdit,
  isNamed,
  ShapeError,
  shownPath,
  undoEdit,
  valueAt,
  type Edit,
  type KeptText,
  type Step,
  type Undo,
} from './edits.ts';
import { setInJson, textInJson, withTextInJson } from './edit-json.ts';

const FIX = 'Fix the file, then run the command again';

export type Edited = { text: string; undo: Undo[] } | { problem: string };

/** The text of a document, without the mark that some editors put before it. */
export async function documentValue(
  text: string,
  syntax: Syntax,
): Promise<{ value: unknown } | { problem: string }> {
  const read = await parseDocument(
    text.trim() === '' && syntax === 'json' ? '{}' : text.replace(BOM, ''),
    syntax,
  );
  if ('problem' in read) return { problem: `${read.problem}. ${FIX}` };
  const value = read.value ?? {};
  return isObject(value) ? { value } : { problem: `it is not an object with settings. ${FIX}` };
}

/** Makes the edits, and checks by reading the result that nothing else has changed. */
export async function editDocument(text: string, syntax: Syntax, edits: readonly Edit[]): Promise<Edited> {
  return rewritten(text, syntax, (value) => {
    const undo: Undo[] = [];
    let next = value;
    for (const edit of edits) {
      const applied = applyEdit(next, edit);
      next = applied.value;
      undo.unshift(applied.undo);
    }
    return { steps: edits, undo };
  });
}

/** The text without our parts. Changes of others stay. */
export async function undoDocument(text: string, syntax: Syntax, undos: readonly Undo[]): Promise<Edited> {
  return rewritten(text, syntax, (value) => {
    const steps: Edit[] = [];
    let next = value;
    for (const undo of undos) {
      const edit = undoEdit(next, undo);
      if (!edit) continue;
      steps.push(edit);
      next = applyEdit(next, edit).value;
    }
    return { steps, undo: [] };
  });
}

const BOM = /^\uFEFF/;

async function rewritten(
  text: string,
  syntax: Syntax,
  plan: (value: unknown) => { steps: readonly Edit[]; undo: Undo[] },
): Promise<Edited> {
  const [mark = ''] = BOM.exec(text) ?? [];
  const before = await documentValue(text, syntax);
  if ('problem' in before) return before;
  try {
    const { steps, undo } = plan(before.value);
    const set = await setter(syntax);
    let next = text.slice(mark.length);
    let { value } = before;
    for (const [index, edit] of steps.entries()) {
      const applied = applyEdit(value, edit);
      const inside = { syntax, value, edit, wanted: applied.value, isOurs: undo.length === 0 };
      if (!isDeepStrictEqual(applied.value, value)) {
        const kept = await writeKept(next, inside);
        next = kept ? kept.text : write(next, { value, edit, set });
        keepText(undo[undo.length - 1 - index], kept);
      }
      ({ value } = applied);
    }
    const after = await documentValue(next, syntax);
    if ('problem' in after || !isDeepStrictEqual(plain(after.value), plain(value)))
      return {
        problem:
          'its form cannot be edited without a change to other parts. "mcpproxy connect CLIENT --print" shows what to write by hand',
      };
    return { text: mark + next, undo };
  } catch (error) {
    if (error instanceof ShapeError) return { problem: `${error.message}. ${FIX}` };
    throw error;
  }
}

function keepText(undo: Undo | undefined, done: { removed?: KeptText } | undefined): void {
  if (done?.removed !== undefined && undo && 'at' in undo) undo.kept = done.removed;
}

interface KeptEdit {
  syntax: Syntax;
  value: unknown;
  edit: Edit;
  /** A value of our own that is removed: comments of others around it stay. */
  isOurs: boolean;
  /** The document after the edit. */
  wanted: unknown;
}

/** Takes a value out with its text, or puts such a text back. Undefined: that is not possible, and the value alone is written. */
async function writeKept(
  text: string,
  { syntax, value, edit, wanted, isOurs }: KeptEdit,
): Promise<{ text: string; removed?: KeptText } | undefined> {
  if (!('at' in edit) || syntax === 'yaml') return undefined;
  if (edit.kept === undefined && (isOurs || edit.value !== undefined)) return undefined;
  const path = keysOf(value, edit.at);
  const done =
    syntax === 'json' ? keptInJson(text, path, edit) : await keptInToml(text, path.map(String), edit);
  const after = done && (await documentValue(done.text, syntax));
  return after && 'value' in after && isDeepStrictEqual(plain(after.value), plain(wanted)) ? done : undefined;
}

type KeptEntry = Extract<Edit, { at: unknown }>;

function keptInJson(text: string, path: Key[], { value, kept }: KeptEntry) {
  if (value === undefined)
    return { text: setInJson(text, path, undefined), removed: textInJson(text, path)! };
  const placed = setInJson(text, path, value);
  return typeof kept === 'string' ? { text: withTextInJson(placed, path, kept) } : undefined;
}

async function keptInToml(text: string, path: string[], { value, kept }: KeptEntry) {
  const { cutFromToml, putInToml } = await import('./cut-toml.ts');
  if (value === undefined) {
    const { rest, cuts } = cutFromToml(text, path);
    return { text: rest, removed: cuts };
  }
  return Array.isArray(kept) ? { text: putInToml(text, kept) } : undefined;
}

type Key = string | number;
type Setter = (text: string, path: Key[], value: unknown) => string;

async function setter(syntax: Syntax): Promise<Setter> {
  if (syntax === 'json') return setInJson;
  if (syntax === 'yaml') return (await import('./edit-yaml.ts')).setInYaml;
  const { setInToml } = await import('./edit-toml.ts');
  return (text, path, value) => setInToml(text, path.map(String), value);
}

function write(text: string, { value, edit, set }: { value: unknown; edit: Edit; set: Setter }): string {
  if ('at' in edit) {
    const before = valueAt(value, edit.at);
    // A list that only loses texts keeps the form of the others.
    if (Array.isArray(before) && Array.isArray(edit.value)) {
      const rest = edit.value as unknown[];
      const gone = before.flatMap((each: unknown, index) => (rest.includes(each) ? [] : [index])).reverse();
      if (gone.length === before.length - rest.length)
        return gone.reduce((next, index) => set(next, [...keysOf(value, edit.at), index], undefined), text);
    }
    return set(text, keysOf(value, edit.at), edit.value);
  }
  const list = valueAt(value, edit.list);
  if (!Array.isArray(list)) return set(text, [...edit.list], edit.values);
  const added = edit.values.filter((each) => !list.includes(each));
  return added.reduce((next, each, index) => set(next, [...edit.list, list.length + index], each), text);
}

/** The path with positions in the place of names. An element that is not there goes to the end. */
function keysOf(value: unknown, at: readonly Step[]): Key[] {
  let inner = value;
  return at.map((step, depth) => {
    const list = inner;
    inner = valueAt(value, at.slice(0, depth + 1));
    if (typeof step === 'string') return step;
    if (list !== undefined && list !== null && !Array.isArray(list))
      throw new ShapeError(`${shownPath(at)} is not in a list`);
    const index = Array.isArray(list) ? list.findIndex((each) => isNamed(each, step)) : 0;
    return index >= 0 ? index : (list as unknown[]).length;
  });
}

/** Parsers differ in the prototype of their objects. A date of TOML is no such object. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
