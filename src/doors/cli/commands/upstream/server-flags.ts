import type { ServerConfig } from '../../../../contract/config.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { SERVER_SETTINGS } from '../../../../contract/values.ts';
import type { Io } from '../../io.ts';
import { readArgs } from '../read-args.ts';

/** The values of --env and --header. */
export interface Pairs {
  env?: Record<string, string>;
  headers?: Record<string, string>;
  /** The value that was read from stdin, as in "env.TOKEN". */
  secret?: string;
}

const FLAGS = { env: '--env', headers: '--header' } as const;

/** NAME=VALUE pairs. The value `-` is read from stdin, which keeps a secret out of the process list and the shell history. */
export async function readPairs(io: Io, flags: { env?: string[]; header?: string[] }): Promise<Pairs> {
  const lists = { env: flags.env, headers: flags.header };
  const found: Pairs = {};
  for (const setting of ['headers', 'env'] as const) {
    const values = lists[setting]?.map((pair) => pairOf(pair, FLAGS[setting]));
    if (!values) continue;
    for (const value of values.filter(([, text]) => text === '-')) {
      if (found.secret !== undefined)
        throw new ProxyError('USAGE', `Only one value can be read from stdin; give one flag the value "-"`);
      found.secret = `${setting}.${value[0]}`;
      value[1] = await secretFrom(io, `${FLAGS[setting]} ${value[0]}`);
    }
    found[setting] = Object.fromEntries(values);
  }
  return found;
}

function pairOf(pair: string, flag: string): [name: string, text: string] {
  const at = pair.indexOf('=');
  // The value may contain a secret, so the error names only the flag.
  if (at < 1) throw new ProxyError('USAGE', `${flag} must have the form NAME=VALUE`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** An empty stdin is a mistake, as in "< missing-file"; it must not replace a secret. */
async function secretFrom(io: Io, what: string): Promise<string> {
  const text = io.terminal.in ? await io.askSecret(`Value for ${what}: `) : await readArgs(io, '-');
  const value = text.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new ProxyError('USAGE', `${what}: stdin is empty, so nothing was changed. Give the value on stdin`);
}

/** How to reach a server: a command line, or a URL. */
export function targetOf([command, ...args]: string[], url: string | undefined): ServerConfig {
  if (!command && !url)
    throw new ProxyError('USAGE', 'Specify how to reach the server: a command after --, or --url URL');
  if (command && url) throw new ProxyError('USAGE', 'Use either a command after -- or --url, not both');
  if (command && /^https?:\/\//i.test(command))
    throw new ProxyError('USAGE', 'An address is no command: give it with --url');
  return command ? { command, ...(args.length > 0 && { args }) } : { url: url! };
}

/** Settings whose value is written as JSON; all others are text. */
const AS_JSON = /^(?:enabled|concurrency|args|env|headers|tools|tools\..+\.enabled)$/;

/** `--set KEY=VALUE` as a patch: `timeout=30s`, `env.NAME=text`, `tools.purge.operation=destructive`. */
export function settingPatch(text: string): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at < 1) throw new ProxyError('USAGE', '--set must have the form KEY=VALUE, as in timeout=30s');
  const key = text.slice(0, at);
  return nested(pathOf(key), AS_JSON.test(key) ? jsonOf(key, text.slice(at + 1)) : text.slice(at + 1));
}

/** `--unset KEY` as a patch. */
export function removalPatch(key: string): Record<string, unknown> {
  return nested(pathOf(key), null);
}

function jsonOf(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProxyError('USAGE', `--set ${key} needs JSON, as in ${JSON_EXAMPLES[key] ?? `${key}=false`}`);
  }
}

const JSON_EXAMPLES: Record<string, string> = {
  concurrency: 'concurrency=4',
  args: `'args=["-y","package"]'`,
  env: `'env={"NAME":"value"}'`,
  headers: `'headers={"Name":"value"}'`,
  tools: `'tools={"purge":{"enabled":false}}'`,
};

/** Names of variables, headers and tools may contain dots. */
function pathOf(key: string): string[] {
  const [first = '', ...rest] = key.split('.');
  if (!SERVER_SETTINGS.includes(first))
    throw new ProxyError(
      'USAGE',
      `There is no setting "${first}" of a server. Settings: ${SERVER_SETTINGS.join(', ')}`,
    );
  if (rest.length === 0) return [first];
  const last = rest.at(-1)!;
  const hasProperty = first === 'tools' && rest.length > 1 && (last === 'operation' || last === 'enabled');
  return hasProperty ? [first, rest.slice(0, -1).join('.'), last] : [first, rest.join('.')];
}

function nested(path: string[], value: unknown): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

/** Joins patches; a later one wins. */
export function mergedPatch(patches: Array<Record<string, unknown>>): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const patch of patches)
    for (const [key, value] of Object.entries(patch)) {
      const before = merged[key];
      merged[key] = isPlain(before) && isPlain(value) ? mergedPatch([before, value]) : value;
    }
  return merged;
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
