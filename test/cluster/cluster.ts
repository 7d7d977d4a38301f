import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createClient, type Client } from '../../src/contract/routes/client.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { startBalancer, type Balancer } from '../fixtures/balancer.ts';
import { startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { mountDisk, type Disk } from './disk.ts';
import { startLedger, type Ledger } from './ledger.ts';
import { openWay, type Way } from './way.ts';

/** How the standby gets what is committed: before the proxy is answered, or some time later. */
export type Replication = 'synchronous' | 'asynchronous';

export interface Replica {
  way: Way;
  proxy: RunningProxy | undefined;
  isPaused: boolean;
}

/** Proxies on one PostgreSQL with a standby, behind a balancer, before one server. */
export interface Cluster {
  replicas: Replica[];
  balancer: Balancer;
  ledger: Ledger;
  primary: PostgresServer;
  /** Absent once it was promoted. */
  standby: PostgresServer | undefined;
  /** That of the primary, if it has one of its own and has not failed over. */
  disk: Disk | undefined;
  /** From the standby to the primary. */
  replication: Way;
  /** As the operator, at one of the proxies, or through the balancer. */
  operator(at?: number): Client;
  /** On the primary, as its owner. */
  query(sql: string): Promise<void>;
  start(index: number): Promise<void>;
  end(index: number, signal: NodeJS.Signals): Promise<void>;
  remove(): Promise<void>;
}

const DATABASE = 'cluster';
const ANSWER_MS = 30_000;

export interface ClusterOptions {
  size: number;
  mode: Replication;
  /** The primary gets a small disk of its own, where one may be mounted. */
  hasDisk?: boolean;
}

export async function startCluster({ size, mode, hasDisk = false }: ClusterOptions): Promise<Cluster> {
  const password = randomBytes(9).toString('hex');
  const apiKey = `cluster-${randomBytes(12).toString('hex')}`;
  const rowKey = newRowKeyText();
  const isSynchronous = mode === 'synchronous';
  const disk = hasDisk ? mountDisk() : undefined;
  const primary = await startPostgres({
    settings: isSynchronous ? ['synchronous_standby_names=standby'] : [],
    ...(disk && { place: disk.dir }),
  });
  await onServer(primary, 'postgres', [
    // Nothing is committed on a synchronous server before its standby is there.
    'SET synchronous_commit TO local',
    `CREATE ROLE app LOGIN PASSWORD '${password}'`,
    `CREATE DATABASE ${DATABASE} OWNER app ENCODING 'UTF8' TEMPLATE template0`,
  ]);
  const replication = await openWay(primary.port);
  const standby = await startPostgres({ follows: { server: primary, port: replication.port } });
  const ledger = await startLedger();
  /** Addresses of the proxies; an absent one is being restarted. */
  const addresses: Array<string | undefined> = [];
  const balancer = await startBalancer(() => addresses, { answerMs: ANSWER_MS });
  const ways = await Promise.all(Array.from({ length: size }, () => openWay(primary.port)));
  const homes: Array<string | undefined> = [];

  const cluster: Cluster = {
    replicas: ways.map((way) => ({ way, proxy: undefined, isPaused: false })),
    balancer,
    ledger,
    primary,
    standby,
    disk,
    replication,
    operator: (at) =>
      createClient({
        url: (at === undefined ? undefined : addresses[at]) ?? balancer.url,
        apiKey,
        client: 'cluster',
      }),
    query: (sql) => onServer(cluster.primary, 'postgres', [sql]),
    async start(index) {
      const replica = cluster.replicas[index]!;
      replica.proxy = await startProxy({
        ...(homes[index] === undefined
          ? { rowKey, config: configFor(replica.way.port) }
          : { home: homes[index] }),
        waitReady: false,
      });
      homes[index] = replica.proxy.home;
      addresses[index] = replica.proxy.url;
    },
    async end(index, signal) {
      const replica = cluster.replicas[index]!;
      // An orderly stop is announced to the balancer, a crash is not.
      if (signal === 'SIGTERM') addresses[index] = undefined;
      await replica.proxy?.stop(signal);
      addresses[index] = undefined;
      replica.proxy = undefined;
    },
    async remove() {
      for (const { proxy, isPaused } of cluster.replicas) {
        if (isPaused && proxy) process.kill(proxy.pid, 'SIGCONT');
        await proxy?.stop('SIGKILL');
        await proxy?.dispose();
      }
      await Promise.all([
        balancer.close(),
        ledger.close(),
        replication.close(),
        ...ways.map((way) => way.close()),
      ]);
      await cluster.standby?.remove();
      await primary.remove();
      if (cluster.primary !== primary) await cluster.primary.remove();
      disk?.remove();
    },
  };

  function configFor(port: number): Record<string, unknown> {
    return {
      database_url: `postgres://app:${password}@127.0.0.1:${port}/${DATABASE}`,
      api_key: apiKey,
      mcpServers: { ledger: { url: ledger.url } },
      approvals: { require: ['destructive'], wait: '300ms', ttl: '2m' },
    };
  }

  // The first one makes the tables.
  try {
    for (let index = 0; index < size; index++) await cluster.start(index);
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return cluster;
}

async function onServer(server: PostgresServer, database: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url(database), connectionTimeoutMillis: 5_000 });
  // A server that is killed on purpose ends its connections.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}
