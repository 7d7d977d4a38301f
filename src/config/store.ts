import { unwatchFile, watchFile } from 'node:fs';
import type { Config, ServerConfig } from '../contract/config.ts';
import { toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { editServer } from './file/edit-server.ts';
import { editSettings } from './file/edit-settings.ts';
import { createConfigFile, loadConfig, type LoadedConfig } from './load.ts';
import { parseConfig } from './parse.ts';
import type { Settings } from './settings.ts';
import { writeFileAtomically } from './file/write-file.ts';

/** Who brought a change in: somebody who edited the file, or an edit through the proxy itself, which has its own record. */
export type ConfigOrigin = 'file' | 'edit';

type Subscriber = (next: Config, previous: Config, origin: ConfigOrigin) => void | Promise<void>;

/** The configuration that serves. An invalid file never takes its place; the error is kept and shown instead. */
export interface ConfigStore {
  readonly file: string;
  current: () => Config;
  /** Why the file on disk is not the configuration that serves. */
  lastError(): string | null;
  /** What in the file is wrong or without effect and stops nothing. */
  warnings(): string[];
  /** Settings that a flag or the environment gives; the file does not count for them. */
  readonly overridden: readonly string[];
  subscribe(subscriber: Subscriber): () => void;
  onError(listener: (message: string) => void): void;
  /** Reads the file again; resolves when the change is in force, rejects when it is invalid. */
  reload(): Promise<void>;
  editServer(name: string, server: ServerConfig | null): Promise<void>;
  /** A merge patch: null removes a setting. */
  editSettings(patch: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

/** How often the file is looked at. */
const LOOK_MS = 250;
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
  const inTurn = createTurn();
  reportWarnings(log, file, loaded.warnings);

  /** Read and judged at once, so that an error is shown at once; put in force one after the other, as ending a server takes a while. */
  async function reload(origin: ConfigOrigin = 'file'): Promise<void> {
    let next: LoadedConfig;
    try {
      next = loadConfig(file, overrides);
    } catch (cause) {
      const { message } = toProxyError(cause);
      if (message !== error) {
        error = message;
        log.error({ file }, `the configuration is invalid, the old one keeps serving: ${message}`);
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
    await inTurn(async () => {
      for (const subscriber of subscribers) await subscriber(next.config, previous, origin);
    });
  }

  /** Checked before it is written: an edit through us never leaves an invalid file behind. */
  async function edit(change: (text: string) => string): Promise<void> {
    const { text } = loadConfig(file, overrides);
    // What somebody has written into the file meanwhile is a change of its own. It holds at once, so nothing has to be waited for.
    if (text !== loaded.text) void reload().catch(() => {});
    const next = change(text);
    parseConfig(next, file, overrides);
    if (next !== text) writeFileAtomically(file, next);
    await reload('edit');
  }

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
 * By looking at what the name leads to, not by waiting for events: those miss a swapped link, a replaced file or a network file system.
 * A file that is read half-written is invalid for a moment and right at the next look.
 */
function watchConfig(file: string, changed: () => void): () => void {
  watchFile(file, { interval: LOOK_MS, persistent: false }, changed);
  return () => unwatchFile(file, changed);
}

/** Runs one thing at a time, in the order asked for. */
function createTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
