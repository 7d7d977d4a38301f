import type { Context } from '../../context.ts';
import { table } from '../../output/table.ts';
import { canBeAdded, reasonOf, viewOf, type ImportRow } from './rows.ts';

const MAX_NAME = 40;
const MAX_TARGET = 60;

interface TableOptions {
  /** By which the rows are chosen; 0 for one that cannot be. */
  numbers?: number[];
  /** Nothing was changed. */
  isPlan?: boolean;
}

/** The rows for people. */
export function rowsTable(
  { style }: Pick<Context, 'style'>,
  rows: readonly ImportRow[],
  { numbers, isPlan = false }: TableOptions = {},
): string {
  const columns = [
    ...(numbers ? [{ title: '#', align: 'right' as const }] : []),
    { title: 'NAME' },
    { title: 'FROM' },
    { title: 'STATE' },
    { title: 'TRANSPORT' },
    { title: 'TARGET' },
    { title: 'NOTE' },
  ];
  const cells = rows.map((row, index) => {
    const { name, state, scope, transport, target, warnings } = viewOf(row);
    const { title } = row.file;
    const note = [reasonOf(row), ...(warnings ?? [])].filter((each) => each !== undefined).join('; ');
    return [
      ...(numbers ? [numbers[index] === 0 ? '' : numbers[index]] : []),
      name.slice(0, MAX_NAME),
      scope === 'user' ? title : `${title} (${scope})`,
      canBeAdded(row) && numbers ? 'new' : isPlan && state === 'added' ? 'would add' : state,
      transport ?? '-',
      (target ?? '-').slice(0, MAX_TARGET),
      note === '' ? '-' : note,
    ];
  });
  return table(style, columns, cells);
}
