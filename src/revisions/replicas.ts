import { sql } from 'kysely';
import { serverText, type ConfigStore } from '../config/index.ts';
import { isSharedSetting, type Config } from '../contract/config.ts';
import type { SharedConfigState } from '../contract/status.ts';
import type { PostgresDatabase, RowSeal } from '../db/index.ts';
import { canonicalJson } from '../json/index.ts';
import type { Log } from '../lib/log.ts';

const CHANNEL = 'mcpproxy_replicas';
const PUBLISH_EVERY_MS = 10_000;
/** A proxy that has not been seen for so long is not running. */
const GONE_MS = 45_000;
const FORGET_MS = 86_400_000;
const DIGEST_LENGTH = 16;

type Replica = SharedConfigState['replicas'][number];

interface Parts {
  db: Pick<PostgresDatabase, 'kysely' | 'notify' | 'onNotify'>;
  seal: Pick<RowSeal, 'digest'>;
  config: Pick<ConfigStore, 'current' | 'revision' | 'subscribe'>;
  proxy: string;
  listen: () => string | null;
  log: Log;
}

/** Each proxy on the database publishes digests of its shared settings, so that each can tell where they differ. */
export async function publishReplica({ db, seal, config, proxy, listen, log }: Parts) {
  const { kysely } = db;
  const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const digestOf = (text: string) => seal.digest(`setting\n${text}`).slice(0, DIGEST_LENGTH);
  let others: Replica[] = [];
  let own: { of: Config; digests: Record<string, string> } | undefined;
  let closed = false;

  function digests(): Record<string, string> {
    const current = config.current();
    if (own?.of !== current) own = { of: current, digests: settingDigests(current, digestOf) };
    return own.digests;
  }

  async function publish(): Promise<void> {
    const revision = config.revision() ?? null;
    const row = {
      listen: listen(),
      source: revision === null ? 'file' : 'database',
      revision,
      settings: JSON.stringify(digests()),
      seen_ms: now,
    };
    await kysely
      .insertInto('config_replicas')
      .values({ proxy, ...row })
      .onConflict((conflict) => conflict.column('proxy').doUpdateSet(row))
      .execute();
    await kysely
      .deleteFrom('config_replicas')
      .where('seen_ms', '<', sql<number>`${now} - ${sql.lit(FORGET_MS)}`)
      .execute();
  }

  async function read(): Promise<void> {
    const rows = await kysely
      .selectFrom('config_replicas')
      .selectAll()
      .where('proxy', '!=', proxy)
      .where('seen_ms', '>', sql<number>`${now} - ${sql.lit(GONE_MS)}`)
      .orderBy('proxy')
      .execute();
    const mine = digests();
    others = rows.map(({ proxy: name, listen: at, source, revision, settings }) => ({
      proxy: name,
      listen: at,
      source,
      revision,
      differs: differing(mine, JSON.parse(settings) as Record<string, string>),
    }));
    const drifted = others.filter(({ differs }) => differs.length > 0);
    if (drifted.length === 0 || config.revision() !== undefined) return;
    log.warn(
      {
        replicas: drifted.map(({ proxy: name, listen: at, differs }) => ({
          proxy: name,
          listen: at,
          differs,
        })),
      },
      'proxies on the same database have different settings; give all of them the same file, or use config_source "database"',
    );
  }

  async function announce(): Promise<void> {
    await publish();
    await db.notify(CHANNEL, proxy);
  }

  const inBackground = (work: () => Promise<void>) => {
    if (!closed)
      work().catch((error: unknown) =>
        log.debug({ err: error }, 'the settings of other proxies cannot be read'),
      );
  };
  const timer = setInterval(() => inBackground(() => publish().then(read)), PUBLISH_EVERY_MS).unref();
  const stop = db.onNotify(CHANNEL, () => inBackground(read));
  const unsubscribe = config.subscribe(() => inBackground(announce));
  await publish();
  await read();
  return {
    others: () => others,
    announce: () => inBackground(announce),
    async close() {
      closed = true;
      clearInterval(timer);
      stop();
      unsubscribe();
      // Others forget it within a minute.
      await kysely
        .deleteFrom('config_replicas')
        .where('proxy', '=', proxy)
        .execute()
        .catch(() => {});
    },
  };
}

/** By setting; servers one by one. */
function settingDigests(config: Config, digestOf: (text: string) => string): Record<string, string> {
  const { mcpServers, ...settings } = config;
  return Object.fromEntries([
    ...Object.entries(mcpServers).map(([name, server]) => [
      `mcpServers.${name}`,
      digestOf(serverText(server)),
    ]),
    ...Object.entries(settings)
      .filter(([name]) => isSharedSetting(name))
      .map(([name, value]) => [name, digestOf(canonicalJson(value))]),
  ]) as Record<string, string>;
}

function differing(mine: Record<string, string>, theirs: Record<string, string>): string[] {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return [...names].filter((name) => mine[name] !== theirs[name]).sort();
}
