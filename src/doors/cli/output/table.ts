import { visibleLine } from '../../../lib/visible-text.ts';
import type { Painted, Style } from './style.ts';

export type Cell = string | number | undefined | Painted;

export interface Column {
  title: string;
  align?: 'right';
  /** Never truncated, for example an id. */
  whole?: boolean;
  /** Truncated before all others. */
  yields?: boolean;
  /** Left out where the line is too long for the terminal. */
  optional?: boolean;
  /** Continued on further lines instead of truncated; for the last column. */
  wrap?: boolean;
}

const GAP = '  ';
const NARROWEST = 6;
const NARROWEST_WRAP = 20;
/** A cell is one line of an overview; `show` commands print the full text. */
const CELL_LIMIT = 2000;

/** Aligned columns, one line per row, never wider than the terminal. Hidden characters become visible. */
export function table(style: Style, columns: Column[], rows: Cell[][]): string {
  const cells = rows.map((row) => columns.map((_, index) => toCell(row[index])));
  const natural = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[index]!.text))),
  );
  const widths = shrink(natural, columns, style.width);
  const header = columns.map((column): Painted => ({ text: column.title, paint: style.colors.bold }));
  return [header, ...cells].map((row) => lines(row, columns, widths)).join('');
}

function lines(row: Painted[], columns: Column[], widths: number[]): string {
  const last = columns.length - 1;
  const room = Math.max(widths[last]!, NARROWEST_WRAP);
  if (!columns[last]!.wrap || displayWidth(row[last]!.text) <= widths[last]!)
    return `${line(row, columns, widths)}\n`;
  const indent = ' '.repeat(widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0));
  const [first = '', ...more] = wrapped(row[last]!.text, room);
  const { paint } = row[last]!;
  const top = line([...row.slice(0, last), { text: first, paint }], columns, [
    ...widths.slice(0, last),
    room,
  ]);
  return [top, ...more.map((text) => indent + paint(text))].map((text) => `${text}\n`).join('');
}

/** A command that follows a colon, with the mark that ends its sentence. */
const COMMAND = /(?<=:) (mcpproxy .+?)(?:[.;](?: |$)| (?=\()|$)/;

/** Breaks a text into lines that fit. A command of this program has a line of its own, whole, so that it can be copied. */
export function wrapped(text: string, room: number): string[] {
  if (displayWidth(text) <= room) return [text];
  // Every second part is a command.
  return text
    .split(COMMAND)
    .flatMap((part, index) => (index % 2 === 1 ? [part] : part === '' ? [] : filled(part, room)));
}

/** Breaks a text at spaces; a longer word is broken where the line ends. Nothing is left out. */
function filled(text: string, room: number): string[] {
  const result: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (displayWidth(joined) <= room) {
      current = joined;
      continue;
    }
    if (current !== '') result.push(current);
    current = word;
    while (displayWidth(current) > room) {
      const head = prefixWithin(current, room);
      result.push(head);
      current = current.slice(head.length);
    }
  }
  if (current !== '' || result.length === 0) result.push(current);
  return result;
}

function prefixWithin(text: string, room: number): string {
  let width = 0;
  let kept = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > room && kept !== '') return kept;
    kept += character;
  }
  return kept;
}

function toCell(cell: Cell): Painted {
  if (cell === undefined || cell === '') return { text: '-', paint: (text) => text };
  if (typeof cell !== 'object')
    return { text: visibleLine(String(cell).slice(0, CELL_LIMIT)), paint: (text) => text };
  return { text: visibleLine(cell.text), paint: cell.paint };
}

/** One row with fixed column widths, for continuous output. */
export function row(style: Style, columns: Array<Column & { width: number }>, cells: Cell[]): string {
  const widths = columns.map(({ width }) => width);
  return `${line(cells.map(toCell), columns, cutTail(widths, style.width))}\n`;
}

function line(row: Painted[], columns: Column[], widths: number[]): string {
  const last = row.length - 1;
  const parts = row.map(({ text, paint }, index) => {
    const shown = fit(text, widths[index]!);
    if (index === last && columns[index]!.align !== 'right') return paint(shown);
    const pad = ' '.repeat(widths[index]! - displayWidth(shown));
    return columns[index]!.align === 'right' ? pad + paint(shown) : paint(shown) + pad;
  });
  return parts.filter((_, index) => widths[index]! > 0).join(GAP);
}

/** Shrinks the widest column that may be truncated, until the line fits. */
function shrink(natural: number[], columns: Column[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1) - room;
  for (const [index, { optional }] of columns.entries())
    if (optional && over > 0) {
      over -= widths[index]! + GAP.length;
      widths[index] = 0;
    }
  const canShrink = (index: number) => !columns[index]!.whole && widths[index]! > NARROWEST;
  while (over > 0) {
    const isYielding = columns.some(({ yields }, index) => yields && canShrink(index));
    const candidates = widths.map((width, index) =>
      canShrink(index) && (!isYielding || columns[index]!.yields) ? width : 0,
    );
    const widest = Math.max(...candidates);
    if (widest === 0) break;
    const runnerUp = Math.max(NARROWEST, ...candidates.filter((width) => width < widest));
    const step = Math.max(1, Math.min(over, widest - runnerUp));
    widths[candidates.indexOf(widest)]! -= step;
    over -= step;
  }
  return cutTail(widths, room);
}

/** For a very narrow terminal: truncates or drops the columns on the right instead of wrapping. */
function cutTail(widths: number[], room: number): number[] {
  let start = 0;
  return widths.map((width) => {
    if (width === 0) return 0;
    const kept = Math.max(0, Math.min(width, room - start));
    start += kept + GAP.length;
    return kept;
  });
}

/** "Label  value" lines for the details of one object. Absent values are left out. */
export function fields(style: Style, entries: Array<[label: string, value: Cell]>): string {
  const present = entries.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...present.map(([label]) => displayWidth(label)));
  return present
    .map(([label, value]) => {
      const { text, paint } = toCell(value);
      const [first = '', ...more] = wrapped(text, Math.max(NARROWEST_WRAP, style.width - width - GAP.length));
      const indent = ' '.repeat(width + GAP.length);
      const top = `${style.colors.dim(label + ' '.repeat(width - displayWidth(label)))}${GAP}${paint(first)}\n`;
      return top + more.map((line) => `${indent}${paint(line)}\n`).join('');
    })
    .join('');
}

export function heading(style: Style, title: string): string {
  return `\n${style.colors.bold(title)}\n`;
}

const ZERO = /^[\p{M}\u200d]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** East Asian wide and fullwidth blocks; an approximation that is good enough for columns. */
const WIDE: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

function characterWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (ZERO.test(character)) return 0;
  if (EMOJI.test(character) || WIDE.some(([from, to]) => code >= from && code <= to)) return 2;
  return 1;
}

/** The number of terminal cells that the text occupies. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Truncates the text to the width, with an ellipsis. Reads only as much as needed. */
export function fit(text: string, room: number): string {
  if (room < 1) return '';
  let width = 0;
  let kept = '';
  let keptWithMark = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > room) return `${keptWithMark}…`;
    kept += character;
    if (width <= room - 1) keptWithMark = kept;
  }
  return kept;
}
