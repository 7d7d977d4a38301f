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
  /** Records what differs from the configuration that was recorded last, by this process or the one before. */
  started(): void;
  /** Records what an edit of the file has changed. An edit through the proxy has its record already. */
  changed(next: Config, origin: ConfigOrigin): void;
  /** Resolves when what was recorded is kept. */
  close(): Promise<void>;
}

const NAME = 'config_recorded.json';
/** Whoever changes more at once sees the rest in the file. */
const MAX_CHANGES = 200;
/** No credential stands behind an edit of the file, so that the record names none. */
const PRINCIPAL = 'config file';
/** Where the program was told to work, for this start alone. */
const OF_THE_START = ['listen', 'data_dir', 'database_url', 'api_key'];

/** The file is a door like any other: what changes through it is in the log. */
export function createConfigChanges({ activity, config, dataDir, log }: Parts): ConfigChanges {
  const file = join(dataDir, NAME);
  const kept = readKept(file);
  const salt = kept?.salt ?? randomBytes(16).toString('hex');
  const left = config.overridden.filter((key) => OF_THE_START.includes(key));
  let recorded: FlatConfig | undefined = kept && { ...defaultSettings(salt), ...kept.settings };
  let writing: Promise<void> = Promise.resolve();
  /** A change is not in the log: what is kept stays as it was, so that the next start finds it. */
  let isMissing = false;

  function keep(settings: FlatConfig): void {
    if (isMissing) return;
    try {
      writeKept(file, { salt, settings, left });
    } catch (error) {
      log.warn({ err: error, file }, 'the recorded configuration cannot be kept for the next start');
    }
  }

  function record(action: string, next: Config, unknown: readonly string[]): void {
    const before = recorded;
    const settings = flattenConfig(next, salt, left);
    const changes = before
      ? diffConfig(before, settings).filter((each) => !unknown.includes(each.setting))
      : [];
    recorded = settings;
    // Most starts find what the last one left.
    if (before && changes.length === 0 && canonicalJson(kept?.left) === canonicalJson(left)) return;
    writing = writing
      .then(async () => {
        if (changes.length > 0)
          await activity.open(draftOf(action, config.file, changes)).close({ status: 'success' });
        keep(settings);
      })
      .catch((error: unknown) => {
        isMissing = true;
        log.error({ err: error }, 'a change of the configuration is not recorded; the next start records it');
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
  /** Settings that a flag or the environment gave then: what the file said of them is not known. */
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
    // The first start, or a file that says nothing: there is nothing to compare with.
  }
  return undefined;
}

function writeKept(file: string, kept: Kept): void {
  const temporary = `${file}.${newId()}`;
  writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
