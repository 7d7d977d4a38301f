import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cleanEnv, MAIN } from './start-proxy.ts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  home: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
}

const LIMIT_MS = 280_000;

/** A command of the built program, still running. */
export function spawnCli(args: string[], { home, env = {} }: CliOptions): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...cleanEnv(home), ...env },
    cwd: home,
    stdio: 'pipe',
    timeout: LIMIT_MS,
  });
}

/** A command of the built program from start to end. */
export async function runCli(args: string[], options: CliOptions): Promise<CliResult> {
  const child = spawnCli(args, options);
  child.stdin.end(options.input ?? '');
  return finished(child);
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A command that goes on until it is stopped, and what it has printed so far. */
export function watchCli(args: string[], options: CliOptions) {
  const child = spawnCli(args, options);
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
  return { seen: () => seen, result: finished(child), interrupt: () => child.kill('SIGINT') };
}

/** Running; one that has ended but was not yet collected by its parent is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}
