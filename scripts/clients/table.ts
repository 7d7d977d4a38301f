import type { Cell } from './cell.ts';
import { STEPS, type Cells } from './drive-client.ts';
import type { ClientProgram } from './program.ts';

const START = '<!-- clients: made by `npm run clients` -->';
const END = '<!-- end of clients -->';
const HEADINGS = ['client', 'version', 'tested', ...STEPS];

export interface Row {
  readonly program: ClientProgram;
  /** ISO date of the run. */
  readonly date: string;
  readonly outcome: Cells | { readonly skipped: string };
}

/** The page with new rows. A client that did not run this time keeps its row; the order is that of the programs. */
export function withRows(page: string, rows: readonly Row[], programs: readonly ClientProgram[]): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error(`the page needs the lines "${START}" and "${END}"`);
  const kept = rowsByTitle(page.slice(start, end));
  for (const row of rows) kept.set(row.program.title, renderRow(row));
  const lines = programs.flatMap(({ title }) => kept.get(title) ?? []);
  const table = [line(HEADINGS), line(HEADINGS.map(() => '---')), ...lines].join('\n');
  return `${page.slice(0, start)}${START}\n\n${table}\n\n${page.slice(end)}`;
}

/** The titles of the clients that the page has a row for. */
export function titlesIn(page: string): string[] {
  return [...rowsByTitle(page.slice(page.indexOf(START), page.indexOf(END))).keys()];
}

function rowsByTitle(table: string): Map<string, string> {
  const lines = table.split('\n').filter((text) => text.startsWith('| '));
  return new Map(lines.slice(2).map((text) => [text.split('|')[1]!.trim(), text]));
}

function renderRow({ program, date, outcome }: Row): string {
  const cells =
    'skipped' in outcome
      ? [`SKIPPED: ${plain(outcome.skipped)}`, ...STEPS.slice(1).map(() => '–')]
      : STEPS.map((step) => renderCell(outcome[step]));
  return line([program.title, program.version, date, ...cells]);
}

function renderCell({ held, says }: Cell): string {
  return held ? plain(says) : `**no**: ${plain(says)}`;
}

/** Text of programs must not break the table. */
function plain(text: string): string {
  return text
    .replaceAll(/[|\s]+/g, ' ')
    .trim()
    .slice(0, 160);
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
