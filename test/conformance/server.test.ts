import { afterAll, beforeAll, describe, test } from 'vitest';
import { startHere } from '../e2e/start-here.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import type { RpcServer } from '../fixtures/rpc-server.ts';
import { startSkillServer } from '../fixtures/skill-server.ts';
import { startAdapter } from './adapter.ts';
import { expectPassed } from './expect-passed.ts';
import { titleOf } from './page.ts';
import { LISTS, type List } from './scenarios.ts';
import { runList } from './suite.ts';
import { startTaskFixture } from './task-fixture.ts';

const FIXTURE = '../conformance/fixture.mjs';
let fixtures: HttpFixture[] = [];
let tasks: RpcServer;
let skills: RpcServer;
let proxy: RunningProxy;
let onPostgres: RunningProxy;

beforeAll(async () => {
  fixtures = [
    await startHttpFixture(FIXTURE, '/mcp', '--era', '2025'),
    await startHttpFixture(FIXTURE, '/mcp'),
  ];
  tasks = await startTaskFixture();
  skills = await startSkillServer('2026');
  // The suite answers for the model at once; nobody is there to be asked first.
  const [older, newer] = fixtures.map(({ url }) => ({
    url,
    client_features: { sampling: 'allow' },
  }));
  const mcpServers = {
    '2025-11-25': older,
    '2026-07-28': newer,
    background: { url: tasks.url },
    skills: { url: skills.url },
  };
  proxy = await startProxy({ config: { mcpServers } });
  const config = { mcpServers: { '2025-11-25': older }, database_url: (await newPostgres()).url };
  onPostgres = await startHere({ config });
});

afterAll(async () => {
  await proxy?.dispose();
  await onPostgres?.dispose();
  await Promise.all([...fixtures.map((fixture) => fixture.stop()), tasks?.close(), skills?.close()]);
});

async function run(list: List) {
  if (list.way === 'adapter') {
    const adapter = await startAdapter(list.database ? onPostgres : proxy, list.behind!);
    try {
      return await runList(list, ['--url', adapter.url]);
    } finally {
      adapter.close();
    }
  }
  const { port } = new URL(proxy.url);
  const key = { SUITE_KEY: proxy.key, SUITE_KEY_PORT: port };
  const path = list.way === 'direct' ? '/mcp/direct' : '/mcp';
  return runList(list, ['--url', `http://localhost:${port}${path}`], key);
}

describe('the official suite, the proxy as a server', () => {
  const lists = LISTS.filter(({ side }) => side === 'server');
  test.each(lists.map((list) => [titleOf(list), list] as const))(
    '%s',
    async (_, list) => {
      expectPassed(list, await run(list));
    },
    300_000,
  );
});
