import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../contract/errors.ts';
import type { Database } from '../db/index.ts';
import type { Log } from '../lib/log.ts';
import type { ApprovalStore } from './store/approval-store.ts';
import type { Waiters } from './waiters.ts';

/** Messages between the proxies on one database. The payload is "PROXY APPROVAL"; undefined: a message may have been lost. */
export interface Channel {
  notify(payload: string): Promise<void>;
  onNotify(listener: (payload: string | undefined) => void): () => void;
}

const CHANNEL = 'mcpproxy_approvals';
const ID_FILE = 'proxy-id';

/** Undefined with SQLite, where only one proxy can use the database. */
export function channelOf(db: Database): Channel | undefined {
  if (db.engine !== 'postgres') return undefined;
  return {
    notify: (id) => db.notify(CHANNEL, id),
    onNotify: (listener) => db.onNotify(CHANNEL, listener),
  };
}

/** Identifies the proxy of this data directory among those on one database, also after a restart. Created on first use; not a secret. */
export function readProxyId(dataDir: string): string {
  const file = join(dataDir, ID_FILE);
  if (!existsSync(file)) createIdFile(file);
  const id = readFileSync(file, 'utf8').trim();
  if (/^[0-9a-f]{16}$/.test(id)) return id;
  throw new ProxyError(
    'CONFIG_INVALID',
    `${file} is damaged. Delete it; mcpproxy creates a new one when it starts`,
    { file },
  );
}

function createIdFile(file: string): void {
  try {
    writeFileSync(file, `${randomBytes(8).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another process created it at the same moment: its file counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export interface WatchParts {
  store: Pick<ApprovalStore, 'statuses'>;
  waiters: Waiters;
  channel?: Channel | undefined;
  /** The id of this proxy, which receives its own messages too. */
  instance: string;
  /** Another proxy changed this approval. */
  onRemoteChange: (id: string) => void;
  log: Log;
  everyMs?: number;
}

const CHUNK = 500;

/**
 * Wakes waiting requests when another proxy decides. A message may get lost, and SQLite has none, so the statuses are also polled once a
 * second while requests wait.
 */
export function watchOtherProxies({
  store,
  waiters,
  channel,
  instance,
  onRemoteChange,
  log,
  everyMs = 1000,
}: WatchParts): () => void {
  let isPolling = false;

  async function poll(): Promise<void> {
    const ids = waiters.ids();
    for (let at = 0; at < ids.length; at += CHUNK) {
      const rows = await store.statuses(ids.slice(at, at + CHUNK));
      for (const { id, status } of rows) if (status !== 'pending') waiters.wake(id);
    }
  }

  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    poll()
      .catch((error: unknown) => log.warn({ err: error }, 'the statuses of approvals could not be read'))
      .finally(() => (isPolling = false));
  }, everyMs);
  timer.unref();
  const stopListening = channel?.onNotify((payload) => {
    if (payload === undefined) return waiters.wakeAll();
    const space = payload.lastIndexOf(' ');
    if (payload.slice(0, space) === instance) return;
    const id = payload.slice(space + 1);
    waiters.wake(id);
    onRemoteChange(id);
  });
  return () => {
    clearInterval(timer);
    stopListening?.();
  };
}
