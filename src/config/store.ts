import { watch, type FSWatcher } from 'chokidar';
import type { Config, ServerConfig } from '../contract/config.ts';
import { toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { editServer } from './edit-server.ts';
import { createConfigFile, loadConfig, type LoadedConfig } from './load.ts';
import { parseConfig } from './parse.ts';
import type { Settings } from './settings.ts';
import { writeFileAtomically } from './write-file.ts';

type Subscriber = (next: Config, previous: Config) => void | Promise<void>;

/** The configuration that serves. An invalid file never takes its place; the error is kept and shown instead. */
export interface ConfigStore {
  readonly file: string;
  current(): Config;
  /** Why the file on disk is not the configuration that serves. */
  lastError(): string | null;
  subscribe(subscriber: Subscriber): () => void;
  onError(listener: (message: string) => void): void;
  /** Reads the file again; resolves when the change is in force, rejects when it is invalid. */
  reload(): Promise<void>;
  editServer(name: string, server: ServerConfig | null): Promise<void>;
  close(): Promise<void>;
}

/** Editors write in steps; the file is read when it has been quiet for this long. */
const QUIET_MS = 100;

export function createConfigStore({ settings, watchFile, log }: { settings: Settings; watchFile: boolean; log: Log }): ConfigStore {
  const { configFile: file, overrides } = settings;
  createConfigFile(file);
  let loaded: LoadedConfig = loadConfig(file, overrides);
  let error: string | null = null;
  const subscribers = new Set<Subscriber>();
  const errorListeners: Array<(message: string) => void> = [];
  const inTurn = createTurn();

  async function reload(): Promise<void> {
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
    if (next.text === loaded.text) return;
    const previous = loaded.config;
    loaded = next;
    log.info({ file }, 'configuration reloaded');
    for (const subscriber of subscribers) await subscriber(next.config, previous);
  }

  /** Checked before it is written: an edit through us never leaves an invalid file behind. */
  async function edit(name: string, server: ServerConfig | null): Promise<void> {
    const { text } = loadConfig(file, overrides);
    const next = editServer(text, name, server);
    parseConfig(next, file, overrides);
    if (next !== text) writeFileAtomically(file, next);
    await reload();
  }

  const watcher = watchFile ? watchConfig(file, () => void inTurn(reload).catch(() => {})) : undefined;
  return {
    file,
    current: () => loaded.config,
    lastError: () => error,
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    onError: (listener) => void errorListeners.push(listener),
    reload: () => inTurn(reload),
    editServer: (name, server) => inTurn(() => edit(name, server)),
    async close() {
      await watcher?.close();
    },
  };
}

function watchConfig(file: string, changed: () => void): FSWatcher {
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  };
  // The name is watched and not only what it points at: editors replace files, and deployments swap links.
  return watch(file, { ignoreInitial: true }).on('all', later).on('error', later);
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
