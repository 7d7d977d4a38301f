import { unwatchFile, watchFile } from 'node:fs';
import type { Config, ServerConfig } from '../contract/config.ts';
import { toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { editServer, editSettings } from './file/edit-file.ts';
import { createConfigFile, loadConfig, type LoadedConfig } from './load.ts';
import { parseConfig } from './parse.ts';
import type { Settings } from './settings.ts';
import { writeFileAtomically } from './file/write-file.ts';

/** The origin of a change: an edit of the file, or an edit through the proxy, which has its own record. */
export type ConfigOrigin = 'file' | 'edit';

type Subscriber = (next: Config, previous: Config, origin: ConfigOrigin) => void | Promise<void>;

/** The current configuration. An invalid file does not replace it; the error is kept and shown instead. */
export interface ConfigStore {
  readonly file: string;
  current: () => Config;
  /** Why the file on disk is not in use. */
  lastError(): string | null;
  /** Problems in the file that do not prevent the proxy from serving. */
  warnings(): string[];
  /** Settings given by a flag or the environment, which take precedence over the file. */
  readonly overridden: readonly string[];
  subscribe(subscriber: Subscriber): () => void;
  onError(listener: (message: string) => void): void;
  /** Reads the file again; resolves when the change is applied, rejects when it is invalid. */
  reload(): Promise<void>;
  editServer(name: string, server: ServerConfig | null): Promise<void>;
  /** A merge patch: null removes a setting. */
  editSettings(patch: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

const POLL_MS = 250;
const MAX_WARNINGS = 50;

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
  let loaded: LoadedConfig = loadConfig(file, overrides);
  let error: string | null = null;
  const subscribers = new Set<Subscriber>();
  const errorListeners: Array<(message: string) => void> = [];
  const inTurn = createSerialQueue();
  reportWarnings(log, file, loaded.warnings);

  /** Reads and validates immediately, so that an error shows immediately; changes take effect one after the other, as closing a server takes time. */
  async function reload(origin: ConfigOrigin = 'file'): Promise<void> {
    let next: LoadedConfig;
    try {
      next = loadConfig(file, overrides);
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
    error = null;
    if (next.text === loaded.text) return inTurn(async () => {});
    const previous = loaded.config;
    const known = new Set(loaded.warnings);
    loaded = next;
    log.info({ file }, 'configuration reloaded');
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

  /** Validates before writing: an edit through the proxy never leaves an invalid file. */
  async function edit(change: (text: string) => string): Promise<void> {
    const { text } = loadConfig(file, overrides);
    // An edit of the file in the meantime is a separate change. An error of it is already logged and kept.
    if (text !== loaded.text) void reload().catch(() => {});
    const next = change(text);
    parseConfig(next, file, overrides);
    if (next !== text) writeFileAtomically(file, next);
    await reload('edit');
  }

  // `reload` logs every error.
  const unwatch = watch ? watchConfig(file, () => void reload().catch(() => {})) : undefined;
  return {
    file,
    current: () => loaded.config,
    lastError: () => error,
    warnings: () => loaded.warnings,
    overridden: Object.keys(overrides),
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    onError: (listener) => void errorListeners.push(listener),
    reload: () => reload(),
    editServer: (name, server) => edit((text) => editServer(text, name, server)),
    editSettings: (patch) => edit((text) => editSettings(text, patch)),
    async close() {
      unwatch?.();
      await inTurn(async () => {});
    },
  };
}

function reportWarnings(log: Log, file: string, warnings: string[]): void {
  for (const warning of warnings.slice(0, MAX_WARNINGS)) log.warn({ file }, warning);
  if (warnings.length > MAX_WARNINGS)
    log.warn({ file }, `${warnings.length - MAX_WARNINGS} more warnings: see "mcpproxy config validate"`);
}

/**
 * Polls the file, because file events miss a replaced link, a replaced file or a network file system. A file that is read half-written is
 * invalid until the next poll.
 */
function watchConfig(file: string, changed: () => void): () => void {
  watchFile(file, { interval: POLL_MS, persistent: false }, changed);
  return () => unwatchFile(file, changed);
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
