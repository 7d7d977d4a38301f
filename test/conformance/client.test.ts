import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { filesBelow } from '../fixtures/files-below.ts';
import { expectPassed } from './expect-passed.ts';
import { titleOf } from './page.ts';
import { LISTS, REFUSED } from './scenarios.ts';
import { here, runList } from './suite.ts';

let proxy: RunningProxy;
let dir: string;

// Started before the clock of any scenario runs, and one for all of them: each has a server of its own name, and takes it away again.
beforeAll(async () => {
  // The scenarios of two revisions have the same names, so their servers move from one address to another.
  proxy = await startProxy({ config: { quarantine: 'warn', mcpServers: {} } });
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-ends-'));
});
afterAll(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

/** The suite ends a client after 30 seconds, but starts those of all scenarios at once: on a busy machine, none would be ready. */
const TIMEOUT_MS = '500000';

describe('the official suite, the proxy as a client', () => {
  const lists = LISTS.filter(({ side }) => side === 'client');
  test.each(lists.map((list) => [titleOf(list), list] as const))('%s', async (_, list) => {
    const command = `${process.execPath} ${here('client-driver.mjs')}`;
    const ends = mkdtempSync(join(dir, 'list-'));
    const run = await runList(list, ['--command', command, '--timeout', TIMEOUT_MS], {
      DRIVER_PROXY: proxy.url,
      DRIVER_KEY: proxy.key,
      DRIVER_ENDS: ends,
    });
    expectPassed(list, run);
    // The suite also calls a scenario passed in which the client did nothing wrong because it did nothing.
    for (const [scenario, end] of endsIn(ends)) expect(end, scenario).toMatch(REFUSED[scenario] ?? /^done$/);
    expect(endsIn(ends)).toHaveLength(Object.keys(list.scenarios).length);
    // Each scenario has taken its server away again.
    const { servers } = await proxy.rest.request('listServers', {});
    expect(servers.map(({ name }) => name)).toEqual(['tasks']);
  });
});

function endsIn(folder: string): Array<[server: string, end: string]> {
  return filesBelow(folder).map((file) => [basename(file), readFileSync(file, 'utf8')]);
}
