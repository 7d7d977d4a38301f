import { startProxy, type RunningProxy } from '../../test/e2e/start-proxy.ts';
import { startBalancer } from '../../test/fixtures/balancer.ts';
import { openExecutionLog } from '../../test/fixtures/execution-log.ts';
import { startPostgres } from '../../test/fixtures/postgres-server.ts';
import { newRowKeyText } from '../../test/fixtures/row-seal.ts';

const POLL_MS = 100;
const LIMIT_MS = 120_000;

export interface BalancedStage {
  proxies: readonly RunningProxy[];
  /** Of the balancer. */
  url: string;
  /** Of an agent; every proxy knows it. */
  token: string;
  /** How often the server ran a call with this text. */
  runsOf(text: string): number;
  /** Which proxies the calls since the last look have reached. */
  reached(): number[];
  /** Approves the call with this text at another proxy than the one that it reached last. */
  approveElsewhere(text: string): Promise<void>;
  /** One proxy after the other ends in an orderly way and starts again with the same data directory. */
  restartOne(program?: string): Promise<void>;
  close(): Promise<void>;
}

/** Proxies on one PostgreSQL behind a balancer without stickiness, one for each program. Destructive calls wait for a person. */
export async function startBalancedStage(programs: readonly string[]): Promise<BalancedStage> {
  const database = await startPostgres();
  const log = openExecutionLog();
  const config = {
    database_url: await database.createDatabase(),
    mcpServers: { up: log.server() },
    approvals: { require: ['destructive'], wait: '60s' },
  };
  const rowKey = newRowKeyText();
  const proxies: RunningProxy[] = [];
  const addresses: Array<string | undefined> = [];
  for (const program of programs) {
    const proxy = await startProxy({ config, rowKey, program });
    proxies.push(proxy);
    addresses.push(proxy.url);
  }
  const balancer = await startBalancer(() => addresses);
  const { token } = await proxies[0]!.rest.request('createToken', { body: { name: 'balanced' } });
  let seen = 0;
  let restarted = 0;

  async function waitingCall(text: string): Promise<{ id: string }> {
    for (const until = performance.now() + LIMIT_MS; performance.now() < until;) {
      const { approvals } = await proxies[0]!.rest.request('listApprovals', { status: 'pending' });
      const found = approvals.find(({ arguments: args }) => JSON.stringify(args).includes(text));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`no call waits with ${text}`);
  }

  return {
    proxies,
    url: balancer.url,
    token,
    runsOf: (text) => log.runsOf(text),
    reached() {
      const since = balancer.passed.slice(seen);
      seen = balancer.passed.length;
      return [...new Set(since.filter((each) => each.startsWith('POST')).map((each) => Number(each.at(-1))))];
    },
    async approveElsewhere(text) {
      const { id } = await waitingCall(text);
      const holder = Number(balancer.passed.findLast((each) => each.startsWith('POST'))!.at(-1));
      const other = proxies[(holder + 1) % proxies.length]!;
      await other.rest.request('decideApproval', { id, body: { decision: 'approve' } });
    },
    async restartOne(program) {
      const at = restarted++ % proxies.length;
      addresses[at] = undefined;
      await proxies[at]!.stop();
      const again = await startProxy({ home: proxies[at]!.home, program: program ?? programs[at]! });
      proxies[at] = again;
      addresses[at] = again.url;
    },
    async close() {
      await balancer.close();
      for (const proxy of proxies) await proxy.dispose();
      await database.remove();
      log.remove();
    },
  };
}
