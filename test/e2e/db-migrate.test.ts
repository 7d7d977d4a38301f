import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MigrationReport } from '../../src/doors/cli/runtime.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { runCli } from './run-cli.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

let target: Awaited<ReturnType<typeof newPostgres>>;
let proxy: RunningProxy;

beforeAll(async () => {
  target = await newPostgres();
  proxy = await startProxy();
});
afterAll(async () => {
  await proxy?.dispose();
  await target?.remove();
});

const addTask = (description: string) =>
  proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_write',
      name: 'tasks:add_task',
      args: { description },
      intent: { operation_type: 'write' },
    },
  });
const ids = async () => (await proxy.rest.request('listActivity', { limit: 50 })).records.map(({ id }) => id);

test('an installation is moved to PostgreSQL with its log, and goes on there', async () => {
  for (const description of ['one', 'two', 'three']) await addTask(description);
  const { place } = proxy;
  const migrate = (...more: string[]) =>
    runCli(['db', 'migrate', ...place, ...more], {
      home: proxy.home,
      env: { MCPPROXY_DATABASE_URL: target.url },
    });

  const refused = await migrate();
  expect([refused.code, refused.stderr.includes(`process ${proxy.pid} at ${proxy.url}`)]).toEqual([6, true]);

  const before = await ids();
  await proxy.stop();
  const moved = await migrate('-o', 'json');
  expect(moved.code).toBe(0);
  const report = JSON.parse(moved.stdout) as MigrationReport;
  expect(report).toMatchObject({ verdict: 'intact', warnings: [], logs: [{ records: before.length }] });
  expect(report.tables).toContainEqual({ table: 'tasks', rows: 3, moved: 3, conflicts: 0 });
  const { password } = new URL(target.url);
  expect(moved.stdout + moved.stderr + refused.stderr).not.toContain(password);

  proxy = await startProxy({ home: proxy.home, env: { MCPPROXY_DATABASE_URL: target.url } });
  expect(await ids()).toEqual(before);
  await addTask('four');
  const verified = await proxy.rest.request('verifyActivity', {});
  expect(verified).toMatchObject({ verdict: 'intact', records: before.length + 1 });
  expect(verified.logs.map(({ log }) => log)).toEqual(report.logs.map(({ log }) => log));
  await proxy.stop();

  const again = await migrate();
  expect(again.code).toBe(0);
  expect(again.stdout).toContain('(0 moved by this run)');
});
