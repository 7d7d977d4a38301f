import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** Set in the process that runs behind the wall: the folder of this run. */
const RUN_FOLDER = 'MCPPROXY_CLIENTS_RUN';
const WALL = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const LOOPBACK_UP = 'ip link set lo up && exec "$@"';

/** The folder of this run if this is the process behind the wall. */
export const runFolderInside = (): string | undefined => process.env[RUN_FOLDER];

/**
 * Linux can start a program in a network of its own that has only the loopback interface: a client then cannot reach
 * anything else, whatever it tries. All its processes end with it. Returns undefined where this is not possible.
 */
export async function wallCommand(): Promise<readonly string[] | undefined> {
  const root = process.getuid?.() === 0;
  const command = ['unshare', ...(root ? [] : ['--map-root-user']), ...WALL, 'sh', '-c', LOOPBACK_UP, 'sh'];
  const [program, ...args] = command;
  const works = await promisify(execFile)(program!, [...args, 'true'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
  return works ? command : undefined;
}

/**
 * Runs this script again behind the wall and returns its exit code. The pipe tells it when this process ends, however
 * that happens: unshare passes no signal on.
 */
export async function runInside(command: readonly string[], runFolder: string): Promise<number> {
  const [program, ...args] = [...command, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, [RUN_FOLDER]: runFolder };
  const child = spawn(program!, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.stdin.end());
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Ends this process when the one outside has ended. */
export function endWithOutside(): void {
  process.stdin.on('end', () => process.exit(130)).resume();
}
