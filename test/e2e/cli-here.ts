import { run } from '../../src/doors/cli/index.ts';
import { startRuntime } from '../../src/start/index.ts';
import type { CliResult } from './run-cli.ts';

const unused = () => Promise.reject(new Error('not used here'));

/**
 * The same command line with everything real behind it but without a process of its own, as most of the time of a command is the start
 * of its process. For tables of many commands; what depends on the process is tested with one.
 */
export async function runHere(args: string[], env: Record<string, string> = {}): Promise<CliResult> {
  const result: CliResult = { code: null, stdout: '', stderr: '' };
  result.code = await run(
    args,
    {
      ...startRuntime,
      version: '0.0.0',
      serve: unused,
      stdio: unused,
      tasks: unused,
      service: unused,
      setup: { ...startRuntime.setup, start: unused },
    },
    {
      out: async (text) =>
        void (result.stdout += typeof text === 'string' ? text : Buffer.from(text).toString()),
      err: (text) => void (result.stderr += text),
      stdin: (async function* () {})(),
      env,
      cwd: process.cwd(),
      terminal: { in: false, out: false, err: false, columns: 80 },
      onInterrupt: () => () => undefined,
      ask: unused,
      askSecret: unused,
      key: unused,
      select: unused,
      lines: async function* () {},
      now: () => Date.now(),
    },
  );
  return result;
}
