import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixturePath, startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// A server with a certificate of a private authority (valid until 2120), behind the HTTP proxy of a network that alone knows its name.

const HOST = 'mcp.test';
const CA = fixturePath('tls/ca.pem');
const config = { mcpServers: { far: { url: `https://${HOST}/mcp` } } };

let far: HttpFixture;
let network: { url: string; tunnels: string[]; close(): void };
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  far = await startHttpFixture('http-echo.mjs', '/mcp');
  network = await startNetwork(far.port);
});
afterAll(async () => {
  await proxy?.dispose();
  network?.close();
  await far?.stop();
});

/** TLS in front of the server, and a proxy that opens tunnels to it. */
async function startNetwork(port: number) {
  const sockets = new Set<Socket>();
  const joined = (one: Socket, other: Socket) => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  };
  const tls = createTlsServer(
    { key: readFileSync(fixturePath('tls/server.key')), cert: readFileSync(fixturePath('tls/server.pem')) },
    (socket) => joined(socket, connect(port, '127.0.0.1')),
  );
  const tlsPort = await listening(tls as unknown as Server);
  const tunnels: string[] = [];
  const http = createHttpServer((_, answer) => answer.writeHead(405).end());
  http.on('connect', (request, socket: Socket) => {
    tunnels.push(request.url ?? '');
    if (request.headers['proxy-authorization'] !== `Basic ${Buffer.from('me:CANARY').toString('base64')}`)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    return joined(socket, connect(tlsPort, '127.0.0.1'));
  });
  const url = `http://me:CANARY@127.0.0.1:${await listening(http)}`;
  const close = () => {
    tls.close();
    http.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url, tunnels, close };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function start(env: NodeJS.ProcessEnv): Promise<RunningProxy> {
  await proxy?.dispose();
  proxy = await startProxy({ config, env: { HTTPS_PROXY: network.url, ...env } });
  return proxy;
}

test('a TLS server is reached through the tunnel of the proxy, with the certificate authority of the network', async () => {
  const { rest, stderr } = await start({ NODE_EXTRA_CA_CERTS: CA });
  expect(await rest.request('getServer', { name: 'far' })).toMatchObject({
    state: 'ready',
    transport: 'http',
  });
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'far:echo',
    args: { text: 'through' },
    intent: { operation_type: 'read' as const },
  };
  expect((await rest.request('callTool', { body })).content).toMatchObject([{ text: 'through' }]);
  expect(new Set(network.tunnels)).toEqual(new Set([`${HOST}:443`]));
  expect(stderr()).not.toContain('CANARY');
});

test('without that authority the server fails, and the advice names the variables', async () => {
  const { rest } = await start({});
  const view = await rest.request('getServer', { name: 'far' });
  expect(view).toMatchObject({
    state: 'failed',
    next_step: expect.stringContaining('NODE_EXTRA_CA_CERTS and SSL_CERT_FILE') as string,
  });
  expect(JSON.stringify(view)).not.toContain('CANARY');
});
