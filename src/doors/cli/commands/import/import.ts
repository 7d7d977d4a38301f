import type { Command } from 'commander';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { define, repeated, type Bind } from '../../define.ts';
import type { ClientFile } from '../../runtime.ts';
import { readAll } from '../read-args.ts';
import { askInputs, checkInputs, chooseRows, givenInputs, namedRows } from './choose.ts';
import {
  canBeAdded,
  importBody,
  presetInputs,
  rowsOf,
  viewOf,
  withFailures,
  withPlan,
  type ImportRow,
} from './rows.ts';
import { rowsTable } from './rows-table.ts';
import { stateSummary } from './wait.ts';

interface ImportFlags {
  all?: boolean;
  dryRun?: boolean;
  input?: string[];
}

export function importServers(bind: Bind): Command {
  return define('import', {
    summary: 'Import the servers of other clients',
    description:
      'Import the servers of Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Qwen Code, Windsurf, Zed, Cline, Roo Code, Continue, opencode, Copilot CLI, goose and JetBrains. Without a source, all files of these clients are searched: those of the user, and those of the project in the current directory. Their files are not changed. Secrets in them are moved to files that only you can read; the configuration refers to them. A second run changes nothing.',
    examples: [
      'mcpproxy import --all',
      'mcpproxy import cursor github --dry-run -o json',
      'mcpproxy import ./.mcp.json --all',
    ],
  })
    .usage('[options] [CLIENT | FILE | -] [names...]')
    .argument('[source]', 'a client such as "cursor", a file, or - for standard input; default: all clients')
    .argument('[names...]', 'servers to import')
    .option('--all', 'import every server; of a project file only if the file is named')
    .option('--dry-run', 'show what would be imported')
    .addOption(
      repeated(
        '--input <id=value>',
        "value of an input that a server asks for, best as a reference: 'ID=${env:NAME}'; can be repeated",
      ),
    )
    .action(
      bind<ImportFlags>((context, flags, ...args) => {
        // The last argument is variadic: commander gives it as a list.
        const [source, names] = args as unknown as [string | undefined, string[]];
        return run(context, flags, { source, names });
      }),
    );
}

interface Wanted {
  source: string | undefined;
  names: string[];
}

async function run(context: Context, flags: ImportFlags, wanted: Wanted): Promise<number> {
  const given = givenInputs(flags.input ?? []);
  const files = await findFiles(context, wanted.source);
  const rows = rowsOf(files);
  checkInputs(rows, given);
  // Nothing is created before somebody has chosen.
  const all = await withProxy(context, 'daemon-or-preview', (reached) =>
    plan(reached, rows, { ...presetInputs(rows), ...given }),
  );
  reportFiles(context, files);
  const planned = namedRows(all, wanted.names);
  if (flags.dryRun === true || !planned.some(canBeAdded)) {
    await printRows(context, { rows: planned, files, added: 'would add' });
    hint(context, flags.dryRun === true ? 'Nothing was changed.' : nothingNew(planned));
    return EXIT.ok;
  }
  const chosen = await chooseRows(context, planned, { ...wanted, all: flags.all === true });
  if (chosen === undefined) {
    await printRows(context, { rows: planned, files, added: 'new' });
    throw new ProxyError(
      'USAGE',
      'Nothing was imported. Choose the servers by name after the source, or import all with --all',
    );
  }
  if (chosen.length === 0) {
    hint(context, 'Nothing was imported.');
    return EXIT.ok;
  }
  return withProxy(context, 'daemon-or-offline', (reached) =>
    take(context, reached, { all, planned, chosen, files, given }),
  );
}

async function findFiles({ runtime, io }: Context, source: string | undefined): Promise<ClientFile[]> {
  if (source === '-') {
    const text = await readAll(io.stdin, 'stdin');
    if (text.trim() === '')
      throw new ProxyError('USAGE', 'Standard input is empty. Give it the content of a configuration file');
    return runtime.findServers({ text });
  }
  return runtime.findServers(source === undefined ? {} : { named: source });
}

async function plan(
  { request }: Reached,
  rows: ImportRow[],
  inputs: Record<string, string>,
): Promise<ImportRow[]> {
  const body = importBody(rows, rows);
  if (body.servers?.length === 0) return rows;
  const { servers } = await request('importServers', { body: { ...body, inputs, dry_run: true } });
  return withPlan(rows, servers);
}

interface Chosen {
  all: ImportRow[];
  planned: ImportRow[];
  chosen: ImportRow[];
  files: ClientFile[];
  given: Record<string, string>;
}

async function take(context: Context, reached: Reached, choice: Chosen): Promise<number> {
  const { all, planned, chosen, files, given } = choice;
  const inputs = { ...presetInputs(planned), ...(await askInputs(context, chosen, given)) };
  const body = importBody(all, chosen);
  const { servers } = await reached.request('importServers', { body: { ...body, inputs } });
  const done = withPlan(planned, servers);
  const entries = new Set(chosen.map(({ entry }) => entry));
  const isChosen = ({ entry }: ImportRow) => entries.has(entry);
  const added = done.filter((row) => isChosen(row) && row.planned?.state === 'added');
  const { summary, failures } = await stateSummary(context, reached, added);
  const rows = withFailures(
    done.filter((row) => isChosen(row) || !canBeAdded(row)),
    failures,
  );
  await printRows(context, { rows, files, added: 'added' });
  hint(context, added.length === 0 ? nothingNew(rows) : `${summary}${unusable(rows)}`);
  hintProjects(
    context,
    done.filter((row) => !isChosen(row)),
  );
  return EXIT.ok;
}

function hintProjects(context: Context, others: readonly ImportRow[]): void {
  const left = others.filter((row) => canBeAdded(row) && row.file.scope === 'project');
  for (const file of new Set(left.map((row) => row.file.file)))
    hint(
      context,
      `The file of a project was left out. Import it with: mcpproxy import ${visibleLine(file)} --all`,
    );
}

function nothingNew(rows: readonly ImportRow[]): string {
  if (rows.length === 0) return 'No servers of other clients were found. Add one with: mcpproxy upstream add';
  return `Nothing new to import.${unusable(rows)}`;
}

/** Entries that cannot be used are no servers, so they are counted apart from those that do not start. */
function unusable(rows: readonly ImportRow[]): string {
  const names = rows.map(viewOf).flatMap(({ name, state }) => (state === 'failed' ? [name] : []));
  if (names.length === 0) return '';
  const count = names.length === 1 ? '1 entry' : `${names.length} entries`;
  return visibleLine(` ${count} cannot be imported: ${names.join(', ')}. The list has the reasons.`);
}

/** Files that cannot be read, on stderr in every output format. */
function reportFiles({ io }: Context, files: readonly ClientFile[]): void {
  for (const { title, file, problem } of files)
    if (problem !== undefined) io.err(`${visibleLine(`${title}: ${file}: ${problem}`)}\n`);
}

interface Listed {
  rows: readonly ImportRow[];
  files: readonly ClientFile[];
  added: 'added' | 'new' | 'would add';
}

async function printRows(context: Context, { rows, files, added }: Listed): Promise<void> {
  const value = {
    dry_run: added !== 'added',
    servers: rows.map(viewOf),
    files: files.map(({ file, client, scope, problem, servers }) => ({
      file,
      client: client ?? null,
      scope,
      servers: servers.length,
      ...(problem !== undefined && { problem }),
    })),
  };
  await print(context, value, () => (rows.length === 0 ? '' : rowsTable(context, rows, { added })));
}
