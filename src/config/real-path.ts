import { realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Whether the file is in the directory, by its name. The file is not touched: a mount may hang. */
export function isNamedWithin(dir: string, file: string): boolean {
  return isBelow(resolve(dir), resolve(file)) || isBelow(realDir(dir), resolve(file));
}

/** Whether the file is in the directory, whatever links lead there. It need not exist. */
export async function isReallyWithin(dir: string, file: string): Promise<boolean> {
  return isNamedWithin(dir, file) || isBelow(realDir(dir), await realName(file, MAX_LINKS));
}

const MAX_LINKS = 40;

/** A link whose target does not exist counts as its target: to open it would create that. */
async function realName(file: string, links: number): Promise<string> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined || links === 0 || dirname(file) === file) return real ?? file;
  const target = await readlink(file).catch(() => undefined);
  if (target !== undefined) return realName(resolve(dirname(file), target), links - 1);
  return join(await realName(dirname(file), links - 1), basename(file));
}

function realDir(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return resolve(dir);
  }
}

function isBelow(dir: string, file: string): boolean {
  const path = relative(dir, file);
  return path !== '' && path !== '..' && !/^\.\.[\\/]/.test(path) && !isAbsolute(path);
}
