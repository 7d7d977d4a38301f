import { homedir } from 'node:os';
import { basename, join, sep } from 'node:path';
import { ProxyError } from '../contract/errors.ts';
import { readSmallFile } from '../lib/read-small-file.ts';

/**
 * `${KIND:NAME}`, `${NAME}`, `${NAME:-default}`, `${{ secrets.NAME }}` (Continue), `{env:NAME}` and `{file:PATH}` (opencode). Other text in
 * braces, as in shells, is not changed; `$${` is an escaped `${`.
 */
const REFERENCE =
  /\$\$\{|\$\{\{\s{0,9}(?:secrets|inputs)\.([\w./-]{1,200})\s{0,9}\}\}|\$\{(?:([a-z][A-Za-z]*):(?![-=?+\d])([^}]*)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?|(\/))\}|\{(env|file):([^{}]*)\}/g;
/** `$NAME` as a word of its own, in capitals; `$$NAME` is an escaped `$NAME`. */
const PLAIN = /(^|[\s=:/,;"'(@])(\$?)\$([A-Z_][A-Z0-9_]{0,100})(?![A-Za-z0-9_({])/g;
/** `$name` as the whole text may have small letters. */
const WHOLE = /^\$([A-Za-z_][A-Za-z0-9_]{0,100})$/;
const MAX_FILE_BYTES = 65_536;

/** Variables of editors. */
const FOLDERS = ['workspaceFolder', 'workspaceRoot', 'workspaceFolderBasename', 'projectPath'];
const EDITOR_VALUES: Readonly<Record<string, () => string>> = {
  userHome: homedir,
  pathSeparator: () => sep,
};

export interface ResolveOptions {
  /** True: `$NAME` is a reference too. False for settings of the proxy, whose values may contain a dollar sign. */
  plain?: boolean;
  /** Variables that come before those of the environment. */
  own?: Readonly<Record<string, string>>;
}

/**
 * Replaces references by their values, or throws with the name. Called when a value is used: the result is never stored, written back or
 * shown. `onValue` receives each value, as it is likely to be a secret.
 */
export function resolveSecrets(
  text: string,
  onValue?: (value: string) => void,
  { plain = false, own }: ResolveOptions = {},
): string {
  if (!text.includes('$') && !text.includes('{')) return text;
  const source: Source = {
    env: own ? { ...process.env, ...own } : process.env,
    heard(value, fallback) {
      if (value !== fallback) onValue?.(value);
      return value;
    },
  };
  const [, whole] = plain ? (WHOLE.exec(text) ?? []) : [];
  if (whole !== undefined) return source.heard(fromName(source.env, { name: whole, reference: text }));
  const between = (part: string) => (plain ? withPlain(part, source) : part);
  const pieces: string[] = [];
  let end = 0;
  // Values are not read again: a value that contains a reference is only text.
  for (const match of text.matchAll(REFERENCE)) {
    pieces.push(between(text.slice(end, match.index)), ofMatch(match, source));
    end = match.index + match[0].length;
  }
  return [...pieces, between(text.slice(end))].join('');
}

type Env = Readonly<Record<string, string | undefined>>;

interface Source {
  env: Env;
  /** Reports a value that is not the default, and returns it. */
  heard: (value: string, fallback?: string) => string;
}

function ofMatch(match: RegExpExecArray, { env, heard }: Source): string {
  const [whole, secret, kind, target, name, fallback, slash, bare, bareTarget] = match as Array<
    string | undefined
  >;
  if (whole === '$${') return '${';
  if (slash !== undefined) return sep;
  if (secret !== undefined) return heard(fromEnv(env, { name: basename(secret), reference: whole! }));
  if (name !== undefined) return heard(fromName(env, { name, fallback, reference: `\${${name}}` }), fallback);
  return heard(fromKind(env, kind ?? bare!, (target ?? bareTarget!).trim()));
}

function withPlain(text: string, { env, heard }: Source): string {
  return text.replace(PLAIN, (...match: string[]) => {
    const [, before = '', escape, name = ''] = match;
    const reference = `$${name}`;
    return before + (escape === '' ? heard(fromName(env, { name, reference })) : reference);
  });
}

interface Wanted {
  name: string;
  /** As it is written, for the message. */
  reference: string;
  fallback?: string | undefined;
}

function fromKind(env: Env, kind: string, target: string): string {
  if (kind === 'file') return fromFile(target);
  if (kind === 'env') {
    const [, name = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(target)!;
    return fromEnv(env, { name, fallback, reference: `\${env:${name}}` });
  }
  throw unresolved(
    `${kind}:${target}`,
    kind === 'input'
      ? `\${input:${target}} asks for a value in another client; "mcpproxy import" asks for it too, or use \${env:NAME} or \${file:PATH} instead`
      : `\${${kind}:${target}} works only in another client; use \${env:NAME} or \${file:PATH} instead`,
  );
}

function fromName(env: Env, wanted: Wanted): string {
  const { name, reference } = wanted;
  // An environment variable of this name comes first.
  if (env[name] === undefined && wanted.fallback === undefined) {
    if (Object.hasOwn(EDITOR_VALUES, name)) return EDITOR_VALUES[name]!();
    if (FOLDERS.includes(name))
      throw unresolved(
        name,
        `${reference} is the project folder of an editor; write the folder itself instead`,
      );
  }
  return fromEnv(env, wanted);
}

function fromEnv(env: Env, { name, fallback, reference }: Wanted): string {
  const value = env[name];
  if (fallback !== undefined) return value || fallback;
  if (value !== undefined) return value;
  throw unresolved(name, `${reference} is not set in the environment of mcpproxy`);
}

function unresolved(variable: string, message: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', message, { variable });
}

function fromFile(path: string): string {
  const file = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  try {
    return readSmallFile(file, MAX_FILE_BYTES).replace(/\r?\n$/, '');
  } catch (error) {
    throw new ProxyError('CONFIG_INVALID', `\${file:${path}} cannot be read: ${(error as Error).message}`, {
      file,
    });
  }
}
