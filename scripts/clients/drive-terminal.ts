import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bad, good, type Cell } from './cell.ts';
import { launchOf, type Drive } from './drive.ts';
import { promptFor } from './model/decide.ts';
import { DESTRUCTIVE_TOOL, ORIGINAL, OVERWRITTEN, WRITE_TOOL } from './stage.ts';
import { shows, submit } from './submit.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { waitFor } from './wait-for.ts';

export const START_LIMIT_MS = 120_000;
const STEP_LIMIT_MS = 60_000;
const MOST_PROMPTS = 5;
/** The rest of the screen may be drawn after the dialog. */
const DRAW_MS = 3000;
/** How long a dialog stays after a key that it took, at most; then the key is pressed again. */
const AGAIN_MS = 5000;

export interface TerminalCells {
  readonly write: Cell;
  readonly destructive: Cell;
}

/** A person at the client: sees the dialog of each change, says yes once, and later no. */
export async function driveTerminal(drive: Drive): Promise<TerminalCells> {
  const terminal = await openTerminal(launchOf(drive, drive.program.terminal.args));
  try {
    if (!(await shows(terminal, drive.program.terminal.ready, START_LIMIT_MS))) {
      const never = bad('no prompt in the terminal', await terminal.screen());
      return { write: never, destructive: never };
    }
    const write = await approveChange(drive, terminal);
    return {
      write,
      destructive: write.held ? await approveReplacement(drive, terminal) : bad('not reached'),
    };
  } finally {
    await terminal.close();
  }
}

/** Whether a call in a terminal leads to a dialog; it is answered with no. */
export async function asksInTerminal(drive: Drive, step: string): Promise<boolean> {
  const terminal = await openTerminal(launchOf(drive, drive.program.terminal.args));
  try {
    await shows(terminal, drive.program.terminal.ready, START_LIMIT_MS);
    const asked = await ask(drive, terminal, step);
    if (asked) await refuse(drive, terminal);
    return asked;
  } finally {
    await terminal.close();
  }
}

async function approveChange(drive: Drive, terminal: Terminal): Promise<Cell> {
  const { created } = drive.files;
  if (!(await ask(drive, terminal, 'make-folder'))) return bad('no dialog', await terminal.screen());
  const named = await shows(terminal, new RegExp(WRITE_TOOL), DRAW_MS);
  if (existsSync(created)) return bad('runs before the answer', await evidence(drive, terminal, WRITE_TOOL));
  if (!(await agree(drive, terminal, 'make-folder')) || !existsSync(created))
    return bad('does not run after yes', await terminal.screen());
  return dialogCell(named, 'dialog');
}

/** Yes to one destructive call is no yes to the next: it is asked again, and a no is kept. */
async function approveReplacement(drive: Drive, terminal: Terminal): Promise<Cell> {
  const { overwritten } = drive.files;
  const isReplaced = (): boolean => readFileSync(overwritten, 'utf8') === OVERWRITTEN;
  if (!(await ask(drive, terminal, 'replace-file'))) return bad('no dialog', await terminal.screen());
  const named = await shows(terminal, new RegExp(DESTRUCTIVE_TOOL), DRAW_MS);
  const told = () => evidence(drive, terminal, DESTRUCTIVE_TOOL);
  if (isReplaced()) return bad('runs before the answer', await told());
  if (!(await agree(drive, terminal, 'replace-file')) || !isReplaced())
    return bad('does not run after yes', await terminal.screen());
  writeFileSync(overwritten, ORIGINAL);
  if (!(await ask(drive, terminal, 'replace-file'))) return bad('not asked again', await terminal.screen());
  if (!(await refuse(drive, terminal))) return bad('no does not end the dialog', await terminal.screen());
  if (isReplaced()) return bad('runs after no', await told());
  return dialogCell(named, 'dialog, each time');
}

/** Who has done it: the keys of the person, and the calls that reached the proxy. */
async function evidence({ stage }: Drive, terminal: Terminal, tool: string): Promise<string> {
  const calls = await stage.timesOf(tool);
  return ['keys:', ...terminal.keys, 'calls:', ...calls, 'screen:', await terminal.screen()].join('\n');
}

function dialogCell(named: boolean, says: string): Cell {
  return good(named ? says : `${says}; it does not show which tool`);
}

/** Types the prompt and waits for the dialog. A client may still be connecting: then the tool is not offered yet. */
async function ask(drive: Drive, terminal: Terminal, step: string): Promise<boolean> {
  const { asks, ready } = drive.program.terminal;
  for (let tries = 0; tries < MOST_PROMPTS; tries++) {
    await shows(terminal, ready, STEP_LIMIT_MS);
    drive.model.forget();
    await submit(drive, terminal, promptFor([step]));
    const last = drive.model.decisions.at(-1);
    if (last && 'call' in last.answer) return shows(terminal, asks, STEP_LIMIT_MS);
    await shows(terminal, /was not offered/, STEP_LIMIT_MS);
  }
  return false;
}

/**
 * Yes to the one call that the dialog is about, until its result has reached the model: then the client is done with it. Programs ignore keys
 * right after a dialog appears, against answers by accident, so Enter may be needed again: never after a further call, whose dialog looks the same.
 */
async function agree({ program, model }: Drive, terminal: Terminal, step: string): Promise<boolean> {
  const { asks } = program.terminal;
  const calls = model.decisions.length;
  const isDone = (): boolean => model.results.has(step);
  const isSame = async (): Promise<boolean> =>
    model.decisions.length === calls && !isDone() && asks.test(await terminal.screen());
  for (let tries = 0; tries < MOST_PROMPTS && (await isSame()); tries++) {
    await terminal.press('Enter');
    await waitFor(AGAIN_MS, async () => !(await isSame()) || undefined);
  }
  return (
    (await waitFor(STEP_LIMIT_MS, () => isDone() || undefined)) === true && model.decisions.length === calls
  );
}

/** Presses Escape until the dialog is gone. */
async function refuse({ program }: Drive, terminal: Terminal): Promise<boolean> {
  const { asks } = program.terminal;
  for (let tries = 0; tries < MOST_PROMPTS; tries++) {
    await terminal.press('Escape');
    const gone = await waitFor(AGAIN_MS, async () => !asks.test(await terminal.screen()) || undefined);
    if (gone) return true;
  }
  return false;
}
