import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { expectPassed } from './expect-passed.ts';
import { titleOf } from './page.ts';
import { LISTS } from './scenarios.ts';
import { here, runList } from './suite.ts';

let proxy: RunningProxy;

beforeAll(async () => {
  proxy = await startProxy({ config: { mcpServers: {} } });
});
afterAll(() => proxy?.dispose());

describe('the official suite, the proxy as a client', () => {
  const lists = LISTS.filter(({ side }) => side === 'client');
  test.each(lists.map((list) => [titleOf(list), list] as const))(
    '%s',
    async (_, list) => {
      const command = `${process.execPath} ${here('client-driver.mjs')}`;
      const run = await runList(list, ['--command', command], {
        DRIVER_PROXY: proxy.url,
        DRIVER_KEY: proxy.key,
      });
      expectPassed(list, run);
      // Each scenario has taken its server away again.
      const { servers } = await proxy.rest.request('listServers', {});
      expect(servers.filter(({ name }) => name in list.scenarios)).toEqual([]);
    },
    300_000,
  );
});
