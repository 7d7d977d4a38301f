import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDataDir, readDaemon } from '../../config/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Place } from '../../doors/cli/runtime.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { configPaths } from '../config-commands.ts';

const PATIENCE_MS = 30_000;
const STEP_MS = 100;
const SHOWN_LINES = 3;

/** Starts `mcpproxy serve` as a process of its own, which goes on after this command, and waits until it listens. */
export async function startInBackground(
  place: Place,
  signal: AbortSignal,
): Promise<{ url: string; log: string }> {
  const { data_dir: dataDir } = await configPaths(place);
  ensureDataDir(dataDir);
  const log = join(dataDir, 'serve.log');
  const output = openSync(log, 'a', 0o600);
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
      throw notStarted(ended ?? 'it does not listen yet', log);
    await pause(STEP_MS);
  }
}

function flagsOf({ config, dataDir }: Place): string[] {
  return [
    ...(config === undefined ? [] : ['--config', config]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ];
}

function notStarted(why: string, log: string): ProxyError {
  const last = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-SHOWN_LINES)
    .map(visibleLine)
    .join(' · ');
  return new ProxyError(
    'NO_DAEMON',
    `The proxy could not be started in the background (${why}): ${last}. Its log is ${log}`,
  );
}
