import { parse } from 'smol-toml';
import { isObject } from '../../../json/index.ts';
import { eolOf } from './edit-json.ts';
import { headerOf } from './edit-toml.ts';

/** Lines of a TOML text that were taken out. */
export interface CutText {
  text: string;
  /** The table that followed; null: the end of the text. */
  before: string[] | null;
  /** Lines of a table that stays: its header; empty: what comes before all tables. */
  within?: string[] | undefined;
}

interface Segment {
  header: string[] | null;
  lines: string[];
}

/** A table with the comment directly above it, up to the next one. The first segment is what comes before all tables. */
function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [{ header: null, lines: [] }];
  for (const line of text.split('\n')) {
    const header = headerOf(line);
    const { lines } = segments.at(-1)!;
    if (!header) {
      lines.push(line);
      continue;
    }
    let lead = lines.length;
    while (lead > 0 && /^\s*#/.test(lines[lead - 1]!)) lead--;
    segments.push({ header, lines: [...lines.splice(lead), line] });
  }
  return segments;
}

const isBelow = (header: readonly string[] | null, path: readonly string[]): boolean =>
  header !== null && path.every((key, index) => header[index] === key);

const isSame = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a !== null && b !== null && a.length === b.length && a.every((key, index) => b[index] === key);

const textOf = (segments: readonly Segment[]): string => segments.flatMap(({ lines }) => lines).join('\n');

/** Takes a table and those below it out, with their comments; also one that is written as a value (`name = {…}`) or by dotted keys. */
export function cutFromToml(text: string, path: readonly string[]): { rest: string; cuts: CutText[] } {
  const segments = segmentsOf(text);
  const cuts: CutText[] = [];
  const kept: Segment[] = [];
  segments.forEach((segment, index) => {
    const { header, lines } = segment;
    if (isBelow(header, path)) {
      const next = segments.slice(index + 1).find((each) => !isBelow(each.header, path));
      cuts.push({ text: lines.join('\n'), before: next?.header ?? null });
      return;
    }
    const within = header ?? [];
    const { rest, cut } = isBelow(path.slice(0, -1), within)
      ? cutStatements(lines, path.slice(within.length))
      : { rest: lines, cut: [] };
    if (cut.length > 0) cuts.push({ text: cut.join('\n'), before: null, within: [...within] });
    kept.push({ header, lines: rest });
  });
  const rest = textOf(kept);
  return { rest: rest === '' || rest.endsWith('\n') ? rest : rest + eolOf(text), cuts };
}

const MAX_LINES = 100;

/** The lines of a table without the statements that set a value at this path, with the comments directly above them. */
function cutStatements(lines: readonly string[], path: readonly string[]): { rest: string[]; cut: string[] } {
  const rest: string[] = [];
  const cut: string[] = [];
  for (let at = 0; at < lines.length;) {
    const { count, value } = statementAt(lines, at);
    const statement = lines.slice(at, at + count);
    at += count;
    if (!setsOnly(value, path)) {
      rest.push(...statement);
      continue;
    }
    let lead = rest.length;
    while (lead > 0 && /^\s*#/.test(rest[lead - 1]!)) lead--;
    cut.push(...rest.splice(lead), ...statement);
  }
  return { rest, cut };
}

/** A list or a text can go on over several lines. */
function statementAt(lines: readonly string[], at: number): { count: number; value?: unknown } {
  if (!lines[at]!.includes('=') || /^\s*[#[]/.test(lines[at]!)) return { count: 1 };
  for (let count = 1; count <= MAX_LINES && at + count <= lines.length; count++)
    try {
      return { count, value: parse(`${lines.slice(at, at + count).join('\n')}\n`) };
    } catch {
      // It goes on in the next line, or is no statement.
    }
  return { count: 1 };
}

/** Whether a statement sets this value, or a part of it, and nothing else. */
function setsOnly(value: unknown, path: readonly string[]): boolean {
  let inner = value;
  for (const key of path) {
    if (!isObject(inner) || Object.keys(inner).length !== 1 || !Object.hasOwn(inner, key)) return false;
    inner = inner[key];
  }
  return true;
}

/** Puts the lines back: into their table, before the table that followed them, or at the end. */
export function putInToml(text: string, cuts: readonly CutText[]): string {
  const segments = segmentsOf(text);
  const atEnd: string[] = [];
  for (const { text: cut, before, within } of cuts) {
    const lines = cut.split('\n');
    if (within) {
      const table = within.length === 0 ? segments[0] : segments.find(({ header }) => isSame(header, within));
      if (table) table.lines.splice(endOf(table.lines), 0, ...lines);
      else atEnd.push([`[${within.map((key) => JSON.stringify(key)).join('.')}]`, ...lines].join('\n'));
      continue;
    }
    const at = segments.findIndex(({ header }) => isSame(header, before));
    if (at < 0) atEnd.push(cut.trimEnd());
    else segments.splice(at, 0, { header: null, lines });
  }
  const rest = textOf(segments);
  if (atEnd.length === 0) return rest;
  const eol = eolOf(text);
  const head = rest.trim() === '' ? '' : rest.trimEnd() + eol + eol;
  return `${head}${atEnd.join(eol + eol)}${eol}`;
}

/** Where the blank lines at the end begin. */
function endOf(lines: readonly string[]): number {
  let end = lines.length;
  while (end > 0 && lines[end - 1]!.trim() === '') end--;
  return end;
}
