import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { newRowKeyText, shareRowKey } from '../fixtures/row-seal.ts';
import { fixture } from '../fixtures/start.ts';
import { readEventsOf } from './event-reader.ts';
import { connectClient, type TestClient } from './mcp-clients.ts';
import { runCli } from './run-cli.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from './start-proxy.ts';

let server: PostgresServer;
let databaseUrl: string;
let password: string;
const rowKey = newRowKeyText();
let proxies: [RunningProxy, RunningProxy];
let clients: [TestClient, TestClient];

const start = (home?: string) =>
  startProxy({
    config: {
      database_url: '${env:LOG_URL}',
      activity: { when_unavailable: 'allow_reads' },
      mcpServers: { up: fixture('annotated.mjs') },
    },
    env: { LOG_URL: databaseUrl },
    rowKey,
    ...(home !== undefined && { home }),
  });

beforeAll(async () => {
  server = await startPostgres({ fsync: true });
  databaseUrl = await server.createDatabase();
  ({ password } = new URL(databaseUrl));
  // Together: one of them migrates, the other waits for it.
  proxies = await Promise.all([start(), start()]);
  clients = await Promise.all([
    connectClient('2026-07-28', proxies[0]),
    connectClient('2025 (legacy)', proxies[1]),
  ]);
});

afterAll(async () => {
  for (const client of clients ?? []) await client.close();
  for (const proxy of proxies ?? []) await proxy.dispose();
  await server?.remove();
});

const add = (client: TestClient, description: string) =>
  client.call('call_tool_write', {
    name: 'tasks:add_task',
    args: { description },
    intent_operation_type: 'write',
  });
const list = (client: TestClient) =>
  client.call('call_tool_read', { name: 'tasks:list_tasks', args: {}, intent_operation_type: 'read' });

async function recordOf(proxy: RunningProxy, description: string): Promise<string> {
  return poll('the record', proxy.stderr, async () => {
    const { records } = await proxy.rest.request('listActivity', { limit: 20 });
    return records.find(
      ({ arguments: args }) => (args as { description?: string })?.description === description,
    )?.id;
  });
}

describe('two proxies on one PostgreSQL', () => {
  test('serve a client each, share what they know, and see each other’s calls live', async () => {
    const [one, two] = proxies;
    const readers = await Promise.all(proxies.map((proxy) => readEventsOf(proxy)));
    await add(clients[0], 'at the first');
    await add(clients[1], 'at the second');
    const ids = [await recordOf(one, 'at the first'), await recordOf(two, 'at the second')];
    for (const reader of readers)
      await poll('both calls at both', one.stderr, () => (reader.closed().length >= 2 ? true : undefined));
    expect(readers.map((reader) => [...reader.closed()].sort())).toEqual([[...ids].sort(), [...ids].sort()]);
    for (const reader of readers) await reader.stop();

    const { content } = await list(clients[0]);
    expect(JSON.stringify(content)).toContain('at the second');
    for (const proxy of proxies) {
      const verification = await proxy.rest.request('verifyActivity', {});
      expect(verification).toMatchObject({ verdict: 'intact' });
    }
  });

  test('a reader that changes to the other proxy misses nothing and sees nothing twice', async () => {
    const [one, two] = proxies;
    const first = await readEventsOf(one);
    await add(clients[0], 'before');
    await poll('the call', one.stderr, () => (first.closed().length > 0 ? true : undefined));
    await first.stop();
    await add(clients[0], 'between, at the first');
    await add(clients[1], 'between, at the second');
    const second = await readEventsOf(two, first.lastId());
    await add(clients[0], 'after');
    const between = [
      await recordOf(one, 'between, at the first'),
      await recordOf(one, 'between, at the second'),
      await recordOf(one, 'after'),
    ];
    await poll('all calls', two.stderr, () => (second.closed().length >= 3 ? true : undefined));
    expect([...second.closed()].sort()).toEqual([...between].sort());
    expect(second.told.filter(({ event }) => event === 'reset').map(({ data }) => data.lost)).toEqual([
      'state',
    ]);
    await second.stop();
  });

  test('a decision of the operator at one proxy applies at the other', async () => {
    const [one, two] = proxies;
    await one.rest.request('setOperation', {
      name: 'tasks:add_task',
      body: { operation: 'destructive' },
    });
    await poll('the verdict at the other', two.stderr, async () => {
      const { operation } = await two.rest.request('getTool', { name: 'tasks:add_task' });
      return operation.verdict === 'destructive' ? true : undefined;
    });
    expect(await add(clients[1], 'refused')).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SERVER_MISMATCH' } },
    });
    await one.rest.request('clearOperation', { name: 'tasks:add_task' });
    await poll('the verdict to be gone', two.stderr, async () => {
      const { operation } = await two.rest.request('getTool', { name: 'tasks:add_task' });
      return operation.verdict === 'write' ? true : undefined;
    });
  });

  test('commands without a daemon, and the built-in server alone, use it too', async () => {
    const [one] = proxies;
    const place = ['--config', one.configFile, '--data-dir', `${one.home}/other`];
    shareRowKey(`${one.home}/other`, rowKey);
    const run = (args: string[]) =>
      runCli([...args, ...place], { home: one.home, env: { LOG_URL: databaseUrl } });
    const listed = await run(['call', 'tool-read', 'tasks:list_tasks', '--args', '{}', '-o', 'json']);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(listed.stdout).toContain('at the first');
    const shown = await run(['activity', 'list', '-o', 'json']);
    expect(shown.stdout).toContain('at the second');
    expect((await run(['activity', 'verify'])).code).toBe(0);
    for (const command of ['stdio', 'tasks'] as const) {
      const client = new Client({ name: 'stdio', version: '1' });
      const env = { ...cleanEnv(one.home), LOG_URL: databaseUrl } as Record<string, string>;
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [MAIN, command, ...place],
          env,
          stderr: 'ignore',
        }),
      );
      const direct = { name: 'list_tasks', arguments: {} };
      const through = { name: 'tasks:list_tasks', args: {}, intent_operation_type: 'read' };
      const called = command === 'tasks' ? direct : { name: 'call_tool_read', arguments: through };
      expect(JSON.stringify(await client.callTool(called))).toContain('at the second');
      await client.close();
    }
  });

  test('the password is shown nowhere', async () => {
    const [one] = proxies;
    const at = ['--config', one.configFile, '--data-dir', one.dataDir];
    const options = { home: one.home, env: { LOG_URL: databaseUrl } };
    const shown = await runCli(['config', 'show', ...at], options);
    expect(shown.stdout).toContain('${env:LOG_URL}');
    const literal = await runCli(['config', 'show', ...at], {
      ...options,
      env: { MCPPROXY_DATABASE_URL: databaseUrl },
    });
    const status = await runCli(['status', ...at], options);
    expect(status.stdout).toContain(`postgres://tester@127.0.0.1:${server.port}/`);
    const commandLines = proxies.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    for (const text of [shown, literal, status].flatMap(({ stdout, stderr }) => [stdout, stderr]))
      expect(text).not.toContain(password);
    for (const text of [...commandLines, ...proxies.map(({ stderr }) => stderr())])
      expect(text).not.toContain(password);
  });
});

