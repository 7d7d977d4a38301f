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
  type Step,
  type Undo,
} from './edits.ts';
import { setInJson } from './edit-json.ts';

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
  if ('problem' in read) return { problem: `${read.problem}. Fix the file, then run the command again` };
  const value = read.value ?? {};
  return isObject(value) ? { value } : { problem: 'it is not an object with settings' };
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
    for (const edit of steps) {
      const applied = applyEdit(value, edit);
      if (!isDeepStrictEqual(applied.value, value)) next = write(next, { value, edit, set });
      ({ value } = applied);
    }
    const after = await documentValue(next, syntax);
    if ('problem' in after || !isDeepStrictEqual(plain(after.value), plain(value)))
      return { problem: 'its form cannot be edited without a change to other parts' };
    return { text: mark + next, undo };
  } catch (error) {
    if (error instanceof ShapeError) return { problem: error.message };
    throw error;
  }
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
