import type { Caller } from '../contract/call.ts';
import type { Config, ServerConfig } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { mustWait, startConfig, writeAccepted } from './change/accepted.ts';
import { editServer, editSettings } from './file/edit-file.ts';
import { createConfigFile, loadConfig, type LoadedConfig } from './load.ts';
import { readConfig } from './parse.ts';
import { dataDirOf, type Settings } from './settings.ts';
import { watchFile } from './file/watch-file.ts';
import { writeFileAtomically } from './file/write-file.ts';

/** Who changes the configuration through the proxy. */
export type ConfigAuthor = Pick<Caller, 'principal' | 'source' | 'requestId' | 'client'>;

/** The origin of a change: an edit of the file, an edit through the proxy, or the confirmation of an edit of the file. */
export interface ConfigOrigin {
  from: 'file' | 'edit' | 'accept';
  /** Absent for an edit of the file, which has no credential. */
  by?: ConfigAuthor;
}

type Subscriber = (next: Config, previous: Config, origin: ConfigOrigin) => void | Promise<void>;

/** The current configuration. An invalid file does not replace it; the error is kept and shown instead. */
export interface ConfigStore {
  readonly file: string;
  /** The last valid text of the file, whether it is in force or waits. */
  validText(): string;
  current: () => Config;
  /** Why the file on disk is not in use. */
  lastError(): string | null;
  /** Problems in the file that do not prevent the proxy from serving. */
  warnings(): string[];
  /** Settings that the file has changed since the start, and that take effect at the next start. */
  needsRestart(): string[];
  /** Settings given by a flag or the environment, which take precedence over the file. */
  readonly overridden: readonly string[];
  subscribe(subscriber: Subscriber): () => void;
  onError(listener: (message: string) => void): void;
  /** Reads the file again; resolves when the change is applied or waits, rejects when it is invalid. */
  reload(): Promise<void>;
  /** The configuration of the file, if it weakens the current one and waits for a confirmation. */
  waiting(): Config | undefined;
  onWaiting(listener: (next: Config) => void): void;
  /** Applies the configuration that waits, if it is still this one. */
  accept(expected: Config, by: ConfigAuthor): Promise<void>;
  /** From now on keeps a copy of the configuration in force in this directory, for the next start. */
  keepIn(dataDir: string): void;
  editServer(name: string, server: ServerConfig | null, by: ConfigAuthor): Promise<void>;
  /** Adds or changes several servers at once. */
  editServers(servers: ReadonlyMap<string, ServerConfig>, by: ConfigAuthor): Promise<void>;
  /** A merge patch: null removes a setting. */
  editSettings(patch: Record<string, unknown>, by: ConfigAuthor): Promise<void>;
  close(): Promise<void>;
}

const MAX_WARNINGS = 50;
/** The listener, the database and the key are opened once. */
const READ_AT_START = ['listen', 'data_dir', 'database_url', 'api_key'] as const;

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
  let loaded: LoadedConfig = start.inForce;
  let waiting: LoadedConfig | undefined = start.waiting;
  const atStart = loaded.config;
  let keptIn: string | undefined;
  let error: string | null = null;
  const subscribers = new Set<Subscriber>();
  const errorListeners: Array<(message: string) => void> = [];
  const waitListeners: Array<(next: Config) => void> = [];
  const inTurn = createSerialQueue();
  reportWarnings(log, file, loaded.warnings);

  /** Reads and validates immediately, so that an error shows immediately; changes take effect one after the other, as closing a server takes time. */
  async function reload(): Promise<void> {
    const next = readFile();
    error = null;
    const isActive = next.text === loaded.text;
    if (!isActive && mustWait(loaded.config, next.config)) return hold(next);
    waiting = undefined;
    return isActive ? inTurn(async () => {}) : apply(next, { from: 'file' });
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

  function hold(next: LoadedConfig): void {
    if (waiting?.text === next.text) return;
    waiting = next;
    for (const listener of waitListeners) listener(next.config);
  }

  async function apply(next: LoadedConfig, origin: ConfigOrigin): Promise<void> {
    const previous = loaded.config;
    const known = new Set(loaded.warnings);
    loaded = next;
    keep();
    log.info({ file }, 'configuration reloaded');
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
    if (keptIn === undefined || waiting) return;
    try {
      writeAccepted(keptIn, loaded.text);
    } catch (cause) {
      log.warn({ err: cause }, 'the configuration in force cannot be saved for the next start');
    }
  }

  /** Validates before writing: an edit through the proxy never leaves an invalid file. */
  async function edit(change: (text: string) => string, by: ConfigAuthor): Promise<void> {
    const { text } = loadConfig(file, overrides);
    // An edit of the file in the meantime is a separate change. An error of it is already logged and kept.
    if (text !== loaded.text) void reload().catch(() => {});
    else waiting = undefined;
    if (waiting) throw waitsFirst(file);
    const next = change(text);
    const read = readConfig(next, file, overrides);
    if (next !== text) writeFileAtomically(file, next);
    error = null;
    // Not read again: what somebody else writes meanwhile is an edit of the file.
    if (next === loaded.text) return inTurn(async () => {});
    await apply({ ...read, text: next }, { from: 'edit', by });
  }

  const reread = () => {
    // `reload` logs every error.
    void reload().catch(() => {});
    return error === null;
  };
  const unwatch = watch ? watchFile(file, reread) : undefined;
  return {
    file,
    validText: () => (waiting ?? loaded).text,
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
    async close() {
      unwatch?.();
      await inTurn(async () => {});
    },
  };
}

/** An edit on top of a file that waits would put the whole file into force. */
function waitsFirst(file: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `An edit of ${file} waits for a confirmation. Review it with "mcpproxy status", then run "mcpproxy config accept" or undo the edit`,
    { file },
  );
}

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
