import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  defaultSettings,
  diffConfig,
  flattenConfig,
  serverOf,
  type ConfigOrigin,
  type ConfigStore,
  type FlatConfig,
  type SettingChange,
} from '../../config/index.ts';
import type { Config } from '../../contract/config.ts';
import { canonicalJson, isObject } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { OpenRecord, RecordDraft } from './record.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  config: Pick<ConfigStore, 'current' | 'file' | 'overridden'>;
  dataDir: string;
  log: Log;
}

export interface ConfigChanges {
  /** Records the difference to the last recorded configuration. */
  started(): void;
  /** Records an edit of the file. Edits through the proxy have their own record. */
  changed(next: Config, origin: ConfigOrigin): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

const NAME = 'config_recorded.json';
/** Changes shown per record; the rest is in the file. */
const MAX_CHANGES = 200;
/** An edit of the file has no credential. */
const PRINCIPAL = 'config file';
/** Settings of this start only, such as the data directory. */
const OF_THE_START = ['listen', 'data_dir', 'database_url', 'api_key'];

/** Records changes of the configuration file in the activity log. */
export function createConfigChanges({ activity, config, dataDir, log }: Parts): ConfigChanges {
  const file = join(dataDir, NAME);
  const kept = readKept(file);
  const salt = kept?.salt ?? randomBytes(16).toString('hex');
  const left = config.overridden.filter((key) => OF_THE_START.includes(key));
  let recorded: FlatConfig | undefined = kept && { ...defaultSettings(salt), ...kept.settings };
  let writing: Promise<void> = Promise.resolve();
  /** A change could not be recorded: the stored settings stay unchanged, so the next start finds it. */
  let isMissing = false;

  function keep(settings: FlatConfig): void {
    if (isMissing) return;
    try {
      writeKept(file, { salt, settings, left });
    } catch (error) {
      log.warn({ err: error, file }, 'the recorded configuration cannot be saved for the next start');
    }
  }

  function record(action: string, next: Config, unknown: readonly string[]): void {
    const before = recorded;
    const settings = flattenConfig(next, salt, left);
    const changes = before
      ? diffConfig(before, settings).filter((each) => !unknown.includes(each.setting))
      : [];
    recorded = settings;
    // Most starts find no change.
    if (before && changes.length === 0 && canonicalJson(kept?.left) === canonicalJson(left)) return;
    writing = writing
      .then(async () => {
        if (changes.length > 0)
          await activity.open(draftOf(action, config.file, changes)).close({ status: 'success' });
        keep(settings);
      })
      .catch((error: unknown) => {
        isMissing = true;
        log.error(
          { err: error },
          'a configuration change could not be recorded; the next start will record it',
        );
      });
  }

  return {
    started: () => record('config_at_start', config.current(), [...left, ...(kept?.left ?? [])]),
    changed(next, origin) {
      if (origin === 'file') return record('config_file', next, left);
      const settings = flattenConfig(next, salt, left);
      recorded = settings;
      writing = writing.then(() => keep(settings));
    },
    close: () => writing,
  };
}

function draftOf(action: string, file: string, changes: SettingChange[]): RecordDraft {
  const shown = changes.slice(0, MAX_CHANGES);
  const servers = new Set(changes.map(({ setting }) => serverOf(setting)));
  const [server] = servers;
  return {
    type: 'config_change',
    source: 'system',
    ...(servers.size === 1 && server !== undefined && { server_name: server }),
    arguments: {
      file,
      changes: shown,
      ...(changes.length > shown.length && { more: changes.length - shown.length }),
    },
    request_id: newId(),
    metadata: { action, principal: PRINCIPAL },
  };
}

interface Kept {
  salt: string;
  settings: FlatConfig;
  /** Settings that a flag or the environment set at that time: their value in the file is unknown. */
  left: string[];
}

function readKept(file: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isObject(kept) && typeof kept.salt === 'string' && isObject(kept.settings))
      return {
        salt: kept.salt,
        settings: kept.settings as FlatConfig,
        left: Array.isArray(kept.left) ? kept.left.map(String) : [],
      };
  } catch {
    // The first start, or an unreadable file: there is nothing to compare with.
  }
  return undefined;
}

function writeKept(file: string, kept: Kept): void {
  const temporary = `${file}.${newId()}`;
  writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
