import { randomBytes } from 'node:crypto';
import type { Config } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import type { ConfigChange } from '../contract/status.ts';
import { STRICTEST_TEXT, mustWait, startConfig, writeAccepted } from './change/accepted.ts';
import { reviewedAnother, waitsFirst } from './change/conflicts.ts';
import { judgeChanges, recordedChange } from './change/judge-changes.ts';
import { flattenConfig } from './diff-config.ts';
import { editServer, editSettings } from './file/edit-file.ts';
import type { ConfigOrigin, ConfigStore, Subscriber } from './config-store.ts';
import { createConfigFile, loadConfig, type LoadedConfig } from './load.ts';
import { readConfig } from './parse.ts';
import { composeText, ineffectiveSettings, sharedText } from './shared/compose.ts';
import type {
  ConfigAuthor,
  RevisionAction,
  RevisionDraft,
  RevisionKeeper,
  SharedRevision,
} from './shared/revision.ts';
import { dataDirOf, type Settings } from './settings.ts';
import { watchFile } from './file/watch-file.ts';
import { writeFileAtomically } from './file/write-file.ts';

const MAX_WARNINGS = 50;
/** The listener, the database and the key are opened once. */
const READ_AT_START = ['listen', 'data_dir', 'database_url', 'config_source', 'workers', 'api_key'] as const;

/** What is in force, or would be. */
interface Effective extends LoadedConfig {
  /** The text of the file in it: the same as `text` where there is no revision. */
  fileText: string;
}

