import { spawn } from 'node:child_process';

export interface Launch {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HeadlessResult {
  readonly code: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

const MOST_OUTPUT = 200_000;

/** Runs a program without a terminal to its end, or ends it and its children at the limit. */
export async function runHeadless(launch: Launch, limitMs: number): Promise<HeadlessResult> {
  const child = spawn(launch.path, launch.args, {
    cwd: launch.cwd,
    env: { ...launch.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let timedOut = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-MOST_OUTPUT)));
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child.pid);
  }, limitMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      // Not "close": a child that a program leaves behind may keep the pipes open.
      child.once('exit', resolve);
    });
    return { code, output, timedOut };
  } finally {
    clearTimeout(timer);
    endGroup(child.pid);
  }
}

/** Ends the process group that we started, with what is left in it. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
