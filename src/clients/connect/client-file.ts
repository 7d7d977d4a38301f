import { createHash } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { TextDecoder } from 'node:util';
import { fileProblem } from '../../lib/visible-text.ts';

/** The content of a client's file. */
export interface FileContent {
  text: string;
  digest: string;
  /** Permission bits. */
  mode: number;
}

/** State files of clients can be large. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Undefined if there is no such file. A pipe, a device or a text in another encoding is a problem: it could not be put back as it was. */
export function readClientFile(file: string): FileContent | { problem: string } | undefined {
  let handle: number;
  try {
    // Opening a pipe would otherwise block.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return openProblem(file, error as NodeJS.ErrnoException);
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { problem: 'it is not a regular file' };
    if (stat.size > MAX_BYTES) return { problem: `it is larger than ${MAX_BYTES / 1024 / 1024} MB` };
    const bytes = readFileSync(handle);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, digest: digestOf(text), mode: stat.mode & 0o777 };
  } catch (error) {
    return { problem: error instanceof TypeError ? 'it is not UTF-8 text' : fileProblem(error) };
  } finally {
    closeSync(handle);
  }
}

function openProblem(file: string, error: NodeJS.ErrnoException): { problem: string } | undefined {
  if (error.code === 'ELOOP') return { problem: 'it is a loop of symbolic links' };
  if (error.code !== 'ENOENT') return { problem: fileProblem(error) };
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? { problem: 'it is a symbolic link to a file that does not exist' } : undefined;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whether the file still has the text that was read; undefined: there was none. A client may write its file at any moment. */
export function isAsRead(file: string, read: FileContent | undefined): boolean {
  const now = readClientFile(file);
  return now !== undefined && 'problem' in now ? false : now?.digest === read?.digest;
}

/** Why the file cannot be written; it is replaced, so its folder matters too. */
export function writeProblem(file: string): string | undefined {
  let place = file;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    const real = realpathSync(place);
    accessSync(real, constants.W_OK);
    if (place === file && !canKeepOwner(real)) return 'it belongs to another user';
    if (place === file) accessSync(dirname(real), constants.W_OK);
    else if (!lstatSync(real).isDirectory()) return `${place} is not a folder`;
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? 'you do not have the right to write it'
      : message;
  }
}

/** Only root can make the new file one of somebody else. */
function canKeepOwner(file: string): boolean {
  const self = process.getuid?.() ?? 0;
  return self === 0 || statSync(file).uid === self;
}

/**
 * A project comes from others, so a link in it could lead to any file of the user. Undefined where no part of the path below the folder is
 * one, or the file is not in the folder.
 */
export function linkProblem(file: string, folder: string | null): string | undefined {
  if (folder === null) return undefined;
  const below = relative(folder, file);
  if (below.startsWith('..') || isAbsolute(below)) return undefined;
  let place = folder;
  for (const part of below.split(sep)) {
    place = join(place, part);
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
      return `${place} is a symbolic link, and links in a project are not followed`;
  }
  return undefined;
}

/** The folders of a file that do not exist, the innermost first. */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}

export function makeFolders(file: string, mode: number): void {
  const missing = missingFolders(file);
  mkdirSync(dirname(file), { recursive: true, mode });
  for (const folder of missing.toReversed()) giveTo(folder, dirname(folder));
}

/** What root makes for a client belongs to the user of the client, who could not use it otherwise. */
function giveTo(file: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(file, uid, gid);
}

/** Removes folders that are empty. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders)
    try {
      rmdirSync(folder);
    } catch {
      // Somebody else uses it by now.
      return;
    }
}

/** A free name beside the file, with the time. */
export function copyName(file: string, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  for (let count = 0; ; count++) {
    const copy = `${file}.mcpproxy-${stamp}${count === 0 ? '' : `-${count}`}.bak`;
    if (!lstatSync(copy, { throwIfNoEntry: false })) return copy;
  }
}

/** Writes the copy of a file. A file or link that appeared under its name meanwhile is an error. */
export function writeCopy(copy: string, file: string, text: string): void {
  writeFileSync(copy, text, { mode: 0o600, flag: 'wx' });
  giveTo(copy, file);
}