export function createConfigStore({
  settings,
  watch,
  log,
}: {
  settings: Settings;
  watch: boolean;
  log: Log;
}): ConfigStore {
  const { configFile: file, overrides } = settings;
  createConfigFile(file);
  const fromFile = loadConfig(file, overrides);
  const start = startConfig({ fromFile, file, overrides, dataDir: dataDirOf(fromFile.config, settings) });
  let loaded: Effective = { ...start.inForce, fileText: start.inForce.text };
  let waiting: Effective | undefined = start.waiting && { ...start.waiting, fileText: start.waiting.text };
  let lastFile: LoadedConfig = fromFile;
  let shared: SharedRevision | undefined;
  let keeper: RevisionKeeper | undefined;
  const atStart = loaded.config;
  let keptIn: string | undefined;
  let error: string | null = null;
  const subscribers = new Set<Subscriber>();
  const errorListeners: Array<(message: string) => void> = [];
  const waitListeners: Array<(next: Config) => void> = [];
  const inTurn = createSerialQueue();
  reportWarnings(log, file, loaded.warnings);

  /** The configuration of this file, with the shared settings of the revision where there is one. */
  function effective(fileText: string, revision = shared): Effective {
    if (!revision) return { ...readConfig(fileText, file, overrides), text: fileText, fileText };
    const text = composeText(revision.text, fileText);
    return { ...readConfig(text, revisionName(revision), overrides), text, fileText };
  }

  /** Reads and validates immediately, so that an error shows immediately; changes take effect one after the other, as closing a server takes time. */
  async function reload(): Promise<void> {
    const read = readFile();
    error = null;
    const isEdited = read.text !== lastFile.text;
    lastFile = read;
    if (isEdited) reportIneffective();
    const next = effective(lastFile.text);
    const isActive = next.text === loaded.text;
    if (!isActive && mustWait(loaded.config, next.config)) return hold(next);
    waiting = undefined;
    if (!isActive) return apply(next, { from: 'file' });
    loaded = next;
    return inTurn(async () => {});
  }

  function ineffective(): string[] {
    return shared ? ineffectiveSettings(lastFile.text, lastFile.config, loaded.config) : [];
  }

  function reportIneffective(): void {
    const names = ineffective();
    if (names.length === 0) return;
    log.warn(
      { file, revision: shared?.revision, settings: names },
      'settings of the file have no effect, because the database has others: apply them with "mcpproxy config apply FILE", remove them from the file, or set config_source to "file"',
    );
  }

  function readFile(): LoadedConfig {
    try {
      return loadConfig(file, overrides);
    } catch (cause) {
      const { message } = toProxyError(cause);
      if (message !== error) {
        error = message;
        log.error(
          { file },
          `the configuration file is invalid, so the previous configuration stays active: ${message}`,
        );
        for (const listener of errorListeners) listener(message);
      }
      throw cause;
    }
  }

  function hold(next: Effective): void {
    if (waiting?.text === next.text) return;
    waiting = next;
    for (const listener of waitListeners) listener(next.config);
  }

  async function apply(next: Effective, origin: ConfigOrigin): Promise<void> {
    const previous = loaded.config;
    const known = new Set(loaded.warnings);
    loaded = next;
    keep();
    log.info({ file, ...(shared && { revision: shared.revision }) }, 'configuration reloaded');
    const late = READ_AT_START.filter((key) => next.config[key] !== previous[key]);
    if (late.length > 0) log.warn({ file }, `${late.join(', ')}: the change takes effect at the next start`);
    reportWarnings(
      log,
      file,
      next.warnings.filter((warning) => !known.has(warning)),
    );
    try {
      await inTurn(async () => {
        for (const subscriber of subscribers) await subscriber(next.config, previous, origin);
      });
    } catch (cause) {
      log.error({ file, err: cause }, 'the new configuration could not be applied completely');
      throw cause;
    }
  }

  /** A copy that cannot be written is older than the file: at the next start the change may have to be confirmed once more. */
  function keep(): void {
    if (keptIn === undefined || (waiting && !shared)) return;
    try {
      writeAccepted(keptIn, loaded.text);
    } catch (cause) {
      log.warn({ err: cause }, 'the configuration in force cannot be saved for the next start');
    }
  }

  /** Validates before writing: an edit through the proxy never leaves an invalid file. */
  async function editFile(change: (text: string) => string, by: ConfigAuthor): Promise<void> {
    const { text } = loadConfig(file, overrides);
    // An edit of the file in the meantime is a separate change. An error of it is already logged and kept.
    if (text !== loaded.text) void reload().catch(() => {});
    else waiting = undefined;
    if (waiting) throw waitsFirst(file);
    const nextText = change(text);
    const next = effective(nextText);
    if (nextText !== text) writeFileAtomically(file, nextText);
    error = null;
    lastFile = next;
    // Not read again: what somebody else writes meanwhile is an edit of the file.
    if (nextText === loaded.text) return inTurn(async () => {});
    await apply(next, { from: 'edit', by });
  }

  /** The newest revision is changed, and no other. A replacement is also the way out where the stored one does not count. */
  async function editRevision(
    { keeper: keptBy, base }: { keeper: RevisionKeeper; base: SharedRevision },
    change: (text: string) => string,
    { by, action, repairs }: Pick<RevisionDraft, 'by' | 'action'> & { repairs?: boolean },
  ): Promise<void> {
    const text = change(base.text);
    if (text === base.text && base.revision > 0 && !repairs) return inTurn(async () => {});
    const changes = changesTo(text);
    const stored = await keptBy.commit({ text, base: base.revision, changes, by, action });
    await adopt(stored, { from: 'edit', by });
  }

  function changesTo(text: string): ConfigChange[] {
    const salt = randomBytes(16).toString('hex');
    const next = shared
      ? effective(loaded.fileText, { revision: shared.revision + 1, text })
      : effective(composeText(text, loaded.fileText));
    return judgeChanges(flattenConfig(loaded.config, salt), flattenConfig(next.config, salt)).map(
      recordedChange,
    );
  }

  /** Whether the stored one does not count, so that another one must replace it, even one with the same text. */
  async function newestShared(action: RevisionAction): Promise<boolean> {
    try {
      await keeper?.catchUp();
      return false;
    } catch (cause) {
      if (action === 'edit' || toProxyError(cause).code !== 'ROW_CHANGED') throw cause;
      return true;
    }
  }

  async function edit(change: (text: string) => string, by: ConfigAuthor): Promise<void> {
    await newestShared('edit');
    if (keeper && shared) await editRevision({ keeper, base: shared }, change, { by, action: 'edit' });
    else await editFile(change, by);
  }

  async function adopt(newest: SharedRevision, origin: ConfigOrigin): Promise<void> {
    if (shared && newest.revision <= shared.revision) return;
    const next = effective(loaded.fileText, newest);
    shared = newest;
    if (waiting) waiting = effective(waiting.fileText);
    await apply(next, origin);
  }

  const reread = () => {
    // `reload` logs every error.
    void reload().catch(() => {});
    return error === null;
  };
  const unwatch = watch ? watchFile(file, reread) : undefined;
  return {
    file,
    validText: () => lastFile.text,
    current: () => loaded.config,
    lastError: () => error,
    warnings: () => loaded.warnings,
    needsRestart: () => READ_AT_START.filter((key) => loaded.config[key] !== atStart[key]),
    overridden: Object.keys(overrides),
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    onError: (listener) => void errorListeners.push(listener),
    reload: () => reload(),
    waiting: () => waiting?.config,
    onWaiting: (listener) => void waitListeners.push(listener),
    async accept(expected, by) {
      const next = waiting;
      if (next?.config !== expected)
        throw new ProxyError('CONFLICT', 'The configuration file has changed meanwhile');
      waiting = undefined;
      await apply(next, { from: 'accept', by });
    },
    keepIn(dataDir) {
      keptIn = dataDir;
      keep();
    },
    editServer: (name, server, by) => edit((text) => editServer(text, name, server), by),
    editServers: (servers, by) =>
      edit((text) => [...servers].reduce((next, [name, server]) => editServer(next, name, server), text), by),
    editSettings: (patch, by) => edit((text) => editSettings(text, patch), by),
    async planShared(text) {
      await newestShared('apply');
      return { revision: shared?.revision, changes: changesTo(checkedShared(text)) };
    },
    async replaceShared(text, by, { action, expected }) {
      const repairs = await newestShared(action);
      if (expected !== undefined && expected !== shared?.revision) throw reviewedAnother(shared?.revision);
      if (keeper && shared)
        await editRevision({ keeper, base: shared }, () => checkedShared(text), { by, action, repairs });
      else await editFile((before) => composeText(checkedShared(text), before), by);
    },
    sharedText: () => sharedText(loaded.text),
    share(given, newest) {
      keeper = given;
      shared = newest ?? { revision: 0, text: start.last ? sharedText(start.last.text) : STRICTEST_TEXT };
      const before = effective((start.last ?? start.inForce).text);
      const after = effective(fromFile.text);
      const isHeld = mustWait(before.config, after.config);
      loaded = isHeld ? before : after;
      waiting = isHeld ? after : undefined;
      reportIneffective();
    },
    adopt,
    revision: () => shared?.revision,
    ineffective,
    async close() {
      unwatch?.();
      await inTurn(async () => {});
    },
  };
}

/** Throws CONFIG_INVALID with every problem of a text that somebody gives. */
function checkedShared(text: string): string {
  readConfig(text, 'the given file');
  return sharedText(text);
}

const revisionName = ({ revision }: SharedRevision) => `revision ${revision} of the configuration`;

function reportWarnings(log: Log, file: string, warnings: string[]): void {
  for (const warning of warnings.slice(0, MAX_WARNINGS)) log.warn({ file }, warning);
  if (warnings.length > MAX_WARNINGS)
    log.warn({ file }, `${warnings.length - MAX_WARNINGS} more warnings: see "mcpproxy config validate"`);
}

/** Runs one task at a time, in order. */
function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // `mine` reports the error; the next task must not fail for it.
    last = mine.catch(() => {});
    return mine;
  };
}
