import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startUpstreams, stopUpstreams } from '../../../test/fixtures/upstreams.ts';
import { outboundProxy } from './outbound-proxy.ts';

const proxyOf = (url: string, env: Record<string, string>) => outboundProxy(new URL(url), env)?.href;
const HTTPS = { HTTPS_PROXY: 'http://proxy.example:3128' };

describe('the proxy of the network', () => {
  test.each([
    ['https://mcp.example.com/mcp', HTTPS, 'http://proxy.example:3128/'],
    ['http://mcp.example.com/mcp', HTTPS, undefined],
    ['http://mcp.example.com/mcp', { http_proxy: 'proxy.example:80' }, 'http://proxy.example/'],
    ['https://mcp.example.com/mcp', { ALL_PROXY: 'socks5://p:1080' }, 'socks5://p:1080'],
    ['https://mcp.example.com/mcp', { https_proxy: 'http://a', HTTPS_PROXY: 'http://b' }, 'http://a/'],
    ['https://mcp.example.com/mcp', { HTTPS_PROXY: '' }, undefined],
  ])('of %s with %j is %s', (url, env, expected) => {
    expect(proxyOf(url, env as unknown as Record<string, string>)).toBe(expected);
  });

  test.each(['localhost', '127.0.0.1', '127.8.9.1', '[::1]', 'app.localhost'])(
    'is never used for %s',
    (host) => {
      expect(proxyOf(`https://${host}/mcp`, HTTPS)).toBeUndefined();
    },
  );

  test.each([
    ['*', true],
    ['example.com', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['other.com, mcp.example.com:443', true],
    ['mcp.example.com:8443', false],
    ['ample.com', false],
    ['10.0.0.0/8', false],
    ['', false],
  ])('NO_PROXY=%s exempts mcp.example.com: %s', (list, isExempt) => {
    expect(proxyOf('https://mcp.example.com/', { ...HTTPS, NO_PROXY: list }) === undefined).toBe(isExempt);
  });

  test.each([
    ['https://10.1.2.3/', '10.0.0.0/8', true],
    ['https://11.1.2.3/', '10.0.0.0/8', false],
    ['https://[fd00::7]/', 'fd00::/8', true],
    ['https://10.1.2.3/', '10.0.0.0/99', false],
  ])('%s is within %s: %s', (url, list, isExempt) => {
    expect(proxyOf(url, { ...HTTPS, no_proxy: list }) === undefined).toBe(isExempt);
  });

  test('with another protocol is an error that names the variable, not its value', () => {
    expect(() => proxyOf('https://x.example/', { HTTPS_PROXY: 'ftp://me:secret@p' })).toThrow(
      /^HTTPS_PROXY is not the address of an HTTP or SOCKS5 proxy; correct it, or add x\.example to NO_PROXY$/,
    );
  });
});

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  vi.unstubAllEnvs();
  await stopUpstreams();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const ANSWERS: Record<string, unknown> = {
  'server/discover': undefined,
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'far', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

test('a server behind a proxy that allows plain requests only is reached through it', async () => {
  const seen: string[] = [];
  const proxy = createServer((request, answer) => {
    void bodyOf(request).then((body) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
      if (request.method !== 'POST' || id === undefined)
        return answer.writeHead(request.method === 'POST' ? 202 : 405).end();
      const result = ANSWERS[method!];
      const error = { code: -32601, message: 'Method not found' };
      answer.setHeader('content-type', 'application/json');
      return answer.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    });
  });
  const port = await listening(proxy);
  vi.stubEnv('HTTP_PROXY', `http://me:secret@127.0.0.1:${port}`);
  vi.stubEnv('http_proxy', '');
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  const { upstreams } = await startUpstreams({ far: { url: 'http://far.example:8123/mcp' } });
  expect(upstreams.view('far')).toMatchObject({ state: 'ready', tool_count: 1 });
  const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  expect(seen[0]).toBe(`POST http://far.example:8123/mcp ${basic}`);
});

test('https goes through a tunnel, and a refused tunnel is named without the password', async () => {
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket: Socket) => {
    tunnels.push(request.url ?? '');
    sockets.add(socket);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const port = await listening(proxy);
  vi.stubEnv('HTTPS_PROXY', `http://me:secret@127.0.0.1:${port}`);
  vi.stubEnv('https_proxy', '');
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  const { upstreams } = await startUpstreams({ far: { url: 'https://far.example/mcp' } });
  const view = upstreams.view('far');
  expect(tunnels[0]).toBe('far.example:443');
  expect(view).toMatchObject({ state: 'failed', last_error: expect.stringContaining('403') as string });
  expect(JSON.stringify(view)).not.toContain('secret');
});
