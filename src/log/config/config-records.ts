import { join } from 'node:path';
import {
  RECORDED_NAME,
  flattenConfig,
  judgeChanges,
  recordedChange,
  type ConfigAuthor,
  type ConfigOrigin,
  type ConfigStore,
  type JudgedChange,
} from '../../config/index.ts';
import { isSharedSetting, type Config } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { ConfigState } from '../../contract/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { counted, visibleLine } from '../../lib/visible-text.ts';
import type { Activity } from '../activity.ts';
import type { Outcome } from '../record/record.ts';
import { MAX_CHANGES, configDraft, weakeningOf } from './config-draft.ts';
import {
  acceptedAtStart,
  createFlatConfigs,
  digestOf,
  nextAccepted,
  readKept,
  recordedSettings,
  settingsList,
  withDefaults,
  writeKept,
  type LastRecorded,
} from './last-recorded.ts';
import { createWeakenedList } from './weakened-list.ts';

interface Parts {
  activity: Pick<Activity, 'open' | 'list'>;
  config: Pick<ConfigStore, 'current' | 'file' | 'overridden' | 'waiting' | 'onWaiting' | 'accept'> &
    Partial<Pick<ConfigStore, 'revision'>>;
  dataDir: string;
  /** The key for the digests of secrets. */
  key: string;
  /** Identifies this proxy among those on one database. */
  proxy: string;
  /** An earlier database was restored: its last record is older than the copy in the data directory. */
  isRestored?: boolean;
  /** Tells a person that settings were weakened. */
  notify?: (event: { event: string }) => void;
  clock: Clock;
  log: Log;
}

