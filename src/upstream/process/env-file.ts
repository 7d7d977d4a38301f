import { homedir } from 'node:os';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { readSmallFile } from '../../lib/read-small-file.ts';

const MAX_BYTES = 65_536;
const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * The NAME=VALUE lines of a file. A value may be quoted; nothing in it is expanded. Errors name the file as `written` in the configuration,
 * because a reference in its path may resolve to a secret.
 */
export function readEnvFile(path: string, written = path): Record<string, string> {
  return Object.fromEntries(
    textOf(path, written)
      .split('\n')
      .map((line, index) => ({ line: line.trim(), number: index + 1 }))
      .filter(({ line }) => line !== '' && !line.startsWith('#'))
      .map(({ line, number }) => {
        const [, name, value] = LINE.exec(line) ?? [];
        // The line may contain a secret, so the error has only its number.
        if (name === undefined) throw unusable(written, `line ${number} is not NAME=VALUE`);
        return [name, unquoted(value!.trim())];
      }),
  );
}

function textOf(path: string, written: string): string {
  const file = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  try {
    return readSmallFile(file, MAX_BYTES);
  } catch (error) {
    throw unusable(written, reasonOf(error as NodeJS.ErrnoException));
  }
}

/** The message of the system without the path. */
function reasonOf({ code, syscall, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  const [reason] = (syscall !== undefined && /^[A-Z0-9]+: [^,']+/.exec(message)) || [];
  return reason ?? 'its path is not valid';
}

function unquoted(value: string): string {
  const quote = value[0];
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

function unusable(file: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `env_file ${JSON.stringify(file)} cannot be used: ${why}`, {
    file,
  });
}
