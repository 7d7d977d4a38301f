import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../fixtures/http-server.ts';
import { fixture } from '../fixtures/start.ts';
import { processLines } from '../fixtures/process-lines.ts';
import { runHere } from './cli-here.ts';
import { openRawMcp } from './raw-mcp.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

let proxy: RunningProxy;
let port: number;
beforeAll(async () => {
  proxy = await startProxy({
    config: { mcpServers: { up: fixture('annotated.mjs') } },
    args: ['--log-level', 'debug'],
  });
  port = Number(new URL(proxy.url).port);
});
afterAll(() => proxy?.dispose());

const HEALTH = ['/healthz', '/readyz'];
const PATHS = ['/mcp', '/api/v1/status', '/api/v1/events', '/openapi.json', '/', '/none', ...HEALTH];

describe('Host and Origin, before everything else and on every path', () => {
  const foreignHosts = (): Array<[string, string[]]> => [
    ['another name', ['evil.example']],
    ['another name with our port', [`evil.example:${port}`]],
    ['our name as its beginning', [`localhost.evil.example:${port}`]],
    ['our address as its beginning', [`127.0.0.1.nip.io:${port}`]],
    ['a user part', [`localhost:${port}@evil.example`]],
    ['an empty one', ['']],
    ['none', []],
    ['two', [`localhost:${port}`, 'evil.example']],
    ['a private address', [`192.168.1.1:${port}`]],
    ['the address as a number', [`2130706433:${port}`]],
    ['the address in short', [`127.1:${port}`]],
    ['a dot at the end', [`localhost.:${port}.`]],
    ['a tab inside', [`localhost:${port}\tevil.example`]],
  ];
  const foreignOrigins = [
    'null',
    'http://evil.example',
    'file://',
    'http://localhost:1',
    `https://localhost.evil.example`,
    '',
  ];

  function ask(method: string, target: string, { hosts, origin }: { hosts: string[]; origin?: string }) {
    const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : '';
    return sendRaw(
      port,
      [
        `${method} ${target} HTTP/1.1`,
        ...hosts.map((host) => `Host: ${host}`),
        ...(origin === undefined ? [] : [`Origin: ${origin}`]),
        `X-API-Key: ${proxy.key}`,
        'Accept: application/json, text/event-stream',
        ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
        'Connection: close',
      ],
      body,
    );
  }

  test.each(PATHS)('%s', async (path) => {
    const own = [`127.0.0.1:${port}`];
    for (const method of ['GET', 'POST']) {
      for (const [what, hosts] of foreignHosts()) {
        const { status, head, body } = await ask(method, path, { hosts });
        // Load balancers and the kubelet name the machine as they like; what is no proper HTTP is refused here too.
        const isProbe = method === 'GET' && HEALTH.includes(path) && hosts.length === 1;
        expect(isProbe ? [200] : [400, 403], `${method} with ${what}`).toContain(status);
        if (!isProbe) expect(body, `${method} with ${what}`).toMatch(/FORBIDDEN_HOST|INVALID_REQUEST/);
        expect(head).not.toContain('access-control-allow-origin');
      }
      for (const origin of foreignOrigins) {
        const { status, head, body } = await ask(method, path, { hosts: own, origin });
        expect(status, `${method} from ${origin}`).toBe(403);
        expect(body).toContain('FORBIDDEN_HOST');
        expect(head).not.toContain('access-control-allow-origin');
      }
      expect((await ask(method, `http://evil.example${path}`, { hosts: own })).status).toBeGreaterThanOrEqual(
        400,
      );
    }
  });

  test('our own names and our own origin pass', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'localhost:9', '[::1]:9']) {
      expect((await ask('GET', '/api/v1/status', { hosts: [host] })).status).toBe(200);
      expect((await ask('GET', '/api/v1/status', { hosts: [host], origin: `http://${host}` })).status).toBe(
        200,
      );
    }
  });
});

