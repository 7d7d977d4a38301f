import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_LIMIT_MS = 300_000;

/** The path of a Python with these packages (`name==version`), in a cache. Rejects where Python is not to be had. */
export async function installPython(wanted: readonly string[]): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mcp-python-servers');
  const folder = join(cache, wanted.join('_').replaceAll(/[^\w.-]/g, '-'));
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return python;
  mkdirSync(cache, { recursive: true });
  const options = { timeout: INSTALL_LIMIT_MS };
  await run('python3', ['-m', 'venv', '--clear', folder], options);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted], options);
  mkdirSync(done);
  return python;
}
