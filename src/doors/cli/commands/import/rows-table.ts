import type { Context } from '../../context.ts';
import { table, wrapped } from '../../output/table.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { canBeAdded, reasonOf, viewOf, type ImportRow } from './rows.ts';

const MAX_NAME = 40;
const MAX_TARGET = 60;
const NOTE_INDENT = '    ';
const NARROWEST_NOTE = 20;

interface TableOptions {
  /** By which the rows are chosen; 0 for one that cannot be. */
  numbers?: number[];
  /** The state of a server that was added, or would be. */
  added: 'added' | 'new' | 'would add';
}

/** The rows for people. Notes follow below their row, so that they are never cut. */
export function rowsTable(
  { style }: Pick<Context, 'style'>,
  rows: readonly ImportRow[],
  { numbers, added }: TableOptions,
): string {
  const columns = [
    ...(numbers ? [{ title: '#', align: 'right' as const, whole: true }] : []),
    { title: 'NAME', whole: true },
    { title: 'FROM', whole: true },
    { title: 'STATE', whole: true },
    { title: 'TARGET' },
  ];
  const cells = rows.map((row, index) => {
    const { name, state, scope, target } = viewOf(row);
    const { title } = row.file;
    const isNew = state === 'added' || (canBeAdded(row) && numbers !== undefined);
    return [
      ...(numbers ? [numbers[index] === 0 ? '' : numbers[index]] : []),
      name.slice(0, MAX_NAME),
      scope === 'user' ? title : `${title} (${scope})`,
      isNew ? added : state,
      (target ?? '-').slice(0, MAX_TARGET),
    ];
  });
  const [header = '', ...lines] = table(style, columns, cells).trimEnd().split('\n');
  const room = Math.max(NARROWEST_NOTE, style.width - NOTE_INDENT.length);
  const blocks = lines.map((line, index) => [line, ...noteLines(rows[index]!, room)].join('\n'));
  return `${[header, ...blocks].join('\n')}\n`;
}

function noteLines(row: ImportRow, room: number): string[] {
  const { name, alias, state, warnings = [] } = viewOf(row);
  const isDerived = state === 'added' && alias !== null && alias !== name;
  const notes = [reasonOf(row), isDerived ? `alias: ${alias}` : undefined, ...warnings];
  return notes
    .filter((note) => note !== undefined)
    .flatMap((note) => wrapped(visibleLine(note), room))
    .map((line) => NOTE_INDENT + line);
}