describe('a PostgreSQL server that stops', () => {
  test('changes are refused, reads follow the setting, all is shown, and it goes on without a restart', async () => {
    const [one, two] = proxies;
    const reader = await readEventsOf(two);
    await server.stop('hard');
    const refused = await add(clients[0], 'while it is away');
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'AUDIT_UNAVAILABLE' } },
    });
    expect(JSON.stringify(refused)).not.toContain(password);
    const read = { name: 'up:read_only', args: { while: 'away' }, intent_operation_type: 'read' };
    expect(await clients[1].call('call_tool_read', read)).toMatchObject({
      content: [{ text: expect.stringContaining('away') }],
    });
    await poll('both to notice', one.stderr, async () => {
      const answers = await Promise.all(proxies.map(({ url }) => fetch(`${url}/readyz`)));
      return answers.every(({ status }) => status === 503) ? true : undefined;
    });
    const status = await one.rest.request('status', {});
    expect(status.activity).toMatchObject({ log: 'unavailable' });
    expect(status.activity.records).toBeGreaterThan(0);

    await server.start();
    await poll('both to recover', one.stderr, async () => {
      const answers = await Promise.all(proxies.map(({ url }) => fetch(`${url}/readyz`)));
      return answers.every(({ status: code }) => code === 200) ? true : undefined;
    });
    expect((await add(clients[0], 'after it is back')).isError).toBeFalsy();
    expect((await add(clients[1], 'there as well')).isError).toBeFalsy();
    const ids = [await recordOf(one, 'after it is back'), await recordOf(one, 'there as well')];
    await poll('the reader to hear of it', two.stderr, () =>
      ids.every((id) => reader.closed().includes(id)) ? true : undefined,
    );
    expect(new Set(reader.closed()).size).toBe(reader.closed().length);
    await reader.stop();
    const tasks = JSON.stringify((await list(clients[1])).content);
    expect(tasks).not.toContain('while it is away');
    expect(await two.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
    for (const proxy of proxies) expect(proxy.stderr()).not.toContain(password);
  });

  test('a start against one that is not there, or says no, ends with what to do', async () => {
    const [one] = proxies;
    const serve = (url: string) =>
      runCli(
        ['serve', '--listen', '127.0.0.1:0', '--config', one.configFile, '--data-dir', `${one.home}/third`],
        { home: one.home, env: { LOG_URL: url } },
      );
    const wrong = await serve(databaseUrl.replace(password, 'not-the-password'));
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringContaining('check the user and the password'),
    ]);
    expect(wrong.stderr).not.toContain('not-the-password');
    const missing = await serve(databaseUrl.replace(/[^/]+$/, 'nowhere'));
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('create the database first')]);
    const absent = await serve(databaseUrl.replace(/:\d+\//, ':1/'));
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('Start the server')]);
    expect(absent.stderr).not.toContain(password);
    expect((await serve('mysql://h/d')).code).toBe(4);
  });
});
