import { durationMs, type ServerConfig } from '../../contract/config.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { isSensitive, maskedArguments, maskedUrl } from '../../config/index.ts';
import { readEnvFile } from '../process/env-file.ts';

const MIN_SECRET_LENGTH = 6;
const MAX_TEXT = 500;
/** A person who approves a command must be able to read all of it. */
const MAX_TARGET = 65_536;
const MASK = '***';
const CONNECT_TIMEOUT = '10s';
/** Runners such as npx may download the program first. */
const START_TIMEOUT = '60s';
const IDLE_TIMEOUT = '30s';

/** A server's settings with all secrets resolved, and a function that masks those secrets in texts. */
export interface ResolvedServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
  url: string;
  headers: Record<string, string>;
  /** The time limits for connecting (a program: until its first answer), and for a pause within an answer. */
  connectMs: number;
  idleMs: number;
  /** Text that came from outside, made safe to show: secrets masked, control characters visible, one line. */
  shown: (text: string, limit?: number) => string;
}

/** Replaces the references in a text by their values; `onValue` receives each value. */
export type Resolve = (text: string, onValue?: (value: string) => void) => string;

/** Resolves `${…}` at each start, so that a changed secret takes effect with the next one. */
export function resolveServer(config: ServerConfig, resolve: Resolve): ResolvedServer {
  const secrets = new Set<string>();
  const take = (text: string): string => resolve(text, (value) => secrets.add(value));
  const fromFile = config.env_file === undefined ? {} : readEnvFile(take(config.env_file), config.env_file);
  for (const value of Object.values(fromFile)) secrets.add(value);
  const takeAll = (values: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, text]) => {
        const value = take(text);
        if (isSensitive(name)) for (const part of [value, ...value.split(' ')]) secrets.add(part);
        return [name, value];
      }),
    );
  const resolved = {
    command: take(config.command ?? ''),
    args: (config.args ?? []).map(take),
    env: { ...fromFile, ...takeAll(config.env) },
    cwd: config.cwd === undefined ? undefined : take(config.cwd),
    url: take(config.url ?? ''),
    headers: takeAll(config.headers),
    connectMs: durationMs(
      config.connect_timeout ?? (config.url === undefined ? START_TIMEOUT : CONNECT_TIMEOUT),
    ),
    idleMs: durationMs(config.idle_timeout ?? IDLE_TIMEOUT),
  };
  return { ...resolved, shown: (text, limit = MAX_TEXT) => shown(text, secrets, limit) };
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
  if (config.url !== undefined) return visibleLine(maskedUrl(config.url)).slice(0, MAX_TARGET);
  const words = [config.command ?? '', ...(config.args ?? [])];
  return visibleLine(maskedArguments(words).join(' ')).slice(0, MAX_TARGET);
}
