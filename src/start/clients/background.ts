import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDataDir, readDaemon } from '../../config/index.ts';
import { isErrorCode, ProxyError, type ErrorCode } from '../../contract/errors.ts';
import type { Place } from '../../doors/cli/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { configPaths } from '../config-commands.ts';

const PATIENCE_MS = 30_000;
const STEP_MS = 100;
const SHOWN_LINES = 3;

/** Starts `mcpproxy serve` as a process of its own, which goes on after this command, and waits until it listens. */
export async function startInBackground(
  place: Place & { listen?: string },
  signal: AbortSignal,
): Promise<{ url: string; log: string }> {
  const { data_dir: dataDir } = await configPaths(place);
  ensureDataDir(dataDir);
  const log = join(dataDir, 'serve.log');
  const output = openSync(log, 'a', 0o600);
  const { size: from } = fstatSync(output);
  const child = spawn(process.execPath, [process.argv[1]!, 'serve', ...flagsOf(place)], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: dataDir,
  });
  closeSync(output);
  let ended: string | undefined;
  child.on('error', (error) => (ended = error.message));
  child.on('exit', (code) => (ended = `exit code ${code}`));
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { url, background } = readDaemon(dataDir) ?? {};
    // One that "mcpproxy stdio" started gives way to the one that starts now.
    if (url !== undefined && !background) {
      child.unref();
      return { url, log };
    }
    signal.throwIfAborted();
    if (ended !== undefined || performance.now() > end)
      throw notStarted(ended ?? 'it does not listen yet', { log, from });
    await pause(STEP_MS);
  }
}

function flagsOf({ config, dataDir, listen }: Place & { listen?: string }): string[] {
  return [
    ...(config === undefined ? [] : ['--config', config]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
    ...(listen === undefined ? [] : ['--listen', listen]),
  ];
}

function notStarted(why: string, { log, from }: { log: string; from: number }): ProxyError {
  const lines = readFileSync(log).subarray(from).toString('utf8').trimEnd().split('\n');
  return new ProxyError(
    startCode(lines) ?? 'NO_DAEMON',
    `The proxy could not be started in the background: ${startProblem(lines) ?? why}. Its log is ${log}`,
  );
}

/** The code of the last error report: it has the exit code and the next step. */
export function startCode(lines: readonly string[]): ErrorCode | undefined {
  const at = lines.findLastIndex((line) => line.startsWith('error: '));
  const [, code] = /^ +code: (\w+)$/m.exec(at < 0 ? '' : lines.slice(at).join('\n')) ?? [];
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

/** What the last error report of the log says, and its next step; the last lines where there is none. */
export function startProblem(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => line.startsWith('error: '));
  const told = at < 0 ? lines.slice(-SHOWN_LINES) : lines.slice(at).filter((line) => !/^ +code: /.test(line));
  const parts = told
    .map((line) => visibleLine(line.replace(/^(?:error|\s+next): /, '').trim()).replace(/\.$/, ''))
    .filter((line) => line !== '');
  return parts.length === 0 ? undefined : parts.map(capitalized).join('. ');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
