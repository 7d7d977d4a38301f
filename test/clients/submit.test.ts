import { afterEach, expect, test } from 'vitest';
import { promptFor } from '../../scripts/clients/model/decide.ts';
import { startModel, type ScriptedModel } from '../../scripts/clients/model/server.ts';
import { submit } from '../../scripts/clients/submit.ts';
import type { Terminal } from '../../scripts/clients/terminal.ts';

const PROMPT = promptFor(['change']);
let model: ScriptedModel | undefined;
afterEach(() => model?.close());

/** A program that sends its input on Enter, then reads no key until the model has answered or a second has passed, and asks before it calls. */
function slowProgram(ask: (prompt: string) => Promise<unknown>) {
  const seen = { input: '', dialog: false, ran: false };
  const keys: string[] = [];
  let answer: Promise<unknown> | undefined;
  let reading = Promise.resolve();
  const read = async (key: string): Promise<void> => {
    if (answer) await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 1000))]);
    if (key === 'BSpace') seen.input = seen.input.slice(0, -1);
    else if (key !== 'Enter') seen.input += key;
    else if (seen.dialog) seen.ran = true;
    else if (!answer) {
      answer = ask(seen.input).then(() => (seen.dialog = true));
      seen.input = '';
    }
  };
  const press = async (...pressed: string[]): Promise<void> => {
    keys.push(...pressed);
    for (const key of pressed) reading = reading.then(() => read(key));
  };
  const terminal: Terminal = {
    keys,
    screen: async () => `${seen.input}${seen.dialog ? ' Proceed?' : ''}`,
    type: (text) => press(text),
    press,
    erase: (characters) => press(...Array<string>(characters).fill('BSpace')),
    close: async () => undefined,
  };
  const settled = async (): Promise<void> => {
    await answer;
    await reading;
  };
  return { terminal, seen, settled };
}

test(
  'an Enter that was pressed again does not answer the dialog of the prompt',
  { timeout: 120_000 },
  async () => {
    const script = { change: { tool: 'call_tool_write', args: {} } };
    const started = await startModel({ script });
    model = started;
    const tools = [{ name: 'call_tool_write' }];
    const program = slowProgram(async (content) => {
      // The driver sees no request for a while, and presses Enter again.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const body = JSON.stringify({ tools, messages: [{ role: 'user', content }] });
      await fetch(`${started.url}/v1/messages`, { method: 'POST', body }).then((response) => response.text());
    });
    await submit({ model: started, slowMs: 1 }, program.terminal, PROMPT);
    await program.settled();
    expect(program.terminal.keys.filter((key) => key === 'Enter').length).toBeGreaterThan(1);
    expect(program.seen).toMatchObject({ dialog: true, ran: false });
  },
);
