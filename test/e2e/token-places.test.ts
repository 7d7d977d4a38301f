import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityPage } from '../../src/contract/activity.ts';
import { stopDaemon } from '../../src/start/stop-daemon.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { exchange, openSession } from './raw-token.ts';
import { runCli } from './run-cli.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { cleanEnv, MAIN, startProxy, type RunningProxy } from './start-proxy.ts';

describe('mcpproxy stdio on a data directory that nobody holds', () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-token-stdio-'));
  const place = ['--data-dir', join(home, 'data')];
  afterAll(async () => {
    // The clients end before the daemon that they share.
    await stopDaemon({ dataDir: join(home, 'data') });
    rmSync(home, { recursive: true, force: true });
  });

  async function started(token?: string): Promise<Client> {
    const env = { ...(cleanEnv(home) as Record<string, string>), ...(token && { MCPPROXY_TOKEN: token }) };
    const client = new Client({ name: 'stdio', version: '1' });
    const transport = { command: process.execPath, args: [MAIN, 'stdio', ...place], env };
    await client.connect(new StdioClientTransport({ ...transport, stderr: 'ignore' }));
    return client;
  }

  const add = async (client: Client, description: string) => {
    const args = { name: 'tasks:add_task', args: { description }, intent_operation_type: 'write' };
    return client.callTool({ name: 'call_tool_write', arguments: args });
  };

  test('is held to the token that it was started with, and so is each client beside it', async () => {
    const made = await runCli(['tokens', 'create', '--name', 'reader', '--operations', 'read', ...place], {
      home,
    });
    expect(made.code).toBe(0);
    const reader = await started(made.stdout.trim());
    expect((await add(reader, 'by the reader')).structuredContent).toMatchObject({
      error: { code: 'OUT_OF_SCOPE' },
    });
    // Another client passes its messages on to the first one's process, as the operator.
    const operator = await started();
    expect((await add(operator, 'by the operator')).isError).toBeFalsy();
    expect((await runCli(['tokens', 'revoke', 'reader', ...place], { home })).code).toBe(0);
    await expect(add(reader, 'again')).rejects.toThrow(/was revoked/);
    await operator.close();
    await reader.close();
    const { stdout } = await runCli(['activity', 'list', '--tool', 'add_task', '-o', 'json', ...place], {
      home,
    });
    const { records } = JSON.parse(stdout) as ActivityPage;
    expect(records.map(({ status, metadata }) => [status, metadata.principal])).toEqual([
      ['success', 'operator'],
      ['refused', 'token:reader'],
    ]);
  });
});

describe('two proxies on one PostgreSQL', () => {
  let remove: () => Promise<void>;
  let proxies: RunningProxy[];

  beforeAll(async () => {
    const postgres = await newPostgres();
    remove = postgres.remove;
    const env = { MCPPROXY_DATABASE_URL: postgres.url };
    const rowKey = newRowKeyText();
    proxies = [await startProxy({ env, rowKey }), await startProxy({ env, rowKey })];
  });
  afterAll(async () => {
    for (const proxy of proxies ?? []) await proxy.dispose();
    await remove?.();
  });

  test('a token made at one is good at the other; revoked at one, its streams end at the other', async () => {
    const [one, other] = proxies as [RunningProxy, RunningProxy];
    const { token } = await one.rest.request('createToken', { body: { name: 'agent' } });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const ask = async (session: Record<string, string>) =>
      exchange(other.url, { token, headers: session, body: list }).status;
    await expect.poll(() => exchange(other.url, { token, method: 'DELETE' }).status).toBe(400);
    const session = await openSession(other.url, token);
    expect(await ask(session)).toBe(200);
    const stream = exchange(other.url, { token, method: 'GET', headers: session });
    expect(await stream.status).toBe(200);
    await one.rest.request('revokeToken', { id: 'agent' });
    await stream.ended;
    expect(await ask(session)).toBe(401);
    expect((await other.rest.request('listTokens', { all: 'true' })).tokens).toMatchObject([
      { name: 'agent', status: 'revoked' },
    ]);
  });
});
