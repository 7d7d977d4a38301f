import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rankOfAddress, rankOfHost } from './address-rank.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['64:ff9b::a00:1', 'private'],
  ['2002:c0a8:101::', 'private'],
  ['169.254.169.254', 'never'],
  ['0.0.0.0', 'never'],
  ['::', 'never'],
  ['fe80::1', 'never'],
  ['224.0.0.1', 'never'],
  ['8.8.8.8', 'public'],
  ['2606:4700::1', 'public'],
])('%s is %s', (address, rank) => expect(rankOfAddress(address)).toBe(rank));

test('names that always mean this machine are known without a look-up', () => {
  expect(['localhost', 'a.localhost', 'LOCALHOST.', '[::1]', 'example.com'].map(rankOfHost)).toEqual([
    'loopback',
    'loopback',
    'loopback',
    'loopback',
    undefined,
  ]);
});

describe('requests on behalf of a server', () => {
  let asked: string[];
  let origin: string;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    asked = [];
    const server = createServer((req, res) => {
      asked.push(req.url ?? '');
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
  });
  afterEach(() => stop());

  const of = (serverUrl: string, trusted: string[] = []) =>
    createGuardedFetch({ serverUrl: new URL(serverUrl), trusted });
  const port = () => new URL(origin).port;

  test('of this machine reach this machine', async () => {
    const response = await of('http://localhost:1/mcp')(`${origin}/x`);
    expect(await response.json()).toEqual({ ok: true });
  });

  test('of a server outside do not, by address or by name', async () => {
    const public_ = of('https://mcp.example.com/mcp');
    const says = /address of this machine, which a server outside of it may not name/;
    await expect(public_(origin)).rejects.toThrow(says);
    await expect(public_(`https://localhost:${port()}/`)).rejects.toThrow(says);
    await expect(public_('https://10.0.0.1/')).rejects.toThrow(/private network/);
    await expect(public_('https://169.254.169.254/latest/meta-data/')).rejects.toThrow(/may not name/);
    expect(asked).toEqual([]);
  });

  test('of a server in a private network do not reach this machine', async () => {
    await expect(of('https://10.0.0.5/mcp')(origin)).rejects.toThrow(/address of this machine/);
    expect(asked).toEqual([]);
  });

  test('reach an address that the operator wrote down', async () => {
    const response = await of('https://mcp.example.com/mcp', [origin])(`${origin}/y`);
    expect(response.status).toBe(200);
  });

  test.each(['http://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'ftp://127.0.0.1/'])(
    'do not go to %s',
    async (url) => {
      await expect(of('http://localhost:1/mcp')(url)).rejects.toThrow(/does not use https/);
    },
  );

  test('do not carry a user name of the server', async () => {
    await expect(of('http://localhost:1/mcp')(`http://me:pw@127.0.0.1:${port()}/`)).rejects.toThrow(
      /contains a user name/,
    );
    expect(asked).toEqual([]);
  });
});
