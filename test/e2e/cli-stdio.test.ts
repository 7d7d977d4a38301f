import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityPage } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { isAlive } from './run-cli.ts';
import { cleanEnv, MAIN, poll } from './start-proxy.ts';

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-stdio-'));
const dataDir = join(home, 'data');
const configFile = join(home, 'config.json');
const pidFile = join(home, 'pids');
const place = ['--data-dir', dataDir, '--config', configFile];
const INFO = { name: 'stdio-e2e', version: '1.0.0' };

// oxlint-disable-next-line typescript/no-explicit-any -- results of every kind are looked at field by field
type Result = any;
interface Connected {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ tools: Array<{ name: string }> }>;
  close(): Promise<void>;
}

function spawned(command: string) {
  const env = cleanEnv(home) as Record<string, string>;
  return { command: process.execPath, args: [MAIN, command, ...place], env, stderr: 'ignore' as const };
}

async function modern(
  command: string,
  options: ClientOptions = {},
): Promise<{ client: Connected; pid: number }> {
  const transport = new StdioClientTransport(spawned(command));
  const client = new Client(INFO, options);
  await client.connect(transport);
  return { client: client as unknown as Connected, pid: transport.pid! };
}

async function legacy(command: string): Promise<{ client: Connected; pid: number }> {
  const transport = new TransportV1(spawned(command));
  const client = new ClientV1(INFO);
  await client.connect(transport);
  return { client: client as unknown as Connected, pid: transport.pid! };
}

function read(client: Connected, text: string): Promise<Result> {
  const args = { name: 'up:read_only', args: { text }, intent_operation_type: 'read' };
  return client.callTool({ name: 'call_tool_read', arguments: args });
}

const daemonPid = (): number =>
  (JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as { pid: number }).pid;

const upstreams = (): number[] => readFileSync(pidFile, 'utf8').trim().split('\n').map(Number);

beforeAll(() => {
  const mcpServers = { up: fixture('annotated.mjs'), counted: fixture('misbehaving.mjs', '--pids', pidFile) };
  writeFileSync(configFile, JSON.stringify({ mcpServers }), { mode: 0o600 });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('mcpproxy stdio, twice on one data directory', () => {
  test('the second attaches to the first; both use the same servers and the same log', async () => {
    const first = await legacy('stdio');
    let daemon = 0;
    try {
      await ready(first.client);
      const others = await Promise.all([
        legacy('stdio'),
        modern('stdio', { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      ]);
      for (const [at, { client }] of others.entries()) {
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain('call_tool_destructive');
        expect((await read(client, `from ${at}`)).content[0].text).toBe(`{"text":"from ${at}"}`);
        const refused: Result = await client.callTool({
          name: 'call_tool_read',
          arguments: { name: 'up:destructive', intent_operation_type: 'read' },
        });
        expect(refused).toMatchObject({
          isError: true,
          structuredContent: { error: { code: 'SERVER_MISMATCH' } },
        });
      }
      expect(upstreams()).toHaveLength(1);
      daemon = daemonPid();

      const { stdout } = await runHere([
        'activity',
        'list',
        '--status',
        'success',
        '--type',
        'tool_call',
        '-o',
        'json',
        ...place,
      ]);
      const { records } = JSON.parse(stdout) as ActivityPage;
      const texts = records.map(({ arguments: args }) => (args as { text: string }).text);
      expect(texts.sort()).toEqual(['first', 'from 0', 'from 1']);

      await Promise.all(others.map(({ client }) => client.close()));
      expect((await read(first.client, 'still here')).content[0].text).toContain('still here');
      await poll('the others to end', String, () => others.every(({ pid }) => !isAlive(pid)) || undefined);
    } finally {
      await first.client.close();
    }
    await poll(
      'the first, the daemon and its server to end',
      String,
      () => ![first.pid, daemon, ...upstreams()].some(isAlive) || undefined,
    );
  });
});

test('three that are started in the same moment start one daemon, which survives each of them', async () => {
  const all = await Promise.all([legacy('stdio'), legacy('stdio'), legacy('stdio')]);
  let daemon = 0;
  try {
    for (const { client } of all) expect((await client.listTools()).tools).toHaveLength(5);
    const pid = (daemon = daemonPid());
    expect(all.some((one) => one.pid === pid)).toBe(false);
    await all[0].client.close();
    expect((await all[1].client.listTools()).tools).toHaveLength(5);
    expect(daemonPid()).toBe(pid);
  } finally {
    await Promise.all(all.map(({ client }) => client.close()));
  }
  // It would wait ten seconds for the next client.
  process.kill(daemon, 'SIGTERM');
  await poll('all to end', String, () => ![daemon, ...all.map(({ pid }) => pid)].some(isAlive) || undefined);
});

/** The first one starts its server while the client is already talking. */
async function ready(client: Connected): Promise<void> {
  await poll('the server', String, async () => {
    const result = await read(client, 'first');
    return result.isError === true ? undefined : true;
  });
}

describe('mcpproxy tasks, alone over stdio', () => {
  test.each([
    ['official client of today', modern],
    ['older official client', legacy],
  ])('%s', async (_, connect) => {
    const { client, pid } = await connect('tasks');
    const call = (name: string, args = {}): Promise<Result> => client.callTool({ name, arguments: args });
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([
        'add_task',
        'complete_task',
        'delete_task',
        'list_tasks',
        'update_task',
      ]);
      const added = (await call('add_task', { description: 'Buy milk' })).structuredContent;
      const listed = await call('list_tasks');
      expect(JSON.stringify(listed.structuredContent)).toContain('Buy milk');
      const task = listed.structuredContent.tasks[0];
      expect(JSON.stringify(added)).toContain(task.task_id);
      expect((await call('delete_task', { task_id: task.task_id })).isError).not.toBe(true);
      expect((await call('list_tasks')).structuredContent.tasks).toEqual([]);
      expect(await call('add_task', { title: 'wrong' })).toMatchObject({ isError: true });
    } finally {
      await client.close();
    }
    await poll('it to end', String, () => !isAlive(pid) || undefined);
  });
});
