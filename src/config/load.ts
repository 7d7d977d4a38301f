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
import { readConfig, type ReadConfig } from './parse.ts';
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
  /** Exactly what was read, to tell a real change from a touch. */
  text: string;
}

/** Reads and validates. Whoever can write this file can start programs, so it must not be writable by others. */
export function loadConfig(file: string, overrides: Overrides = {}): LoadedConfig {
  const text = readConfigText(file);
  return { ...readConfig(text, file, overrides), text };
}

/** A first start leaves a file behind that explains itself. */
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

/** Exactly what stands in the file, where nobody else can write to it. */
export function readConfigText(file: string): string {
  let handle: number;
  try {
    // A pipe would otherwise keep us waiting for somebody to write into it.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(file, `cannot be read: ${(error as Error).message}`);
  }
  try {
    // The open file is judged, not the name: it cannot be swapped in between.
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
        `belongs to another user, who could start programs through it; look at it, then run: chown ${process.getuid!()} '${file}'`,
      );
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/**
 * Whoever owns a file can write to it, whatever its mode; in a directory that all may write to, anybody can put one in the place of ours.
 * Root may use what somebody has in a directory of his own, as in containers and with sudo.
 */
export function isForeign(owner: number, ownerOfDirectory: number, self = process.getuid?.()): boolean {
  if (self === undefined || owner === self || owner === 0) return false;
  return self !== 0 || owner !== ownerOfDirectory;
}

function unreadable(file: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `${file} ${why}`, { file });
}
