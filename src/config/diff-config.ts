import { createHmac } from 'node:crypto';
import { Config } from '../contract/config.ts';
import { canonicalJson, isObject } from '../json/index.ts';
import { MASK } from './mask-target.ts';
import { showConfig, showServer } from './show.ts';

/** A setting as it may be kept and shown. */
export interface FlatSetting {
  /** Absent: it is a secret. */
  shown?: unknown;
  /** Of the whole value, where not all of it is shown: tells that it changed, and nothing else. */
  digest?: string;
}

/** Every setting by its path, as in "mcpServers.files.args". */
export type FlatConfig = Record<string, FlatSetting>;

export interface SettingChange {
  setting: string;
  change: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

/** Found out while reading; their text moves with the lines of the file. */
const DERIVED = ['problem', 'warnings'];

/** The configuration setting by setting, without its secrets. `salt` keeps their digests from being looked up. */
export function flattenConfig(config: Config, salt: string, leave: readonly string[] = []): FlatConfig {
  const shown = showConfig(config);
  const flat: FlatConfig = Object.create(null) as FlatConfig;
  for (const [key, value] of Object.entries(config)) {
    if (leave.includes(key) || key === 'mcpServers') continue;
    flatten(flat, [key], value, shown[key as keyof typeof shown], salt);
  }
  for (const [name, server] of Object.entries(config.mcpServers)) {
    const settings = Object.fromEntries(Object.entries(server).filter(([key]) => !DERIVED.includes(key)));
    flatten(flat, ['mcpServers', name], settings, showServer(server), salt);
  }
  return flat;
}

/** What differs, by path. Of secrets only that they do. */
export function diffConfig(before: FlatConfig, after: FlatConfig): SettingChange[] {
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return settings.flatMap((setting): SettingChange[] => {
    const [was, is] = [before[setting], after[setting]];
    if (was && is && canonicalJson(was) === canonicalJson(is)) return [];
    return [
      {
        setting,
        change: !was ? 'added' : !is ? 'removed' : 'changed',
        ...(was && 'shown' in was && { before: was.shown }),
        ...(is && 'shown' in is && { after: is.shown }),
      },
    ];
  });
}

/** Settings that stand as they are where nobody says otherwise. */
export function defaultSettings(salt: string): FlatConfig {
  return flattenConfig(Config.parse({}), salt);
}

function flatten(flat: FlatConfig, path: string[], value: unknown, shown: unknown, salt: string): void {
  if (value === undefined) return;
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length > 0) {
    for (const [key, item] of entries)
      flatten(flat, [...path, key], item, isObject(shown) ? shown[key] : undefined, salt);
    return;
  }
  const isWhole = canonicalJson(shown) === canonicalJson(value);
  flat[pathText(path)] = {
    ...(shown !== undefined && shown !== MASK && { shown }),
    ...(!isWhole && { digest: createHmac('sha256', salt).update(canonicalJson(value)).digest('hex') }),
  };
}

/** Keys with a dot stand in quotes, so that a path says one thing only. */
function pathText([first = '', ...rest]: string[]): string {
  return rest.reduce(
    (text, key) => text + (/[.["]/.test(key) ? `[${JSON.stringify(key)}]` : `.${key}`),
    first,
  );
}

/** The server that a setting belongs to. */
export function serverOf(setting: string): string | undefined {
  const [, plain, quoted] = /^mcpServers(?:\.([^.[]+)|\[("[^"]*")\])/.exec(setting) ?? [];
  return quoted === undefined ? plain : (JSON.parse(quoted) as string);
}
