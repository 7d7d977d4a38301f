import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ProxyError } from '../contract/errors.ts';

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;
const MAX_FILE_BYTES = 65_536;

/** Puts in what `${env:NAME}` and `${file:PATH}` refer to. Done at use: the result is never stored, written back or shown. */
export function resolveSecrets(text: string): string {
  if (!text.includes('${')) return text;
  return text.replace(REFERENCE, (_, kind: string, name: string) =>
    kind === 'env' ? fromEnv(name.trim()) : fromFile(name.trim()),
  );
}

function fromEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new ProxyError('CONFIG_INVALID', `\${env:${name}} is not set in the environment of mcpproxy`, {
      variable: name,
    });
  }
  return value;
}

function fromFile(path: string): string {
  const file = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ProxyError('CONFIG_INVALID', `\${file:${path}} cannot be read: ${(error as Error).message}`, {
      file,
    });
  }
}