test('nothing in the data directory can be read by others, the files of the open database included', async () => {
  await proxy.rest.request('listActivity', {});
  expect(statSync(proxy.dataDir).mode & 0o777).toBe(0o700);
  const names = readdirSync(proxy.dataDir);
  expect(names).toEqual(
    expect.arrayContaining(['api_key', 'daemon.json', 'mcpproxy.db', 'mcpproxy.db-wal', 'mcpproxy.db-shm']),
  );
  for (const name of names)
    expect([name, statSync(join(proxy.dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test('a careless umask changes nothing about that, and a new configuration file is private too', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  const before = process.umask(0);
  let open: RunningProxy | undefined;
  try {
    open = await startProxy({ home, args: ['--config', join(home, '.mcpproxy', 'mcp_config.json')] });
    expect(statSync(open.dataDir).mode & 0o777).toBe(0o700);
    const names = readdirSync(open.dataDir);
    expect(names).toContain('mcp_config.json');
    for (const name of names)
      expect([name, statSync(join(open.dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
  } finally {
    process.umask(before);
    await open?.dispose();
    rmSync(home, { recursive: true, force: true });
  }
});

describe('the key is said nowhere', () => {
  const said: string[] = [];
  const note = (...texts: string[]) => void said.push(...texts);

  async function get(path: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(proxy.url + path, { headers });
    note(await response.text(), ...[...response.headers].flat());
  }

  test('not in an answer, an error, a header, a log line, a record, the process list or a command’s output', async () => {
    const { key } = proxy;
    const right = { 'x-api-key': key };
    // Answers, and errors of requests that carry the key in every place where it may be put by mistake.
    for (const path of [
      '/api/v1/status',
      '/api/v1/servers',
      '/api/v1/tools',
      '/openapi.json',
      '/none',
      '/healthz',
    ])
      await get(path, right);
    await get('/api/v1/status', { 'x-api-key': `${key}x` });
    await get('/api/v1/status', { authorization: `Basic ${key}` });
    const inUrl = await fetch(`${proxy.url}/api/v1/status?api_key=${key}`, { headers: right });
    expect(inUrl.status).toBe(400);
    note(await inUrl.text());
    note(
      await fetch(`${proxy.url}/mcp?apikey=${key}`, { method: 'POST' }).then((response) => response.text()),
    );

    const mcp = await openRawMcp(proxy);
    note((await mcp.call('call_tool_read', '{"name":"up:environment","intent_operation_type":"read"}')).text);
    note((await mcp.send('{"broken')).text);

    const { place } = proxy;
    for (const args of [
      ['status'],
      ['doctor'],
      ['config', 'show'],
      ['upstream', 'list'],
      ['activity', 'list'],
    ]) {
      const { stdout, stderr } = await runHere([...args, ...place, '-o', 'json']);
      note(stdout, stderr);
    }
    const wrong = await runHere(['status', '--url', proxy.url, '--api-key', `${key}x`, ...place]);
    expect(wrong.code).toBe(3);
    note(wrong.stdout, wrong.stderr);

    const exported = await proxy.rest.open('exportActivity', {});
    note(await exported.text(), proxy.stderr(), ...processLines());
    expect(said.join('').length).toBeGreaterThan(10_000);
    for (const text of said) expect(text).not.toContain(key);
  });

  test('a key in the arguments of a call is masked in the record', async () => {
    const args = { headers: { 'X-API-Key': proxy.key }, note: `Authorization: Bearer ${proxy.key}` };
    const intent = { operation_type: 'read' };
    await proxy.rest.request('callTool', {
      body: { tool_variant: 'call_tool_read', name: 'up:read_only', args, intent },
    });
    const { records } = await proxy.rest.request('listActivity', { tool: 'up:read_only', limit: 1 });
    expect(JSON.stringify(records[0])).not.toContain(proxy.key);
    expect(proxy.stderr()).not.toContain(proxy.key);
    for (const name of readdirSync(proxy.dataDir).filter((file) => file.startsWith('mcpproxy.db'))) {
      expect(readFileSync(join(proxy.dataDir, name)).includes(proxy.key), name).toBe(false);
    }
  });
});

test('a key from the environment is in no child process, no file and no log line', async () => {
  const canary = 'canary-0123456789-abcdefghij';
  const other = await startEnvKey(canary);
  try {
    const answer = await fetch(`${other.url}/api/v1/tools/call`, {
      method: 'POST',
      headers: { 'x-api-key': canary, 'content-type': 'application/json' },
      body: '{"tool_variant":"call_tool_read","name":"up:environment","intent":{"operation_type":"read"}}',
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(canary);
    expect(other.stderr()).not.toContain(canary);
    for (const name of readdirSync(other.dataDir)) {
      expect(readFileSync(join(other.dataDir, name)).includes(canary), name).toBe(false);
    }
  } finally {
    await other.dispose();
  }
});

/** startProxy reads the key from its file, which another key in the environment leaves unused; so one is put there. */
async function startEnvKey(key: string): Promise<RunningProxy> {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  const dataDir = join(home, '.mcpproxy');
  writeFileSync(
    join(home, 'mcp_config.json'),
    JSON.stringify({ mcpServers: { up: fixture('annotated.mjs') } }),
    { mode: 0o600 },
  );
  const first = await startProxy({ home, waitReady: false });
  await first.stop();
  const started = await startProxy({ home, env: { MCPPROXY_API_KEY: key } });
  expect(started.dataDir).toBe(dataDir);
  await poll(
    'ready',
    () => started.stderr(),
    () => started.stderr().includes('"msg":"ready"') || undefined,
  );
  return started;
}
