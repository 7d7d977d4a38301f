import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/contract/routes/client.ts';
import { Config } from '../../src/contract/config.ts';
import { relayStdio } from '../../src/doors/mcp/relay/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { INITIALIZE } from '../fixtures/mcp-messages.ts';
import { fixture } from '../fixtures/start.ts';
import { connectAsked, textOf } from './asked-clients.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

const PUBLIC = 'https://mcp.example.com/tools';
const HOST = 'mcp.example.com';

let proxy: RunningProxy;
beforeAll(async () => {
  const config = { public_url: PUBLIC, mcpServers: { up: fixture('annotated.mjs') } };
  proxy = await startHere({ config });
});
afterAll(() => proxy?.dispose());

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** A request as a reverse proxy passes it on, with the public Host. */
function ask(path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const on = request({
      hostname,
      port,
      path,
      method: body ? 'POST' : 'GET',
      headers: { host: HOST, ...(body && { 'content-type': 'application/json' }), ...headers },
    });
    on.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    });
    on.end(body && JSON.stringify(body));
  });
}

test('every path is served below the public one, and without it', async () => {
  const key = { 'x-api-key': proxy.key };
  for (const front of ['', '/tools']) {
    expect(await ask(`${front}/healthz`)).toMatchObject({ status: 200 });
    expect(await ask(`${front}/api/v1/status`, key)).toMatchObject({ status: 200 });
    expect(await ask(`${front}/api/v1/status`)).toMatchObject({ status: 401 });
    const client = await connectAsked('SDK 1.x', { url: proxy.url + front, key: proxy.key });
    expect(textOf(await client.call('up:read_only', { text: 'below' }))).toContain('below');
    await client.close();
  }
  expect(await ask('/tools')).toMatchObject({ status: 308, headers: { location: '/tools/' } });
  for (const other of ['/toolsx/healthz', '/tools/tools/healthz', '/other/healthz'])
    expect([other, (await ask(other, key)).status]).toEqual([other, 404]);
});

test('its host and its pages are accepted, others are not', async () => {
  expect(await ask('/openapi.json', { origin: 'https://mcp.example.com' })).toMatchObject({ status: 200 });
  expect(await ask('/openapi.json', { origin: 'https://example.com' })).toMatchObject({ status: 403 });
  expect(await ask('/openapi.json', { host: 'example.com' })).toMatchObject({ status: 403 });
});

test('the web UI logs in there, with a cookie for its path', async () => {
  const answer = await ask('/tools/web/session', {}, { key: proxy.key });
  const [cookie] = answer.headers['set-cookie'] as string[];
  expect(cookie).toMatch(/^mcpproxy_session_443=.*; Path=\/tools\/; .*; Secure$/);
  const after = await ask('/tools/web/session', { cookie: cookie!.split(';')[0]! });
  expect(JSON.parse(after.text)).toMatchObject({ logged_in: true });
});

test('the typed client takes an address with a path', async () => {
  const rest = createClient({ url: `${proxy.url}/tools/`, apiKey: proxy.key, client: 'test' });
  expect(await rest.request('status', {})).toHaveProperty('version');
});

test('mcpproxy stdio relays to an address with a path', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = relayStdio({
    url: `${proxy.url}/tools`,
    credential: () => ({ 'x-api-key': proxy.key }),
    input,
    output,
    log: createLog('silent'),
  });
  const said = text(output);
  input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })}\n`);
  await ended;
  output.end();
  expect(JSON.parse(await said)).toMatchObject({ result: { serverInfo: { name: 'mcpproxy' } } });
});

describe('an address is refused', () => {
  test.each([
    'mcp.example.com',
    'ftp://mcp.example.com',
    'https://user@mcp.example.com',
    'https://mcp.example.com/?a=1',
    'https://mcp.example.com/#a',
    'https://mcp.example.com/a/../b',
    'https://mcp.example.com/a%2Fb',
  ])('%s', (public_url) => {
    expect(Config.safeParse({ public_url }).success).toBe(false);
  });
  test.each(['https://mcp.example.com', 'http://10.0.0.1:8080/a/b-c_d~1/', PUBLIC])(
    'but not %s',
    (public_url) => {
      expect(Config.safeParse({ public_url }).success).toBe(true);
    },
  );
});
