import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { driveClient, STEPS, type Cells, type DriveOptions } from './clients/drive-client.ts';
import { cacheFolder, install } from './clients/install.ts';
import { endWithOutside, runFolderInside, runInside, wallCommand } from './clients/loopback-only.ts';
import type { ClientProgram } from './clients/program.ts';
import { PROGRAMS } from './clients/programs.ts';
import { withRows, type Row } from './clients/table.ts';
import { hasTerminal } from './clients/terminal.ts';

const USAGE = `Drives real client programs against the built proxy, with a scripted model on loopback, and writes the table of
docs/reference/clients-tested.md. The programs come from npm into a cache; a program that cannot be had is skipped.

  npm run clients                    all clients
  npm run clients -- codex gemini    only these: ${PROGRAMS.map(({ id }) => id).join(' ')}
  npm run clients -- --dry-run       leaves the page as it is

Exit code 0: every step of every client as expected, 1: not so, or a client was skipped, 2: wrong usage.`;

const PAGE = new URL('../docs/reference/clients-tested.md', import.meta.url);

const { chosen, dryRun } = chosenPrograms();
const paths = await installAll(chosen);
const inside = runFolderInside();
process.exit(inside === undefined ? await driveOutside() : await driveAll(inside));

/** Makes the folder of this run and removes it when all processes of the run have ended. */
async function driveOutside(): Promise<number> {
  const runFolder = mkdtempSync(join(cacheFolder(), 'run-'));
  process.once('exit', () => rmSync(runFolder, { recursive: true, force: true, maxRetries: 5 }));
  const wall = await wallCommand();
  if (wall) return runInside(wall, runFolder);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  console.log(
    '*** No network namespace here: the programs are told to stay on loopback, but not forced to ***',
  );
  return driveAll(runFolder);
}

async function driveAll(runFolder: string): Promise<number> {
  if (inside !== undefined) endWithOutside();
  const inTerminal = await hasTerminal();
  if (!inTerminal)
    console.log('*** tmux is not installed: the dialogs of the clients are NOT tested in this run ***');
  const rows: Row[] = [];
  for (const program of chosen) {
    const row = await driveOne(program, { inTerminal, runFolder });
    rows.push(row);
    if (!dryRun) writeFileSync(PAGE, withRows(readFileSync(PAGE, 'utf8'), [row], PROGRAMS));
  }
  return rows.every(({ outcome }) => !('skipped' in outcome) && STEPS.every((step) => outcome[step].held))
    ? 0
    : 1;
}

async function driveOne(program: ClientProgram, where: Omit<DriveOptions, 'path'>): Promise<Row> {
  const date = new Date().toISOString().slice(0, 10);
  const path = paths.get(program.id)!;
  console.log(`\n${program.title} ${program.version}`);
  if (typeof path !== 'string') {
    console.log(`*** SKIPPED: ${path.message} ***`);
    return { program, date, outcome: { skipped: 'the program could not be installed' } };
  }
  const start = Date.now();
  const outcome = await driveClient(program, { path, ...where });
  print(outcome);
  console.log(`  ${Math.round((Date.now() - start) / 1000)} s`);
  return { program, date, outcome };
}

function print(cells: Cells): void {
  for (const step of STEPS) {
    const { held, says, detail } = cells[step];
    console.log(`  ${held ? ' ' : '!'} ${step.padEnd(12)} ${says}`);
    if (!held && detail) console.log(detail.replaceAll(/^/gm, '      | '));
  }
}

async function installAll(programs: readonly ClientProgram[]): Promise<Map<string, string | Error>> {
  const found = new Map<string, string | Error>();
  for (const program of programs)
    found.set(program.id, await install(program).catch((error: unknown) => new Error(String(error))));
  return found;
}

function chosenPrograms(): { chosen: readonly ClientProgram[]; dryRun: boolean } {
  try {
    const options = {
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      console.log(USAGE);
      return process.exit(0);
    }
    const unknown = positionals.filter((id) => !PROGRAMS.some((program) => program.id === id));
    if (unknown.length > 0) throw new Error(`There is no client ${unknown.join(', ')}.`);
    const chosen = PROGRAMS.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
    return { chosen, dryRun: values['dry-run'] };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(2);
  }
}
