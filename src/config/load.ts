import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readConfigText, unreadable } from './file/config-text.ts';
import { checkConfig, readConfig, type CheckedConfig, type ReadConfig } from './parse.ts';
import type { Overrides } from './settings.ts';

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