/** Records the configuration in force: at a start and at each change, with its digest and the difference to the one before. */
export interface ConfigRecords {
  /** A daemon records each start; a command only a configuration that differs from the one recorded last. */
  started(options: { isDaemon: boolean }): void;
  changed(next: Config, origin: ConfigOrigin): void;
  state(): ConfigState;
  /** True if there is something to confirm. Waits for changes that are being recorded. */
  hasChanges(): Promise<boolean>;
  /** The operator confirms the configuration with this digest. */
  accept(digest: string, by: ConfigAuthor): Promise<ConfigState>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

interface Entry {
  action: 'start' | 'file' | 'edit' | 'accept' | 'revision';
  next: Config;
  by?: ConfigAuthor | undefined;
  /** Settings whose value in the file was unknown before. */
  unknown?: readonly string[];
  /** Recorded even if nothing has changed. */
  always?: boolean;
}

/** Records that are searched for the last one of this proxy. */
const MAX_SEARCHED = 50;
/** Settings of this start only, such as the data directory. */
const OF_THE_START = ['listen', 'data_dir', 'database_url', 'api_key'];
const topOf = (setting: string) => /^[^.[]*/.exec(setting)![0];
const REVIEW = 'review with "mcpproxy status", then run "mcpproxy config accept" or undo the edit';

export function createConfigRecords(parts: Parts): ConfigRecords {
  const { activity, config, dataDir, key, proxy, clock, log } = parts;
  const file = join(dataDir, RECORDED_NAME);
  const kept = readKept(file);
  const left = config.overridden.filter((name) => OF_THE_START.includes(name));
  const weakened = createWeakenedList(kept);
  const flatOf = createFlatConfigs(key);
  let last: LastRecorded | undefined;
  let accepted: LastRecorded | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** A change could not be recorded: the stored copy stays unchanged, so that the next start finds it. */
  let isMissing = false;
  let waiting: { next: Config; since: string } | undefined;

  function enqueue(work: () => Promise<void>): void {
    writing = writing.then(work).catch((error: unknown) => {
      isMissing = true;
      log.error(
        { err: error },
        'a configuration change could not be recorded; the next start will record it',
      );
    });
  }

  function keep(): void {
    if (isMissing || !last) return;
    try {
      writeKept(file, { ...last, ...(accepted && { accepted: accepted.settings }), ...weakened.state() });
    } catch (error) {
      log.warn({ err: error, file }, 'the recorded configuration cannot be saved for the next start');
    }
  }

  function changesSince(before: LastRecorded, next: Config, unknown: readonly string[]): JudgedChange[] {
    const after = before.salt === undefined ? flatOf(next).settings : flattenConfig(next, before.salt);
    return judgeChanges(withDefaults(before.settings), after).filter(
      ({ setting }) => !unknown.includes(setting),
    );
  }

  /** The last record counts; the copy in the data directory only where the record is missing, not complete, or went back in time. */
  async function findLast(): Promise<LastRecorded | undefined> {
    if (parts.isRestored && kept) return kept;
    const { records } = await activity.list({ type: 'config', status: 'success' }, { limit: MAX_SEARCHED });
    const mine = records.find(({ metadata }) => metadata.proxy === proxy);
    return (mine && recordedSettings(mine)) ?? kept;
  }

  async function write(entry: Entry, at: string): Promise<void> {
    const before = last;
    const { action, next, unknown = left, by } = entry;
    const changes = before ? changesSince(before, next, unknown) : [];
    const { settings } = flatOf(next);
    const open = openSettings(entry, changes);
    const settled = nextAccepted(accepted?.settings ?? settings, settings, open);
    if (changes.length > 0 || entry.always)
      await recordNow(
        {
          action,
          next,
          by,
          changes,
          previousDigest: before && digestOf(before.settings),
          ...(open.size > 0 && { acceptedDigest: digestOf(settled) }),
        },
        { status: 'success', response: { settings: settingsList(settings) } },
      );
    last = { settings, left };
    accepted = { settings: settled, left };
    weakened.forget(changes, open);
    const found = changes.filter(({ setting }) => open.has(setting));
    if (!by) announce(found, { at, source: action === 'start' ? 'start' : 'file' });
    keep();
  }

  /** The settings that are weaker than the accepted ones. What the operator changes is accepted. */
  function openSettings({ next, by, unknown = left }: Entry, changes: JudgedChange[]): Set<string> {
    const weaker = accepted ? weakeningOf(changesSince(accepted, next, unknown)) : [];
    const own = new Set(by ? changes.map(({ setting }) => setting) : []);
    // A revision is an act of the operator too, also one that was made while this proxy was stopped.
    const isRevised = (setting: string) =>
      config.revision?.() !== undefined && isSharedSetting(topOf(setting));
    return new Set(
      weaker.map(({ setting }) => setting).filter((setting) => !own.has(setting) && !isRevised(setting)),
    );
  }

  function recordNow(
    drafted: Omit<Parameters<typeof configDraft>[0], 'digest' | 'overridden' | 'file' | 'proxy' | 'revision'>,
    outcome: Outcome,
  ): Promise<void> {
    const { digest } = flatOf(drafted.next);
    return activity
      .open(
        configDraft({
          ...drafted,
          digest,
          overridden: left,
          file: config.file,
          revision: config.revision?.(),
          proxy,
        }),
      )
      .close(outcome);
  }

  function announce(changes: JudgedChange[], from: { at: string; source: 'file' | 'start' }): void {
    const found = weakeningOf(changes).map((change) => ({ ...recordedChange(change), ...from }));
    if (found.length === 0) return;
    weakened.add(found);
    const names = pathsOf(found);
    log.warn(
      { file: config.file, source: from.source },
      `the configuration file weakens ${counted(found.length, 'setting')}: ${names}; ${REVIEW}`,
    );
    parts.notify?.({ event: 'config_weakened', ...from, file: config.file, changes: found } as {
      event: string;
    });
  }

  function holdBack(next: Config): void {
    const since = new Date(clock.now()).toISOString();
    waiting = { next, since };
    const changes = changesSince({ settings: flatOf(config.current()).settings, left }, next, left);
    const names = pathsOf(weakeningOf(changes).map(recordedChange));
    log.warn(
      { file: config.file },
      `an edit of the configuration file waits for a confirmation, because it weakens ${names}; the previous configuration stays active: ${REVIEW}`,
    );
    parts.notify?.({
      event: 'config_waiting',
      at: since,
      file: config.file,
      changes: changes.slice(0, MAX_CHANGES).map(recordedChange),
    } as { event: string });
    const previousDigest = flatOf(config.current()).digest;
    enqueue(() =>
      recordNow(
        { action: 'waiting', next, changes, previousDigest },
        { status: 'refused', error_message: 'This edit has no effect until the operator confirms it' },
      ),
    );
  }

  function state(): ConfigState {
    const next = config.waiting();
    const digest = flatOf(config.current()).digest;
    return {
      digest,
      waiting:
        next === undefined
          ? null
          : {
              since: waiting?.since ?? new Date(clock.now()).toISOString(),
              digest: flatOf(next).digest,
              changes: changesSince({ settings: flatOf(config.current()).settings, left }, next, left)
                .slice(0, MAX_CHANGES)
                .map(recordedChange),
            },
      ...weakened.state(),
    };
  }

  config.onWaiting(holdBack);
  return {
    started({ isDaemon }) {
      const at = new Date(clock.now()).toISOString();
      const next = config.current();
      enqueue(async () => {
        last = await findLast();
        accepted = last && acceptedAtStart(last, kept, parts.isRestored === true);
        const unknown = [...left, ...(last?.left ?? [])];
        await write({ action: 'start', next, unknown, always: isDaemon }, at);
      });
      const held = config.waiting();
      if (held) holdBack(held);
    },
    changed(next, { from, by }) {
      const at = new Date(clock.now()).toISOString();
      enqueue(() => write({ action: from, next, by }, at));
    },
    state,
    async hasChanges() {
      await writing;
      const { waiting: held, weakened: found } = state();
      return held !== null || found.length > 0;
    },
    async accept(digest, by) {
      const next = config.waiting();
      if (flatOf(next ?? config.current()).digest !== digest)
        throw new ProxyError(
          'CONFLICT',
          'This is not the digest of the configuration that would be confirmed. Review the present one with "mcpproxy status"',
        );
      if (next) await config.accept(next, by);
      enqueue(async () => {
        weakened.clear();
        accepted = last;
        keep();
      });
      await writing;
      return state();
    },
    close: () => writing,
  };
}

const MAX_NAMED = 10;

function pathsOf(changes: ReadonlyArray<{ path: string }>): string {
  const names = changes.slice(0, MAX_NAMED).map(({ path }) => visibleLine(path));
  return changes.length > MAX_NAMED
    ? `${names.join(', ')} and ${changes.length - MAX_NAMED} more`
    : names.join(', ');
}
