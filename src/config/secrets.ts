import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ProxyError } from '../contract/errors.ts';

/** `${KIND:NAME}`, `${NAME}`, `${NAME:-default}`. Other text in braces, as in shells, is not changed; `$${` is an escaped `${`. */
const REFERENCE =
  /\$\$\{|\$\{(?:([a-z][A-Za-z]*):(?![-=?+\d])([^}]*)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;
const MAX_FILE_BYTES = 65_536;

/**
 * Replaces `${env:NAME}`, `${NAME}` and `${file:PATH}` by their values, or throws with the name. Called when a value is used: the result is
 * never stored, written back or shown. `onValue` receives each value, as it is likely to be a secret.
 */
export function resolveSecrets(text: string, onValue?: (value: string) => void): string {
  if (!text.includes('${')) return text;
  return text.replace(REFERENCE, (...match) => {
    const [whole, kind, target, name, fallback] = match as Array<string | undefined>;
    if (whole === '$${') return '${';
    const value = name === undefined ? fromKind(kind!, target!.trim()) : fromName(name, fallback);
    if (value !== fallback) onValue?.(value);
    return value;
  });
}

function fromKind(kind: string, target: string): string {
  if (kind === 'file') return fromFile(target);
  if (kind === 'env') {
    const [, name = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(target)!;
    return fromEnv(name, fallback, `\${env:${name}}`);
  }
  throw new ProxyError(
    'CONFIG_INVALID',
    `\${${kind}:${target}} works only in another client; use \${env:NAME} or \${file:PATH} instead`,
    { variable: `${kind}:${target}` },
  );
}

function fromName(name: string, fallback: string | undefined): string {
  // A variable of editors; an environment variable of this name comes first.
  if (name === 'userHome' && process.env[name] === undefined) return homedir();
  return fromEnv(name, fallback, `\${${name}}`);
}

function fromEnv(name: string, fallback: string | undefined, reference: string): string {
  const value = process.env[name];
  if (fallback !== undefined) return value || fallback;
  if (value !== undefined) return value;
  throw new ProxyError('CONFIG_INVALID', `${reference} is not set in the environment of mcpproxy`, {
    variable: name,
  });
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
