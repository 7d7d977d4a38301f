import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { defaultSettings, flattenConfig, type FlatConfig, type FlatSetting } from '../../config/index.ts';
import type { Config } from '../../contract/config.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import type { ConfigState } from '../../contract/status.ts';
import { canonicalJson, isObject } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';

/** The configuration that was recorded last. */
export interface LastRecorded {
  settings: FlatConfig;
  /** Settings that a flag or the environment gave at that time: their value in the file is unknown. */
  left: string[];
  /** Its secrets have digests of this key, if it is not the present one. */
  salt?: string;
  /** The digest of the accepted settings, where they are others. */
  acceptedDigest?: string;
}

/** The copy in the data directory. Earlier versions stored a salt and no list. */
export interface Kept extends LastRecorded {
  /** As in `nextAccepted`. */
  accepted?: FlatConfig;
  weakened: ConfigState['weakened'];
  more: number;
}

/** Reveals only whether two configurations are the same, also for secrets. */
export function digestOf(settings: FlatConfig): string {
  return createHash('sha256').update(canonicalJson(settings)).digest('hex');
}

/** As in the records of type `config`. */
export function configDigest(config: Config, key: string): string {
  return digestOf(flattenConfig(config, key));
}

/** The flat form and the digest of a configuration, computed once. */
export function createFlatConfigs(key: string): (config: Config) => { settings: FlatConfig; digest: string } {
  const known = new WeakMap<Config, { settings: FlatConfig; digest: string }>();
  return (config) => {
    let found = known.get(config);
    if (!found) {
      const settings = flattenConfig(config, key);
      found = { settings, digest: digestOf(settings) };
      known.set(config, found);
    }
    return found;
  };
}

/** Settings that did not exist when the configuration was recorded had their default. */
export function withDefaults(settings: FlatConfig): FlatConfig {
  const names = Object.keys(settings);
  const missing = Object.entries(defaultSettings('')).filter(
    ([name]) => !names.some((each) => each === name || each.startsWith(`${name}.`)),
  );
  return { ...Object.fromEntries(missing), ...settings };
}

/** The accepted settings: those in force, but a setting that waits for a confirmation has the value from before it was weakened. */
export function nextAccepted(
  accepted: FlatConfig,
  inForce: FlatConfig,
  open: ReadonlySet<string>,
): FlatConfig {
  const settled = Object.entries(inForce).filter(([setting]) => !open.has(setting));
  const earlier = Object.entries(accepted).filter(([setting]) => open.has(setting));
  return Object.assign(Object.create(null) as FlatConfig, Object.fromEntries([...settled, ...earlier]));
}

/** The accepted settings at a start. The copy counts only if the record confirms it: else an edit of the copy could hide a weakening. */
export function acceptedAtStart(
  last: LastRecorded,
  kept: Kept | undefined,
  isRestored: boolean,
): LastRecorded {
  const { accepted } = kept ?? {};
  if (!accepted) return last;
  return isRestored || digestOf(accepted) === last.acceptedDigest
    ? { settings: accepted, left: last.left }
    : last;
}

/** As a list: the names of settings would otherwise be taken for names of secrets. */
export function settingsList(settings: FlatConfig): Array<FlatSetting & { setting: string }> {
  return Object.entries(settings).map(([setting, value]) => ({ setting, ...value }));
}

/** The configuration of a record; undefined if it is not there completely, as its digest shows. */
export function recordedSettings(record: ActivityRecord): LastRecorded | undefined {
  const { arguments: asked, response } = record;
  if (!isObject(asked) || !isObject(response) || !Array.isArray(response.settings)) return undefined;
  const settings = Object.create(null) as FlatConfig;
  for (const each of response.settings as unknown[]) {
    if (!isObject(each) || typeof each.setting !== 'string') return undefined;
    const { setting, ...value } = each;
    settings[setting] = value;
  }
  if (digestOf(settings) !== asked.digest) return undefined;
  return {
    settings,
    left: isObject(asked.overridden) ? Object.keys(asked.overridden) : [],
    ...(typeof asked.accepted_digest === 'string' && { acceptedDigest: asked.accepted_digest }),
  };
}

export function readKept(file: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isObject(kept) && isObject(kept.settings))
      return {
        ...(typeof kept.salt === 'string' && { salt: kept.salt }),
        settings: kept.settings as FlatConfig,
        ...(isObject(kept.accepted) && { accepted: kept.accepted as FlatConfig }),
        left: Array.isArray(kept.left) ? kept.left.map(String) : [],
        weakened: Array.isArray(kept.weakened) ? (kept.weakened as Kept['weakened']) : [],
        more: typeof kept.more === 'number' ? kept.more : 0,
      };
  } catch {
    // The first start, or an unreadable file.
  }
  return undefined;
}

export function writeKept(file: string, kept: Kept): void {
  const temporary = `${file}.${newId()}`;
  writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
