import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../src/contract/config.ts';
import type { OperationType } from '../../src/contract/operation.ts';
import { fixture, officialServer } from '../fixtures/start.ts';
import { isAlive, runCli } from './run-cli.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from './start-proxy.ts';

// The official servers behind one proxy, all at once, with an official client in front.

const INFO = { name: 'e2e', version: '1.0.0' };
const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-real-'));
const files = join(dir, 'files');
const cancelLog = join(dir, 'counted.jsonl');
mkdirSync(files);
const WAV = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(24, 7)]);
writeFileSync(join(files, 'sound.wav'), WAV);
writeFileSync(join(files, 'data.bin'), Buffer.from([0, 1, 2, 0xff]));
writeFileSync(join(files, 'hello.txt'), 'hello');

const memory = (file: string): ServerConfig => ({
  ...officialServer('memory'),
  env: { MEMORY_FILE_PATH: join(dir, file) },
});
const servers: Record<string, ServerConfig> = {
  everything: officialServer('everything'),
  files: officialServer('filesystem', files),
  memory: memory('memory.jsonl'),
  counted: fixture('annotated.mjs', '--log', cancelLog),
};

let proxy: RunningProxy;
let client: Client;
let direct: Client;

type Args = Record<string, unknown>;
// oxlint-disable-next-line typescript/no-explicit-any -- results of every kind are compared as a whole
type Result = any;

function call(operation: OperationType, name: string, args: Args = {}): Promise<Result> {
  return callWith(operation, { name, args });
}

function callWith(
  operation: OperationType,
  { name, args, ...options }: { name: string; args: Args; [option: string]: unknown },
): Promise<Result> {
  const params = {
    name: `call_tool_${operation}`,
    arguments: { name, args, intent_operation_type: operation },
  };
  return client.callTool(params, undefined, options);
}

async function pids(): Promise<Record<string, number | undefined>> {
  const { servers: views } = await proxy.rest.request('listServers', {});
  return Object.fromEntries(views.map(({ name, pid }) => [name, pid]));
}

function until<T>(what: string, attempt: () => Promise<T | undefined> | T | undefined): Promise<T> {
  return poll(what, () => proxy.stderr(), attempt);
}

function writeConfig(value: unknown): void {
  writeFileSync(proxy.configFile, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

beforeAll(async () => {
  proxy = await startProxy({
    config: { mcpServers: servers },
    env: { GITHUB_TOKEN: 'token-of-the-operator' },
  });
  client = new Client(INFO);
  const headers = { 'x-api-key': proxy.key };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', proxy.url), { requestInit: { headers } }),
  );
  direct = new Client(INFO);
  const { command, args } = servers.everything!;
  await direct.connect(new StdioClientTransport({ command: command!, args: args!, stderr: 'ignore' }));
});

afterAll(async () => {
  await direct?.close();
  await client?.close();
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

describe('search and annotations', () => {
  test.each([
    ['read a text file', 'files:read_text_file', 'call_tool_read'],
    ['delete entities from the knowledge graph', 'memory:delete_entities', 'call_tool_destructive'],
    ['add two numbers', 'everything:get-sum', 'call_tool_read'],
    ['create directory', 'files:create_directory', 'call_tool_write'],
  ])('%s → %s', async (query, expected, callWith) => {
    const { structuredContent } = (await client.callTool({
      name: 'retrieve_tools',
      arguments: { query },
    })) as Result;
    const names = structuredContent.tools.map((tool: { name: string }) => tool.name);
    expect(names.slice(0, 3)).toContain(expected);
    expect(structuredContent.tools[names.indexOf(expected)]).toMatchObject({ call_with: callWith });
  });

  test('each tool keeps the annotations and the schemas of its server', async () => {
    const own = (await direct.listTools()).tools;
    expect(own.length).toBeGreaterThan(10);
    const { tools } = await proxy.rest.request('listTools', { server: 'everything' });
    for (const tool of own.filter(({ name }) => tools.some((entry) => entry.name === `everything:${name}`))) {
      const entry = await proxy.rest.request('getTool', { name: `everything:${tool.name}` });
      expect(entry).toMatchObject({ annotations: tool.annotations, description: tool.description });
      expect(entry.inputSchema).toEqual(tool.inputSchema);
    }
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['everything:echo', 'everything:get-tiny-image']),
    );
  });
});

describe('what a server answers arrives untouched', () => {
  test.each<[string, string, Args]>([
    ['text', 'echo', { message: 'h\u00e9llo \u001b[31m \u{1f600}' }],
    ['image', 'get-tiny-image', {}],
    ['annotated content', 'get-annotated-message', { messageType: 'error', includeImage: true }],
    ['resource links', 'get-resource-links', { count: 4 }],
    ['structured content', 'get-structured-content', { location: 'Chicago' }],
    ['an embedded resource', 'get-resource-reference', { resourceType: 'Text', resourceId: 3 }],
    ['an error of the tool', 'get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
  ])('%s', async (_, tool, args) => {
    // Some of its texts carry the time of day.
    const still = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replace(/\d+:\d\d:\d\d( [AP]M)?/g, 'TIME')) as unknown;
    const expected = await direct.callTool({ name: tool, arguments: args }).catch((error: Error) => error);
    const got = await call('read', `everything:${tool}`, args);
    if (expected instanceof Error) expect(got).toMatchObject({ isError: true });
    else expect(still(got)).toEqual(still(expected));
  });

  test('audio, and a file of no known kind', async () => {
    const audio = await call('read', 'files:read_media_file', { path: join(files, 'sound.wav') });
    expect(audio.content).toEqual([{ type: 'audio', data: WAV.toString('base64'), mimeType: 'audio/wav' }]);
    const other = await call('read', 'files:read_media_file', { path: join(files, 'data.bin') });
    expect(JSON.stringify(other.content)).toContain(Buffer.from([0, 1, 2, 0xff]).toString('base64'));
  });
});

describe('reading and writing', () => {
  test('a graph is written, read and cut down, each through its own variant', async () => {
    const entities = [{ name: 'proxy', entityType: 'program', observations: ['checks intents'] }];
    expect((await call('write', 'memory:create_entities', { entities })).structuredContent).toEqual({
      entities,
    });
    const read = await call('read', 'memory:read_graph');
    expect(read.structuredContent).toEqual({ entities, relations: [] });
    const refused = await call('read', 'memory:delete_entities', { entityNames: ['proxy'] });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SERVER_MISMATCH' } },
    });
    expect(readFileSync(join(dir, 'memory.jsonl'), 'utf8')).toContain('checks intents');
    await call('destructive', 'memory:delete_entities', { entityNames: ['proxy'] });
    expect(readFileSync(join(dir, 'memory.jsonl'), 'utf8')).not.toContain('checks intents');
  });

  test('a file is only written through the destructive variant', async () => {
    const args = { path: join(files, 'hello.txt'), content: 'changed' };
    for (const operation of ['read', 'write'] as const) {
      expect(await call(operation, 'files:write_file', args)).toMatchObject({ isError: true });
      expect(readFileSync(args.path, 'utf8')).toBe('hello');
    }
    expect((await call('destructive', 'files:write_file', args)).isError).not.toBe(true);
    expect(readFileSync(args.path, 'utf8')).toBe('changed');
  });

  test('the environment of the proxy stays with the proxy', async () => {
    const { content } = await call('read', 'everything:get-env');
    expect(Object.keys(JSON.parse(content[0].text) as object)).toContain('PATH');
    expect(content[0].text).not.toContain('token-of-the-operator');
    expect(content[0].text).not.toContain(proxy.key);
  });
});

