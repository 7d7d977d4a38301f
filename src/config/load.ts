import { fileProblem } from '../lib/visible-text.ts';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ProxyError } from '../contract/errors.ts';
import { checkConfig, readConfig, type CheckedConfig, type ReadConfig } from './parse.ts';
import type { Overrides } from './settings.ts';

const MAX_BYTES = 4 * 1024 * 1024;

const TEMPLATE = `{
  // mcpproxy reads this file when it starts and whenever it changes. Comments are allowed.
  // Add your MCP servers here, in the form that every client uses, or with "mcpproxy upstream add".
  "mcpServers": {
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/path/to/folder"] },
    // "remote": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${env:REMOTE_TOKEN}" } }
  }
}
`;

export interface LoadedConfig extends ReadConfig {
  /** The exact text, to distinguish a change from a touch. */
  text: string;
}

/** Reads and validates the file. A user who can write it can start programs, so others must not be able to. */
export function loadConfig(file: string, overrides: Overrides = {}): LoadedConfig {
  const text = readConfigText(file);
  return { ...readConfig(text, file, overrides), text };
}

/** Everything that is wrong with the file. Throws where it cannot be read. */
export function checkConfigFile(file: string): CheckedConfig {
  return checkConfig(readConfigText(file), file);
}

/** Creates a commented template at the first start. */
export function createConfigFile(file: string): void {
  if (existsSync(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, TEMPLATE);
    closeSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw unreadable(file, `cannot be created: ${(error as Error).message}`);
  }
}

/** The exact text of the file. Throws where another user can write to it. */
export function readConfigText(file: string): string {
  let handle: number;
  try {
    // Opening a pipe would otherwise block.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(file, `cannot be read: ${fileProblem(error)}`);
  }
  try {
    // Checks the open file, not the name, which could be replaced in between.
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw unreadable(file, 'is not a file');
    if (stat.size > MAX_BYTES) throw unreadable(file, `is larger than ${MAX_BYTES} bytes`);
    if (process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      throw unreadable(
        file,
        `can be written by other users, who could start programs through it; run: chmod go-w '${file}'`,
      );
    }
    if (isForeign(stat.uid, statSync(dirname(realpathSync(file))).uid)) {
      throw unreadable(
        file,
        `belongs to another user, who could start programs through it; review it, then run: chown ${process.getuid!()} '${file}'`,
      );
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/**
 * The owner of a file can write to it, whatever its mode, and in a shared directory anybody can create one. Root may use a file that
 * belongs to the owner of its directory, as in containers and with sudo.
 */
export function isForeign(owner: number, ownerOfDirectory: number, self = process.getuid?.()): boolean {
  if (self === undefined || owner === self || owner === 0) return false;
  return self !== 0 || owner !== ownerOfDirectory;
}

function unreadable(file: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `${file} ${why}`, { file });
}
