import { existsSync, readFileSync } from 'node:fs';
import { bad, good, type Cell } from './cell.ts';
import { launchOf, type Drive } from './drive.ts';
import { promptFor } from './model/decide.ts';
import { runHeadless } from './run-headless.ts';
import { DESTRUCTIVE_TOOL, GREETING, OVERWRITTEN, WRITE_TOOL } from './stage.ts';

const RUN_LIMIT_MS = 120_000;

export interface HeadlessCells {
  readonly read: Cell;
  readonly held: Cell;
  readonly restart: Cell;
  readonly write: Cell;
  readonly destructive: Cell;
}

/** The steps that need no person at the client, and what happens to calls that would need one. */
export async function driveHeadless(drive: Drive): Promise<HeadlessCells> {
  const ended = await prompt(drive, ['list', 'read', 'held', 'read-again', 'read-later']);
  const { results, decisions } = drive.model;
  const reads = (step: string): boolean => results.get(step)?.includes(GREETING) === true;
  const said = (step: string): Cell => bad('fails', results.get(step) ?? ended);
  const repeats = decisions.filter(({ step, again }) => step === 'held' && again === true).length;
  const completed = results.get('held')?.includes('greeting.txt') === true;
  /** A model makes a failed call once more; some programs reconnect only then. */
  const restartCell = (): Cell => {
    if (reads('read-again')) return good('the same session goes on');
    return reads('read-later') ? good('the same session goes on after one failed call') : said('read-again');
  };
  return {
    read: reads('read') ? good('passes') : said('read'),
    held: completed ? good(heldWords(repeats)) : said('held'),
    restart: restartCell(),
    write: await expectRefusal(drive, {
      step: 'make-folder',
      tool: WRITE_TOOL,
      hasRun: () => existsSync(drive.files.created),
    }),
    destructive: await expectRefusal(drive, {
      step: 'replace-file',
      tool: DESTRUCTIVE_TOOL,
      hasRun: () => readFileSync(drive.files.overwritten, 'utf8') === OVERWRITTEN,
    }),
  };
}

function heldWords(repeats: number): string {
  return repeats === 0 ? 'the call waits and completes' : 'pending; the repeated call completes';
}

interface Change {
  readonly step: string;
  readonly tool: string;
  readonly hasRun: () => boolean;
}

async function expectRefusal(drive: Drive, { step, tool, hasRun }: Change): Promise<Cell> {
  const ended = await prompt(drive, [step]);
  if (hasRun()) return bad('runs unasked without a person');
  const { decisions, results } = drive.model;
  if (decisions.length === 0) return bad('does not start', ended);
  const offered = decisions.some(({ answer }) => 'call' in answer);
  const reached = await drive.stage.callsOf(tool);
  if (reached > 0) return bad('reaches the proxy without a person', results.get(step));
  return good(offered ? 'refused' : 'not offered');
}

/** Gives the client one prompt and returns how its run ended, for the message of a step that failed. */
export async function prompt(drive: Drive, steps: readonly string[]): Promise<string> {
  drive.model.forget();
  const launch = launchOf(drive, drive.program.headless(promptFor(steps)));
  const { code, output, timedOut } = await runHeadless(launch, RUN_LIMIT_MS);
  return `${timedOut ? 'no end within the limit' : `exit code ${code}`}: ${output.slice(-300)}`;
}
