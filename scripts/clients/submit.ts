import type { ScriptedModel } from './model/server.ts';
import type { Terminal } from './terminal.ts';
import { waitFor } from './wait-for.ts';

const MOST_PROMPTS = 5;
/** How long a program on a busy machine takes to show what was typed. */
const ECHO_MS = 10_000;
/** How long a program takes for an Enter, at most; then it is pressed again. */
const SLOW_MS = 20_000;
/** How long a program takes to show a key that it has, at most. */
const READ_MS = 60_000;
/** No prompt and no screen contains it. */
const MARK = 'qzqz';

/**
 * Types a prompt and sends it. Programs drop keys while they draw their first screen, so both the text and the Enter are checked. An Enter that
 * was pressed again, and that a slow program reads later, would answer the dialog that the prompt leads to. So the model does not answer before
 * the program has read every key.
 */
export async function submit(
  { model, slowMs = SLOW_MS }: { readonly model: ScriptedModel; readonly slowMs?: number },
  terminal: Terminal,
  prompt: string,
): Promise<void> {
  await typeInto(terminal, prompt);
  const resume = model.pause();
  try {
    let presses = 0;
    while (presses < MOST_PROMPTS && model.decisions.length === 0) {
      await terminal.press('Enter');
      presses++;
      await waitFor(slowMs, () => model.decisions.length > 0 || undefined);
    }
    if (presses > 1) await allRead(terminal);
  } finally {
    resume();
  }
}

/** What is shown too late is erased before the text is typed again: twice on one line it is another prompt. */
async function typeInto(terminal: Terminal, text: string): Promise<void> {
  const before = count(await terminal.screen(), text);
  for (let tries = 0; tries < MOST_PROMPTS; tries++) {
    await terminal.type(text);
    const isTyped = async () => count(await terminal.screen(), text) > before || undefined;
    if ((await waitFor(ECHO_MS, isTyped)) === true) return;
    if (tries < MOST_PROMPTS - 1) await terminal.erase(text.length);
  }
}

/** Keys are read in their order: a text that is on the screen was read after every key before it. */
async function allRead(terminal: Terminal): Promise<void> {
  await terminal.type(MARK);
  await waitFor(READ_MS, async () => (await terminal.screen()).includes(MARK) || undefined);
  await terminal.erase(MARK.length);
}

const count = (text: string, part: string): number => text.split(part).length - 1;

export async function shows(terminal: Terminal, pattern: RegExp, limitMs: number): Promise<boolean> {
  const seen = await waitFor(limitMs, async () => pattern.test(await terminal.screen()) || undefined);
  return seen === true;
}
