import { durationMs, type ServerConfig } from '../../contract/config.ts';
import { OAUTH_SECRETS } from '../../contract/oauth.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import {
  isRandom,
  isSensitive,
  isServiceKey,
  maskedAddress,
  maskedArguments,
  replaceMasked,
} from '../../config/index.ts';
import { readEnvFile } from '../process/env-file.ts';

const MIN_SECRET_LENGTH = 6;
const MAX_TEXT = 1500;
/** A person who approves a command must be able to read all of it. */
const MAX_TARGET = 65_536;
const MASK = '***';
const CONNECT_TIMEOUT = '10s';
/** Runners such as npx, uvx and docker may download the program first. */
const COMMAND_STARTUP = '2m';
const URL_STARTUP = '30s';
const IDLE_TIMEOUT = '30s';

/** A server's settings with all secrets resolved, and a function that masks those secrets in texts. */
export interface ResolvedServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
  url: string;
  headers: Record<string, string>;
  /** The time limits from the start to the first answer, for connecting to a URL, and for a pause within an answer. */
  startMs: number;
  connectMs: number;
  idleMs: number;
  /** Text that came from outside, made safe to show: secrets masked, control characters visible, one line. */
  shown: (text: string, limit?: number) => string;
}

/** Replaces the references in a text by their values; `onValue` receives each value. */
export type Resolve = (
  text: string,
  onValue?: (value: string) => void,
  options?: { plain?: boolean; own?: Readonly<Record<string, string>> },
) => string;

/** Resolves `${…}` at each start, so that a changed secret takes effect with the next one. */
export function resolveServer(config: ServerConfig, resolve: Resolve): ResolvedServer {
  const secrets = new Set<string>();
  const take = (text: string, options?: { plain?: boolean; own?: Record<string, string> }): string =>
    resolve(text, (value) => secrets.add(value), { plain: true, ...options });
  const fromFile = config.env_file === undefined ? {} : readEnvFile(take(config.env_file), config.env_file);
  for (const value of Object.values(fromFile)) secrets.add(value);
  const takeAll = (values: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, text]) => {
        const value = take(text);
        const words = value.split(/[\s,;"']+/);
        if (isSensitive(name)) for (const part of [value, ...words]) secrets.add(part);
        for (const word of words.filter(isRandom)) secrets.add(word);
        return [name, value];
      }),
    );
  const env = { ...fromFile, ...takeAll(config.env) };
  for (const text of oauthSecrets(config.oauth)) secrets.add(take(text));
  const resolved = {
    command: take(config.command ?? ''),
    args: takeArguments(config, env, take),
    env,
    cwd: config.cwd === undefined ? undefined : take(config.cwd),
    url: take(config.url ?? ''),
    headers: takeAll(config.headers),
    startMs: durationMs(config.startup_timeout ?? (config.url === undefined ? COMMAND_STARTUP : URL_STARTUP)),
    connectMs: durationMs(config.connect_timeout ?? CONNECT_TIMEOUT),
    idleMs: durationMs(config.idle_timeout ?? IDLE_TIMEOUT),
  };
  for (const part of literalSecrets(resolved)) secrets.add(part);
  return { ...resolved, shown: (text, limit = MAX_TEXT) => shown(text, secrets, limit) };
}

function oauthSecrets(oauth: ServerConfig['oauth']): string[] {
  const given = oauth || {};
  return OAUTH_SECRETS.map((key) => given[key]).filter((text) => text !== undefined);
}

/** Secrets that stand in the command line and in the address. */
function literalSecrets({ command, args, url }: Pick<ResolvedServer, 'command' | 'args' | 'url'>): string[] {
  const words = [command, ...args];
  const masked = maskedArguments(words);
  const found: string[] = words.filter(isServiceKey);
  const keep = (part: string): string => {
    found.push(part);
    return part;
  };
  for (const [index, word] of words.entries()) replaceMasked(word, masked[index]!, keep);
  replaceMasked(url, maskedAddress(url), keep);
  return found;
}

/** Shells, whose script follows -c and uses `$NAME` itself. */
const SHELL = /(?:^|[/\\])(?:ba|da|fi|k|z)?sh(?:\.exe)?$/;
/** A relay that replaces `${NAME}` in its arguments by its own environment, so that the value is not in the list of processes. */
const REPLACES_ITSELF = /(?:^|[/\\])mcp-remote(?:@[\w.^~-]+)?$/;

/** The variables of the entry itself come before those of the proxy. */
function takeArguments(
  { command = '', args = [] }: ServerConfig,
  own: Record<string, string>,
  take: (text: string, options: { plain?: boolean; own?: Record<string, string> }) => string,
): string[] {
  const isShell = SHELL.test(command);
  const replacesItself = [command, ...args].some((word) => REPLACES_ITSELF.test(word));
  // A value that is the reference itself stays for the program.
  const values = replacesItself
    ? Object.fromEntries(Object.keys(own).map((name) => [name, `\${${name}}`]))
    : own;
  return args.map((text) => take(text, { own: values, plain: !isShell }));
}

function shown(text: string, secrets: Set<string>, limit: number): string {
  let masked = text;
  // Longest first, so that no part of a longer secret remains.
  for (const secret of [...secrets]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)) {
    masked = masked.replaceAll(secret, MASK);
  }
  // A copy, because a slice would keep the whole text in memory.
  return Buffer.from(visibleLine(masked.slice(0, limit)).slice(0, limit)).toString();
}

/** The command line or URL for people: references stay references, probable secrets are masked. */
export function targetOf(config: ServerConfig): string {
  if (config.url !== undefined) return visibleLine(maskedAddress(config.url)).slice(0, MAX_TARGET);
  const words = [config.command ?? '', ...(config.args ?? [])];
  return visibleLine(maskedArguments(words).join(' ')).slice(0, MAX_TARGET);
}
