import { createHmac } from 'node:crypto';
import { Config, type ServerConfig } from '../contract/config.ts';
import { canonicalJson, isObject } from '../json/index.ts';
import { MASK } from './mask-target.ts';
import { showConfig } from './show.ts';

/** A setting without its secrets. */
export interface FlatSetting {
  /** Absent for a secret. */
  shown?: unknown;
  /** The digest of the value, where it is not shown completely: reveals only whether it has changed. */
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

/** Results of reading the file; their texts contain line numbers. */
const DERIVED = ['problem', 'warnings'];

/** All settings by path, without secrets. `salt` prevents that digests are looked up. */
export function flattenConfig(config: Config, salt: string, omit: readonly string[] = []): FlatConfig {
  const mcpServers = Object.fromEntries(
    Object.entries(config.mcpServers).map(([name, server]) => [name, withoutDerived(server)]),
  );
  const shown = showConfig({ ...config, mcpServers });
  const flat: FlatConfig = Object.create(null) as FlatConfig;
  const add = createFlattener(flat, salt);
  for (const [key, value] of Object.entries(config)) {
    if (omit.includes(key) || key === 'mcpServers') continue;
    add([key], value, shown[key as keyof typeof shown]);
  }
  for (const [name, server] of Object.entries(mcpServers))
    add(['mcpServers', name], server, shown.mcpServers[name]);
  return flat;
}

function withoutDerived(server: ServerConfig): ServerConfig {
  return Object.fromEntries(Object.entries(server).filter(([key]) => !DERIVED.includes(key)));
}

/** The differences, by path. For a secret only that it differs. */
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

/** The settings of an empty configuration. */
export function defaultSettings(salt: string): FlatConfig {
  return flattenConfig(Config.parse({}), salt);
}

function createFlattener(flat: FlatConfig, salt: string) {
  return function add(path: string[], value: unknown, shown: unknown): void {
    if (value === undefined) return;
    const entries = isObject(value) ? Object.entries(value) : [];
    for (const [key, item] of entries) add([...path, key], item, isObject(shown) ? shown[key] : undefined);
    if (entries.length > 0) return;
    const isComplete = canonicalJson(shown) === canonicalJson(value);
    flat[pathText(path)] = {
      ...(shown !== undefined && shown !== MASK && { shown }),
      ...(!isComplete && { digest: createHmac('sha256', salt).update(canonicalJson(value)).digest('hex') }),
    };
  };
}

/** A key with a dot is quoted, so that a path is unambiguous. */
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
