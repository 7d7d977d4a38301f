import { setTimeout as sleep } from 'node:timers/promises';
import { restartIfDown, pauseServer } from './database-process.ts';
import type { Cluster } from './cluster.ts';
import { hasNetwork, LOSSES, losePackets } from './network.ts';
import type { Random } from './random.ts';

/** Something that goes wrong, until its promise resolves. */
export interface Fault {
  name: string;
  /** Absent: always. */
  applies?: (cluster: Cluster) => boolean;
  run(cluster: Cluster, random: Random): Promise<void>;
}

/** A proxy that runs, or undefined where all are being restarted. */
function anyReplica({ replicas }: Cluster, random: Random): number | undefined {
  const running = replicas.flatMap(({ proxy, isPaused }, index) => (proxy && !isPaused ? [index] : []));
  return running.length === 0 ? undefined : random.pick(running);
}

/** A fault of one proxy. */
function ofReplica(
  name: string,
  run: (cluster: Cluster, index: number, random: Random) => Promise<void>,
): Fault {
  return {
    name,
    async run(cluster, random) {
      const index = anyReplica(cluster, random);
      if (index !== undefined) await run(cluster, index, random);
    },
  };
}

export const FAULTS: readonly Fault[] = [
  ofReplica('kill a proxy', async (cluster, index, random) => {
    await cluster.end(index, 'SIGKILL');
    await sleep(random.between(100, 800));
    await cluster.start(index);
  }),
  ofReplica('restart a proxy', async (cluster, index) => {
    await cluster.end(index, 'SIGTERM');
    await cluster.start(index);
  }),
  ofReplica('pause a proxy', async ({ replicas }, index, random) => {
    const replica = replicas[index]!;
    const { pid } = replica.proxy!;
    replica.isPaused = true;
    process.kill(pid, 'SIGSTOP');
    await sleep(random.between(500, 2_500));
    process.kill(pid, 'SIGCONT');
    replica.isPaused = false;
  }),
  ofReplica('partition a proxy from the database', async ({ replicas }, index, random) => {
    const { way } = replicas[index]!;
    way.freeze();
    await sleep(random.between(300, 2_500));
    way.thaw();
  }),
  ...LOSSES.map((loss): Fault => ({
    ...ofReplica(
      `lose packets between a proxy and the database: ${loss}`,
      async ({ replicas }, index, random) => {
        const end = losePackets(replicas[index]!.way.port, loss);
        await sleep(random.between(300, 4_000));
        end();
      },
    ),
    applies: hasNetwork,
  })),
  {
    ...ofReplica('lose packets between a proxy and its clients', async ({ replicas }, index, random) => {
      const end = losePackets(Number(new URL(replicas[index]!.proxy!.url).port), random.pick(LOSSES));
      await sleep(random.between(300, 2_500));
      end();
    }),
    applies: hasNetwork,
  },
  {
    name: 'restart all proxies in turn',
    async run(cluster) {
      for (const index of cluster.replicas.keys()) {
        await cluster.end(index, 'SIGTERM');
        await cluster.start(index);
      }
    },
  },
  ofReplica('cut the connections of a proxy', async ({ replicas }, index) => replicas[index]!.way.cut()),
  {
    name: 'terminate all backends',
    run: (cluster) =>
      cluster.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      ),
  },
  {
    name: 'limit connections',
    async run(cluster, random) {
      await cluster.query('ALTER ROLE app CONNECTION LIMIT 4');
      await cluster.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND random() < 0.5`,
      );
      await sleep(random.between(300, 1_200));
      await cluster.query('ALTER ROLE app CONNECTION LIMIT -1');
    },
  },
  {
    name: 'crash the database',
    async run({ primary }, random) {
      await primary.stop('hard');
      await sleep(random.between(50, 600));
      await primary.start();
    },
  },
  {
    name: 'pause the database',
    async run({ primary }, random) {
      const resume = pauseServer(primary);
      await sleep(random.between(300, 2_500));
      resume();
    },
  },
  {
    name: 'hold up the standby',
    applies: ({ standby }) => standby !== undefined,
    async run({ replication }, random) {
      replication.freeze();
      await sleep(random.between(300, 2_500));
      replication.thaw();
    },
  },
  {
    name: 'lose packets between the primary and the standby',
    applies: ({ standby }) => hasNetwork() && standby !== undefined,
    async run({ replication }, random) {
      const end = losePackets(replication.port, random.pick(LOSSES));
      await sleep(random.between(300, 2_500));
      end();
    },
  },
  {
    name: 'fill the disk of the database',
    applies: ({ disk }) => disk !== undefined,
    async run({ disk, primary }, random) {
      disk!.fill();
      await sleep(random.between(500, 2_500));
      disk!.free();
      await restartIfDown(primary);
    },
  },
];

/** The primary is gone for good, and the standby takes over; without what had not reached it. */
export const failOver: Fault = {
  name: 'fail over',
  async run(cluster, random) {
    const { standby, replication, replicas } = cluster;
    if (!standby) return;
    replication.freeze();
    await sleep(random.between(200, 1_200));
    await cluster.primary.stop('hard');
    replication.cut();
    cluster.standby = undefined;
    cluster.disk = undefined;
    cluster.primary = standby;
    await cluster.query('SELECT pg_promote(true)');
    for (const { way } of replicas) {
      way.target = standby.port;
      way.cut();
    }
  },
};
