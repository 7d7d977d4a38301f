import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProxyError } from '../../src/contract/errors.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../fixtures/pgbouncer.ts';
import { startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

const log = openExecutionLog();
const rowKey = newRowKeyText();
let server: PostgresServer;
beforeAll(async () => void (server = await startPostgres()));
afterAll(async () => {
  await server.remove();
  log.remove();
});

const start = (database_url: string) =>
  startHere({ config: { database_url, mcpServers: { up: log.server() } }, rowKey });

function write({ rest }: RunningProxy, text: string): Promise<string> {
  const body = {
    tool_variant: 'call_tool_write' as const,
    name: 'up:writer_not_destructive',
    args: { text },
    intent: { operation_type: 'write' as const },
  };
  return rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error as ProxyError).code,
  );
}

describe.skipIf(!hasPgbouncer())('behind PgBouncer with its defaults', () => {
  const poolers: Pgbouncer[] = [];
  afterAll(() => Promise.all(poolers.map((each) => each.stop())));
  async function through(mode: 'session' | 'transaction'): Promise<[string, string]> {
    const url = await server.createDatabase();
    const pooler = await startPgbouncer(url, mode);
    poolers.push(pooler);
    return [pooler.through(url), url];
  }

  async function holds(url: string): Promise<void> {
    const [one, two] = [await start(url), await start(url)];
    try {
      expect([await write(one, 'x'), await write(two, 'x')]).toEqual(['ran', 'ran']);
      await one.rest.request('updateConfig', {
        body: { approvals: { require: [{ match: { server: 'up' }, action: 'refuse' }] } },
      });
      expect(await write(two, 'x')).toBe('POLICY_REFUSED');
      expect(await one.rest.request('verifyActivity', {})).toMatchObject({ intact: true });
    } finally {
      await two.dispose();
      await one.dispose();
    }
  }

  test('session mode needs nothing else', async () => {
    const [pooled] = await through('session');
    await holds(pooled);
  });

  test('transaction mode needs the address of the server, and says so', async () => {
    const [pooled, direct] = await through('transaction');
    await expect(start(pooled)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('direct=HOST:PORT') as string,
    });
    await holds(`${pooled}?direct=${new URL(direct).host}`);
  });
});

test('of several hosts the one that takes writes is used, also after a failover', async () => {
  const standby = await startPostgres({ follows: { server, port: server.port } });
  const url = new URL(await server.createDatabase());
  const own = url.host;
  const hosts = `127.0.0.1:${standby.port},${own}`;
  const proxy = await start(url.href.replace(own, hosts));
  try {
    expect(await write(proxy, 'before')).toBe('ran');
    expect((await proxy.rest.request('status', {})).database).toContain(hosts);
    await server.stop('hard');
    const { Client } = (await import('pg')).default;
    const client = new Client(standby.url('postgres'));
    await client.connect();
    await client.query('SELECT pg_promote(true)');
    await client.end();
    await expect.poll(() => write(proxy, 'after'), { timeout: 60_000, interval: 200 }).toBe('ran');
  } finally {
    await proxy.dispose();
    await standby.remove();
    await server.start();
  }
});
