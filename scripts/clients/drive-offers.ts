import { bad, good, type Cell } from './cell.ts';
import { launchOf, type Drive } from './drive.ts';
import { prompt } from './drive-headless.ts';
import { START_LIMIT_MS } from './drive-terminal.ts';
import { promptFor } from './model/decide.ts';
import { NOTE } from './stage.ts';
import { shows, submit } from './submit.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { waitFor } from './wait-for.ts';

const MOST_TRIES = 5;
const OFFER_MS = 5000;
const ANSWER_MS = 10_000;
const STEP_LIMIT_MS = 60_000;
/** Clients write the name of a prompt, and an offered resource, in forms of their own. */
const COMMAND = /\S*desk[:_]greet\S*/;
const MENTION = /mcpproxy:\/\/desk|A note for visitors/;
const MENTION_TYPED = 'look @note';
const MENTION_CHOSEN = /look @\S*note\.txt/;
const MOST_TYPED = 40;
const FORM = /Please sign the guest book/;
const SIGNED = 'Signed by Ada';

export interface OfferCells {
  readonly prompt: Cell;
  readonly resource: Cell;
  readonly elicitation: Cell;
}

/** What a person gets in the client besides tools: prompts as commands, resources to attach, questions of servers. */
export async function driveOffers(drive: Drive, inTerminal: boolean): Promise<OfferCells> {
  const { offers } = drive.program;
  if (!inTerminal) {
    const untested = good('not tested');
    return { prompt: untested, resource: untested, elicitation: untested };
  }
  return {
    prompt: await expected(drive, offers.prompt, usePrompt),
    resource:
      offers.resource === 'model'
        ? await readByModel(drive)
        : await expected(drive, offers.resource, attachResource),
    elicitation: offers.elicitation ? await inOwnTerminal(drive, answerForm) : await refuseForm(drive),
  };
}

type Attempt = (drive: Drive, terminal: Terminal) => Promise<Cell>;

async function inOwnTerminal(drive: Drive, attempt: Attempt): Promise<Cell> {
  const terminal = await openTerminal(launchOf(drive, drive.program.terminal.args));
  try {
    await shows(terminal, drive.program.terminal.ready, START_LIMIT_MS);
    return await attempt(drive, terminal);
  } finally {
    await terminal.close();
  }
}

/** A program that does not have the feature is seen not to have it; once it has, its file must say so. */
async function expected(drive: Drive, isOffered: boolean, attempt: Attempt): Promise<Cell> {
  const seen = await inOwnTerminal(drive, attempt);
  if (isOffered) return seen;
  return seen.held ? bad('the client has it now', seen.says) : good(`the client cannot: ${seen.says}`);
}

async function usePrompt(drive: Drive, terminal: Terminal): Promise<Cell> {
  const { reload } = drive.program.offers;
  const again = reload === undefined ? undefined : () => runCommand(terminal, reload);
  const screen = await offered(terminal, { text: '/greet', pattern: COMMAND, again });
  if (screen === undefined) return bad('typing `/greet` offers nothing', await terminal.screen());
  drive.model.forget();
  const isSent = (): boolean => drive.model.results.has('read');
  if (!(await pressUntil(terminal, isSent))) return bad('the model did not get it', await terminal.screen());
  return good(`command \`${COMMAND.exec(screen)![0]}\``);
}

async function attachResource(drive: Drive, terminal: Terminal): Promise<Cell> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if ((await offered(terminal, { text: MENTION_TYPED, pattern: MENTION })) === undefined)
      return bad('typing `@note` offers nothing', await terminal.screen());
    await terminal.press('Tab');
    if (await shows(terminal, MENTION_CHOSEN, OFFER_MS)) break;
    // The list was still changing, and another entry was the first one.
    await terminal.erase(MOST_TYPED);
  }
  const isSent = (): boolean => drive.model.hasHeard(NOTE);
  if (!(await pressUntil(terminal, isSent))) return bad('the model did not get it', await terminal.screen());
  return good('attached with `@`');
}

/** The client gives its model tools to read resources with. */
async function readByModel(drive: Drive): Promise<Cell> {
  const ended = await prompt(drive, ['read-resource']);
  const result = drive.model.results.get('read-resource');
  return result?.includes(NOTE) === true
    ? good('the model reads it with a tool of the client; none to attach')
    : bad('fails', result ?? ended);
}

async function answerForm(drive: Drive, terminal: Terminal): Promise<Cell> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    drive.model.forget();
    await submit(drive, terminal, promptFor(['sign']));
    const last = drive.model.decisions.at(-1);
    if (last && 'call' in last.answer) break;
    // It may still be connecting: then the tool is not offered yet.
    await shows(terminal, /was not offered/, OFFER_MS);
  }
  if (!(await shows(terminal, FORM, STEP_LIMIT_MS))) return bad('no form', await terminal.screen());
  await terminal.type('Ada');
  await shows(terminal, /Ada/, OFFER_MS);
  const isSigned = (): boolean => drive.model.results.get('sign')?.includes(SIGNED) === true;
  if (await pressUntil(terminal, isSigned)) return good('the form is shown and answered');
  return bad('the answer does not arrive', await terminal.screen());
}

async function refuseForm(drive: Drive): Promise<Cell> {
  const ended = await prompt(drive, ['sign']);
  const result = drive.model.results.get('sign');
  if (result === undefined) return bad('fails', ended);
  if (result.includes('Signed by')) return bad('the client has it now', result);
  return good('the client cannot: the server is told so');
}

async function runCommand(terminal: Terminal, command: string): Promise<void> {
  await terminal.type(command);
  await shows(terminal, new RegExp(command), OFFER_MS);
  await terminal.press('Enter');
}

interface Search {
  readonly text: string;
  readonly pattern: RegExp;
  /** What is done after the text has led to nothing, before it is typed again. */
  readonly again?: (() => Promise<void>) | undefined;
}

/** Types until the client offers something: it may still be connecting. The screen that offers it. */
async function offered(terminal: Terminal, search: Search): Promise<string | undefined> {
  const { text, pattern, again } = search;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await terminal.type(text);
    const screen = await waitFor(OFFER_MS, async () => {
      const now = await terminal.screen();
      return pattern.test(now) ? now : undefined;
    });
    if (screen !== undefined) return screen;
    await terminal.erase(text.length);
    await again?.();
  }
  return undefined;
}

async function pressUntil(terminal: Terminal, isDone: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await terminal.press('Enter');
    if (await waitFor(ANSWER_MS, () => isDone() || undefined)) return true;
  }
  return false;
}
