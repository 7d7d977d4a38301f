import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { Context } from '../../context.ts';
import { styleFor } from '../../output/style.ts';
import { asksFor, canBeAdded, type ImportRow } from './rows.ts';
import { rowsTable } from './rows-table.ts';

interface Choice {
  source: string | undefined;
  names: string[];
  all: boolean;
}

/** The rows to import: those that were named, all, or as a person chooses on a terminal. Undefined: nobody has chosen. */
export async function chooseRows(
  context: Context,
  rows: readonly ImportRow[],
  { source, names, all }: Choice,
): Promise<ImportRow[] | undefined> {
  const usable = rows.filter(canBeAdded);
  if (names.length > 0) return [...rows];
  // A project may come from somebody else, and its servers are programs that would start.
  if (all) return usable.filter(({ file }) => source === '-' || isNamed(source) || file.scope !== 'project');
  const { terminal } = context.io;
  if (!terminal.in || !terminal.err) return undefined;
  return askRows(context, rows, usable);
}

const isNamed = (source: string | undefined) => source !== undefined && /[./\\]/.test(source);

/** The rows with these names; all of them if no name is given. */
export function namedRows(rows: readonly ImportRow[], names: readonly string[]): ImportRow[] {
  if (names.length === 0) return [...rows];
  const has = ({ server, planned }: ImportRow, name: string) =>
    server.name === name || planned?.alias === name;
  const missing = names.find((name) => !rows.some((row) => has(row, name)));
  if (missing === undefined) return rows.filter((row) => names.some((name) => has(row, name)));
  const known = [...new Set(rows.map(({ server }) => visibleLine(server.name)))];
  const found = known.length === 0 ? 'No server was found at all' : `Found: ${known.join(', ')}`;
  throw new ProxyError('USAGE', `No server is named '${visibleLine(missing)}'. ${found}`);
}

const ATTEMPTS = 3;

async function askRows(
  context: Context,
  rows: readonly ImportRow[],
  usable: readonly ImportRow[],
): Promise<ImportRow[]> {
  context.io.err(
    rowsTable({ style: styleFor(context.io, 'err') }, rows, {
      added: 'new',
      numbers: rows.map((row) => usable.indexOf(row) + 1),
    }),
  );
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await context.io.ask('Import which? Numbers such as 1,3-5, "all", or Enter for none: ');
    const numbers = chosenNumbers(answer, usable.length);
    if (numbers) return numbers.map((number) => usable[number - 1]!);
    context.io.err(`Type numbers between 1 and ${usable.length}, "all", or nothing.\n`);
  }
  return [];
}

const NONE = ['', 'n', 'none'];
const EVERY = ['a', 'all'];

/** Undefined if the answer is no choice. */
export function chosenNumbers(answer: string, count: number): number[] | undefined {
  const text = answer.trim().toLowerCase();
  const every = Array.from({ length: count }, (_, index) => index + 1);
  if (NONE.includes(text)) return [];
  if (EVERY.includes(text)) return every;
  const ranges = text.split(/[\s,]+/).map((part) => rangeOf(part, count));
  if (ranges.includes(undefined)) return undefined;
  return every.filter((number) => ranges.some((range) => number >= range!.from && number <= range!.to));
}

function rangeOf(text: string, count: number): { from: number; to: number } | undefined {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from >= 1 && to <= count && from <= to ? { from, to } : undefined;
}

/** A misspelt id must not be ignored: its server would not be imported. */
export function checkInputs(rows: readonly ImportRow[], given: Record<string, string>): void {
  const known = new Set(rows.flatMap(({ server }) => server.inputs.map(({ id }) => id)));
  const unknown = Object.keys(given).find((id) => !known.has(id));
  if (unknown === undefined) return;
  const ids = known.size === 0 ? 'No server asks for a value' : `Known ids: ${[...known].join(', ')}`;
  throw new ProxyError('USAGE', visibleLine(`--input: no server asks for '${unknown}'. ${ids}`));
}

/** The values of --input. */
export function givenInputs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      // The value may be a secret, so the error names only the flag.
      if (at < 1) throw new ProxyError('USAGE', '--input must have the form ID=VALUE');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Asks for the values that the chosen servers need, each once. Without a terminal they stay missing. */
export async function askInputs(
  { io }: Context,
  chosen: readonly ImportRow[],
  given: Record<string, string>,
): Promise<Record<string, string>> {
  const values = { ...given };
  if (!io.terminal.in || !io.terminal.err) return values;
  for (const { server, planned } of chosen.filter((row) => asksFor(row.planned))) {
    const missing = new Set(planned?.inputs?.map(({ id }) => id));
    for (const { id, description, secret } of server.inputs) {
      if (!missing.has(id) || Object.hasOwn(values, id)) continue;
      const question = visibleLine(`${server.name}: ${description ?? id}: `);
      const answer = await (secret ? io.askSecret(question) : io.ask(question));
      if (answer !== '') values[id] = answer;
    }
  }
  return values;
}
