import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../contract/config.ts';
import { isObject } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import { SEAL_KEY_BYTES, createStateSeal } from '../../lib/state-seal.ts';
import { flattenConfig } from '../diff-config.ts';
import type { LoadedConfig } from '../load.ts';
import { readConfig } from '../parse.ts';
import type { Overrides } from '../settings.ts';
import { judgeChanges } from './judge-changes.ts';

/** The text of the file that was last in force. It may contain secrets, so it is encrypted; one that was changed does not open. */
const NAME = 'config_accepted.json';
const KEY_NAME = 'config_key';
/** The copy does not expire. */
const NO_AGE = { now: () => 0 };
/** Present in every data directory that a proxy has used. */
export const RECORDED_NAME = 'config_recorded.json';

/** Whether the change has to wait for the operator. The configuration in force decides, so that the setting protects itself. */
export function mustWait(inForce: Config, next: Config): boolean {
  return inForce.confirm_weakening && isWeakening(inForce, next);
}

function isWeakening(before: Config, after: Config): boolean {
  const salt = randomBytes(16).toString('hex');
  return judgeChanges(flattenConfig(before, salt), flattenConfig(after, salt)).some(
    ({ effect }) => effect === 'weakening',
  );
}

export interface StartConfig {
  inForce: LoadedConfig;
  /** The file, if it may not be used yet. */
  waiting?: LoadedConfig;
  /** The configuration that was last in force, where the data directory has it. */
  last?: LoadedConfig;
}

interface StartParts {
  fromFile: LoadedConfig;
  file: string;
  overrides: Overrides;
  dataDir: string;
}

/**
 * The configuration of a start. If the file weakens the one that was last in force and that one requires a confirmation, the last one
 * stays in force. If it is not available, nothing is known to be accepted: only the defaults are in force, without servers.
 */
export function startConfig({ fromFile, file, overrides, dataDir }: StartParts): StartConfig {
  const text = readAccepted(dataDir);
  const last = text === undefined ? undefined : parsed(text, file, overrides);
  if (last)
    return mustWait(last.config, fromFile.config)
      ? { inForce: last, waiting: fromFile, last }
      : { inForce: fromFile, last };
  const { isUsed, isConfirmed } = recordedState(join(dataDir, RECORDED_NAME));
  if (!isUsed || !(isConfirmed || fromFile.config.confirm_weakening)) return { inForce: fromFile };
  return { inForce: defaultsFor(fromFile, file, overrides), waiting: fromFile };
}

/** Whether a proxy has used the data directory, and required confirmations then: a file that does not require them is itself an edit. */
function recordedState(file: string): { isUsed: boolean; isConfirmed: boolean } {
  if (!existsSync(file)) return { isUsed: false, isConfirmed: false };
  try {
    const { settings } = JSON.parse(readFileSync(file, 'utf8')) as {
      settings?: Record<string, { shown?: unknown }>;
    };
    return { isUsed: true, isConfirmed: settings?.confirm_weakening?.shown === true };
  } catch {
    return { isUsed: true, isConfirmed: true };
  }
}

function parsed(text: string, file: string, overrides: Overrides): LoadedConfig | undefined {
  try {
    return { ...readConfig(text, file, overrides), text };
  } catch {
    return undefined;
  }
}

/** The strictest reading: no servers, and every call asks. */
const STRICTEST = { confirm_weakening: true, quarantine: 'new', approvals: { require: ['read'] } };

/** The shared settings where it is not known which ones are accepted. */
export const STRICTEST_TEXT = JSON.stringify(STRICTEST);

/** The places of the data are needed to record and to confirm. */
function defaultsFor({ config }: LoadedConfig, file: string, overrides: Overrides): LoadedConfig {
  const { data_dir, database_url } = config;
  const strictest = {
    ...STRICTEST,
    ...(data_dir !== undefined && { data_dir }),
    ...(database_url !== undefined && { database_url }),
  };
  const text = JSON.stringify(strictest);
  return { ...readConfig(text, file, overrides), text };
}

function readAccepted(dataDir: string): string | undefined {
  try {
    const sealed: unknown = JSON.parse(readFileSync(join(dataDir, NAME), 'utf8'));
    const key = Buffer.from(readFileSync(join(dataDir, KEY_NAME), 'utf8').trim(), 'base64url');
    const value = isObject(sealed)
      ? createStateSeal(key, NO_AGE).open(sealed.sealed, NAME)?.value
      : undefined;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeAccepted(dataDir: string, text: string): void {
  const seal = createStateSeal(accessKey(join(dataDir, KEY_NAME)), NO_AGE);
  writePrivate(join(dataDir, NAME), JSON.stringify({ sealed: seal.seal(text, NAME) }));
}

/** The key for the digests of secrets in records. Not in the database: who has that could otherwise guess short secrets. */
export function configDigestKey(dataDir: string): string {
  return createHmac('sha256', accessKey(join(dataDir, KEY_NAME)))
    .update('digests of secrets')
    .digest('hex');
}

function accessKey(file: string): Buffer {
  if (!existsSync(file)) writePrivate(file, `${randomBytes(SEAL_KEY_BYTES).toString('base64url')}\n`);
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
}

function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${newId()}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