describe('calls that take their time', () => {
  test('progress arrives step by step', async () => {
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => void seen.push(progress);
    const args = { duration: 0.4, steps: 4 };
    const result = await callWith('read', {
      name: 'everything:trigger-long-running-operation',
      args,
      onprogress,
    });
    expect(JSON.stringify(result.content)).toContain('completed');
    expect(seen).toMatchObject([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test('a cancelled call is cancelled at its server too, and the log says so', async () => {
    const stop = new AbortController();
    const pending = callWith('read', {
      name: 'counted:slow_cancellable',
      args: { ms: 20_000 },
      signal: stop.signal,
    });
    const refused = expect(pending).rejects.toThrow();
    const started = () =>
      existsSync(cancelLog) && readFileSync(cancelLog, 'utf8').includes('slow_cancellable');
    await until('the call to start', () => started() || undefined);
    stop.abort();
    await refused;
    await until(
      'the server to hear of it',
      () => readFileSync(cancelLog, 'utf8').includes('"cancelled":true') || undefined,
    );
    const record = await until('the record', async () => {
      const { records } = await proxy.rest.request('listActivity', { tool: 'slow_cancellable' });
      return records[0]?.status === 'pending' ? undefined : records[0];
    });
    expect(record).toMatchObject({ status: 'unknown', error_code: 'CANCELLED' });
  });

  test('an abandoned long call of a real server leaves nothing in flight', async () => {
    const stop = new AbortController();
    const args = { duration: 30, steps: 2 };
    const pending = callWith('read', {
      name: 'everything:trigger-long-running-operation',
      args,
      signal: stop.signal,
    });
    const refused = expect(pending).rejects.toThrow();
    const view = () => proxy.rest.request('getServer', { name: 'everything' });
    await until('the call to start', async () => (await view()).in_flight === 1 || undefined);
    stop.abort();
    await refused;
    await until('the call to end', async () => (await view()).in_flight === 0 || undefined);
    expect((await call('read', 'everything:echo', { message: 'still here' })).content[0].text).toContain(
      'still here',
    );
  });
});

describe('servers come and go while the proxy runs', () => {
  test('a reload keeps the unchanged processes, restarts the changed, adds and removes the others', async () => {
    const before = await pids();
    const { counted, ...rest } = servers;
    writeConfig({ mcpServers: { ...rest, memory: memory('other.jsonl'), added: counted } });
    await until('the reload', async () => {
      const { servers: views } = await proxy.rest.request('listServers', {});
      const ready = views.filter(({ state }) => state === 'ready').map(({ name }) => name);
      const changed = views.some(
        ({ name, pid }) => name === 'memory' && pid !== undefined && pid !== before.memory,
      );
      return (changed && ready.length === 5 && ready.includes('added')) || undefined;
    });
    const after = await pids();
    expect([after.everything, after.files]).toEqual([before.everything, before.files]);
    expect(Object.keys(after).sort()).toEqual(['added', 'everything', 'files', 'memory', 'tasks']);
    await until(
      'the old processes to end',
      () => (!isAlive(before.memory!) && !isAlive(before.counted!)) || undefined,
    );
    expect(await call('read', 'counted:read_only')).toMatchObject({
      structuredContent: { error: { code: 'TOOL_NOT_FOUND' } },
    });
    expect((await call('read', 'added:read_only')).isError).not.toBe(true);
    expect((await call('read', 'memory:read_graph')).structuredContent).toEqual({
      entities: [],
      relations: [],
    });
  });

  test('an invalid file keeps the old configuration serving, and status says file, line and key', async () => {
    const good = readFileSync(proxy.configFile, 'utf8');
    const before = await pids();
    writeConfig('{\n  "mcpServers": {},\n  "quarantin": "changed"\n}\n');
    const error = await until(
      'the error',
      async () => (await proxy.rest.request('status', {})).config_error ?? undefined,
    );
    expect(error).toContain(`${proxy.configFile}:3:`);
    expect(error).toContain('quarantin: unknown key; did you mean "quarantine"?');
    const { stdout } = await runCli(
      ['status', '--data-dir', proxy.dataDir, '--config', join(dir, 'own.json')],
      { home: proxy.home },
    );
    expect(stdout).toContain(`${proxy.configFile}:3:`);
    expect(await pids()).toEqual(before);
    expect((await call('read', 'everything:echo', { message: 'old' })).content[0].text).toContain('old');
    writeConfig(good);
    await until(
      'the repair',
      async () => (await proxy.rest.request('status', {})).config_error === null || undefined,
    );
    expect(await pids()).toEqual(before);
  });

  test('logs, restart, disable, enable', async () => {
    const cli = (...args: string[]) => runCli([...args, ...proxy.place], { home: proxy.home });
    const before = await pids();
    expect(await cli('upstream', 'logs', 'everything')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Starting default/) as string,
    });
    expect(await cli('upstream', 'restart', 'files')).toMatchObject({ code: 0 });
    const restarted = (await pids()).files;
    expect(restarted).not.toBe(before.files);
    expect(isAlive(before.files!)).toBe(false);

    expect(await cli('upstream', 'disable', 'files')).toMatchObject({ code: 0 });
    expect(isAlive(restarted!)).toBe(false);
    expect(await call('read', 'files:read_text_file', { path: 'hello.txt' })).toMatchObject({
      isError: true,
    });
    expect(await proxy.rest.request('getServer', { name: 'files' })).toMatchObject({
      state: 'disabled',
      enabled: false,
    });

    expect(await cli('upstream', 'enable', 'files')).toMatchObject({ code: 0 });
    expect(
      (await call('read', 'files:read_text_file', { path: join(files, 'hello.txt') })).content[0].text,
    ).toBe('changed');
    expect((await pids()).everything).toBe(before.everything);
  });
});

describe('the end', () => {
  test('SIGTERM ends every process, and the exit code is 0', async () => {
    const children = Object.values(await pids()).filter((pid) => pid !== undefined);
    expect(children).toHaveLength(4);
    await client.close();
    expect(await proxy.stop('SIGTERM')).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
  });

  test('Ctrl-C, which reaches the servers too, ends every process, also stubborn ones, and the exit code is 0', async () => {
    const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
    const pidFile = join(home, 'pids');
    const stubborn = fixture('misbehaving.mjs', '--stubborn', '--child', '--double-fork', '--pids', pidFile);
    writeFileSync(
      join(home, 'c.json'),
      JSON.stringify({ mcpServers: { stubborn, everything: servers.everything } }),
      { mode: 0o600 },
    );
    // A group of its own, as a shell makes one for each job: Ctrl-C goes to all of it.
    const args = [
      MAIN,
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--data-dir',
      join(home, 'd'),
      '--config',
      join(home, 'c.json'),
    ];
    const child = spawn(process.execPath, args, {
      env: cleanEnv(home),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    try {
      const exited = once(child, 'exit');
      await poll(
        'ready',
        () => stderr,
        () => (/"msg":"ready"/.test(stderr) && started(pidFile).length >= 4) || undefined,
      );
      process.kill(-child.pid!, 'SIGINT');
      expect((await exited)[0]).toBe(0);
      expect(started(pidFile).filter(isAlive)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    }
  });
});

function started(pidFile: string): number[] {
  if (!existsSync(pidFile)) return [];
  return readFileSync(pidFile, 'utf8').trim().split('\n').map(Number);
}
