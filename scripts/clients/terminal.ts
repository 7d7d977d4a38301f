import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Launch } from './run-headless.ts';

const run = promisify(execFile);
const ENDING_MS = 3000;
const LAST_WRITE_MS = 20_000;
const STEP_MS = 200;

/** A program in a terminal of its own, with a screen that can be read and a keyboard. */
export interface Terminal {
  screen(): Promise<string>;
  type(text: string): Promise<void>;
  press(...keys: ('Enter' | 'Escape' | 'Up' | 'Down' | 'Tab')[]): Promise<void>;
  erase(characters: number): Promise<void>;
  /** Everything that was typed and pressed, oldest first, each with its time: whether a call ran against a no must be certain. */
  readonly keys: readonly string[];
  close(): Promise<void>;
}

export async function hasTerminal(): Promise<boolean> {
  return run('tmux', ['-V']).then(
    () => true,
    () => false,
  );
}

/** tmux draws the screen as a person sees it. Its server is ours alone and ends with `close`. */
export async function openTerminal(launch: Launch): Promise<Terminal> {
  const env = { ...launch.env, TMUX_TMPDIR: dirname(launch.cwd) };
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-L', 'client', '-f', '/dev/null', ...args], { env, timeout: 10_000 })).stdout;
  const size = ['-x', '140', '-y', '60'];
  const open = () =>
    tmux('new-session', '-d', '-s', 'client', ...size, '-c', launch.cwd, launch.path, ...launch.args);
  // The server of the terminal before may still be ending.
  await open().catch(() => sleep(ENDING_MS).then(open));
  const pid = Number(await tmux('display-message', '-p', '#{pane_pid}').catch(() => ''));
  const keys: string[] = [];
  const send = async (what: string, ...args: string[]): Promise<void> => {
    keys.push(`${new Date().toISOString()} ${what}`);
    await tmux('send-keys', '-t', 'client', ...args);
  };
  return {
    keys,
    screen: () => tmux('capture-pane', '-p', '-t', 'client'),
    type: (text) => send(JSON.stringify(text), '-l', text),
    press: (...pressed) => send(pressed.join(' '), ...pressed),
    erase: (characters) => send(`BSpace x ${characters}`, '-N', String(characters), 'BSpace'),
    async close() {
      // The server is gone already when the program ended by itself.
      await tmux('kill-server').catch(() => '');
      await end(pid);
    },
  };
}

/** Some programs write their settings once more when they end: what is done next would be overwritten. */
async function end(pid: number): Promise<void> {
  if (!(pid > 0)) return;
  try {
    for (const until = Date.now() + LAST_WRITE_MS; Date.now() < until; await sleep(STEP_MS))
      process.kill(pid, 0);
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
