import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientProgram } from './program.ts';

const INSTALL_LIMIT_MS = 300_000;

/** Outside of the repository, so that the programs are downloaded once. Its name lacks ours, which is searched for in files. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mcp-client-programs');
}

/** The path of the program in its pinned version; installed from npm when it is not in the cache. */
export async function install(program: ClientProgram): Promise<string> {
  const folder = join(cacheFolder(), `${program.id}-${program.version}`);
  const path = join(folder, 'node_modules', '.bin', program.bin);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const wanted = `${program.package}@${program.version}`;
  const flags = ['--no-save', '--no-audit', '--no-fund', '--loglevel', 'error'];
  await promisify(execFile)('npm', ['install', '--prefix', folder, ...flags, wanted], {
    timeout: INSTALL_LIMIT_MS,
  });
  if (!existsSync(path)) throw new Error(`${wanted} has no program ${program.bin}`);
  return path;
}
