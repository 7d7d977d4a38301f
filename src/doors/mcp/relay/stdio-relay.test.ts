import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { compiled } from '../../../../test/fixtures/compiled.ts';
import { CLIENTS } from '../../../../test/fixtures/mcp-clients.ts';
import { startHarness, type Harness, type Json } from '../../../../test/fixtures/mcp-harness.ts';
import { INITIALIZE, modernRpc, rpc } from '../../../../test/fixtures/mcp-messages.ts';
import { ownAddress } from '../../../../test/fixtures/own-address.ts';
import { useClient } from '../../../../test/fixtures/use-client.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { CLI_HEADER } from '../../../contract/routes/client.ts';
import { createLog } from '../../../lib/log.ts';
import { MCP_LIMITS } from '../limits.ts';
import { relayStdio } from './stdio-relay.ts';

const PROGRAM = await compiled(`import './test/fixtures/mcp-stdio.ts'`);
let harness: Harness;
afterEach(() => harness.stop());

describe.each(CLIENTS)('$title through the relay', ({ connect, revision }) => {
  test('lists, calls, hears of progress and changes, cancels', async () => {
    harness = await startHarness();
    const client = await connect({
      command: process.execPath,
      args: [PROGRAM, harness.url],
    });
    await useClient(client, revision, {
      called: () => harness.calls.map(({ name }) => name),
      aborted: () => harness.aborted,
    });
    await expect
      .poll(() => {
        harness.endpoint.listChanged('tools');
        return client.changes();
      })
      .toBeGreaterThan(0);
    await client.close();
    await expect.poll(() => harness.endpoint.sessions()).toBe(0);
  });
});

interface RelayTest {
  apiKey?: string;
  credential?: () => Record<string, string> | undefined;
  drainMs?: number;
  find?: () => Promise<string>;
}

/** `drainMs`: only what never ends has little time; on a busy machine the rest takes its own. */
function openRelay(url: string, { apiKey, credential, drainMs = 20_000, find }: RelayTest = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: Json[] = [];
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop()!;
    said.push(...lines.map((line) => JSON.parse(line)));
  });
  const ended = relayStdio({
    url,
    ...(find && { find }),
    ...(credential && { credential }),
    ...(apiKey && { credential: () => ({ 'x-api-key': apiKey }) }),
    input,
    output,
    log: createLog('silent'),
    drainMs,
  });
  const send = (message: unknown) =>
    input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return { input, output, said, ended, send };
}

const READY = { jsonrpc: '2.0', method: 'notifications/initialized' };

describe('the relay', () => {
  test('a whole script may come at once: everything waits for the handshake, and is answered before the end', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    relay.send(rpc('initialize', INITIALIZE, 0));
    relay.send(READY);
    relay.send(rpc('tools/call', { name: 'wait', arguments: { ms: 50 } }, 1));
    relay.send('garbage');
    relay.send(rpc('tools/list', {}, 2));
    relay.input.end();
    await relay.ended;
    expect(new Set(relay.said.map((message) => message.id))).toEqual(new Set([0, 1, 2, null]));
    expect(relay.said.find(({ id }) => id === null).error.code).toBe(-32700);
    expect(harness.records).toMatchObject([{ type: 'bad_request', error_code: 'INVALID_JSON' }]);
    expect(harness.calls[0]!.caller).toMatchObject({ client: 'tester/9', sessionId: expect.any(String) });
    expect(harness.endpoint.sessions()).toBe(0);
  });

  test('what is not UTF-8 or too long is refused with its id, and the next message is read', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    relay.input.write(
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"na\u00efve"}}\n', 'latin1'),
    );
    relay.send(modernRpc('tools/call', { name: 'x'.repeat(MCP_LIMITS.bodyBytes) }, 8));
    relay.send('  ');
    relay.send(modernRpc('server/discover', {}, 9));
    await expect.poll(() => relay.said.length).toBe(3);
    expect(relay.said).toMatchObject([
      { id: 7, error: { code: -32700 } },
      { id: 8, error: { code: -32600 } },
      { id: 9, result: {} },
    ]);
    expect(harness.calls).toEqual([]);
    relay.input.end();
    await relay.ended;
  });

  test('what follows a long message does not stop it, and all of it is heard before the end', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    const text = '"x'.repeat(100_000);
    relay.send(modernRpc('tools/call', { name: 'echo', arguments: { text } }, 'long'));
    relay.send(modernRpc('server/discover', {}, 'next'));
    relay.input.end();
    await relay.ended;
    expect(harness.calls.length).toBe(1);
    expect(new Set(relay.said.map(({ id }) => id))).toEqual(new Set(['long', 'next']));
  });

  test('batches in the revision that has them', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    relay.send(rpc('initialize', { ...INITIALIZE, protocolVersion: '2025-03-26' }, 0));
    relay.send(READY);
    relay.send([rpc('ping', undefined, 1), rpc('tools/call', { name: 'echo' }, 2)]);
    await expect.poll(() => relay.said.flat().length).toBe(3);
    expect(new Set(relay.said.flat().map((answer: Json) => answer.id))).toEqual(new Set([0, 1, 2]));
    relay.input.end();
    await relay.ended;
  });

  test('a subscription ends with an answer, or without one when it was cancelled', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    const notifications = { toolsListChanged: true };
    relay.send(modernRpc('subscriptions/listen', { notifications }, 's1'));
    await expect.poll(() => relay.said.length).toBe(1);
    relay.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's1' } });
    relay.send(modernRpc('server/discover', {}, 'after'));
    await expect.poll(() => relay.said.map(({ id }) => id)).toEqual([undefined, 'after']);
    relay.input.end();
    await relay.ended;
  });

  test('names that no header can carry arrive all the same', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    for (const name of ['ünï', ' edge ', 'a\r\nb', '=?base64?x?='])
      relay.send(modernRpc('tools/call', { name }, name));
    await expect.poll(() => relay.said.length).toBe(4);
    expect(harness.calls.map(({ name }) => name).sort()).toEqual(
      [' edge ', '=?base64?x?=', 'a\r\nb', 'ünï'].sort(),
    );
    relay.input.end();
    await relay.ended;
  });

  test('a cancelled request stays unanswered', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    relay.send(rpc('initialize', INITIALIZE, 0));
    relay.send(rpc('tools/call', { name: 'hang' }, 'old'));
    relay.send(modernRpc('tools/call', { name: 'hang' }, 'new'));
    await expect.poll(() => harness.calls.length).toBe(2);
    for (const requestId of ['old', 'new'])
      relay.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    await expect.poll(() => harness.aborted).toHaveLength(2);
    relay.send(rpc('ping', undefined, 'after'));
    await expect.poll(() => relay.said.map(({ id }) => id)).toEqual([0, 'after']);
    relay.input.end();
    await relay.ended;
  });

  test('outlives a restart of the daemon: the session is opened again', async () => {
    const host = ownAddress();
    harness = await startHarness({}, { host });
    const { port } = harness;
    const relay = openRelay(harness.url);
    relay.send(rpc('initialize', INITIALIZE, 0));
    relay.send(READY);
    relay.send(rpc('tools/call', { name: 'echo' }, 1));
    await expect.poll(() => relay.said.length).toBe(2);
    await harness.stop();
    relay.send(rpc('ping', undefined, 2));
    await expect.poll(() => relay.said.length).toBe(3);
    expect(relay.said[2]).toMatchObject({ id: 2, error: { code: -32000 } });
    expect(relay.said[2].error.message).toMatch(/No mcpproxy daemon answers at .*mcpproxy serve/);
    harness = await startHarness({}, { host, port });
    relay.send(rpc('tools/call', { name: 'echo' }, 3));
    await expect.poll(() => relay.said.length).toBe(4);
    expect(relay.said[3]).toMatchObject({ id: 3, result: {} });
    expect(harness.calls).toHaveLength(1);
    relay.input.end();
    await relay.ended;
    expect(harness.endpoint.sessions()).toBe(0);
  });

  test('a daemon that moved is found, and what changes nothing is sent again', async () => {
    let lost = 0;
    const broken = createServer((req) => {
      lost++;
      req.socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    harness = await startHarness();
    let searches = 0;
    const relay = openRelay(`http://127.0.0.1:${(broken.address() as AddressInfo).port}`, {
      find: async () => {
        searches++;
        return harness.url;
      },
    });
    relay.send(modernRpc('tools/call', { name: 'call_tool_write' }, 'change'));
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0]).toMatchObject({ id: 'change', error: { code: -32000 } });
    expect(relay.said[0].error.message).toContain('may have been carried out');
    expect([lost, searches]).toEqual([1, 0]);
    relay.send(modernRpc('tools/list', {}, 'list'));
    await expect.poll(() => relay.said.length).toBe(2);
    expect(relay.said[1]).toMatchObject({ id: 'list', result: {} });
    expect([lost, searches]).toEqual([2, 1]);
    broken.close();
    relay.input.end();
    await relay.ended;
  });

  test('nothing is sent to the address of a daemon that is no longer there', async () => {
    let asked = 0;
    const stranger = createServer((_req, res) => {
      asked++;
      res.end();
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    harness = await startHarness();
    let isFound = false;
    const relay = openRelay(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`, {
      credential: () => (isFound ? { 'x-api-key': 'SECRET' } : undefined),
      find: async () => {
        isFound = true;
        return harness.url;
      },
    });
    relay.send(modernRpc('tools/call', { name: 'call_tool_write' }, 'change'));
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0]).toMatchObject({ id: 'change', result: {} });
    expect([asked, harness.calls.length]).toEqual([0, 1]);
    stranger.close();
    relay.input.end();
    await relay.ended;
  });

  test('a change that another daemon rejects, because it does not know the secret, goes to the present one', async () => {
    let rejected = 0;
    const successor = createServer((req, res) => {
      rejected++;
      req.resume();
      res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no key"}}');
    }).listen(0, '127.0.0.1');
    await once(successor, 'listening');
    harness = await startHarness();
    const relay = openRelay(`http://127.0.0.1:${(successor.address() as AddressInfo).port}`, {
      credential: () => ({ [CLI_HEADER]: 'of the one that ended', 'x-api-key': 'SECRET' }),
      find: async () => harness.url,
    });
    relay.send(modernRpc('tools/call', { name: 'call_tool_write' }, 'change'));
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0]).toMatchObject({ id: 'change', result: {} });
    expect([rejected, harness.calls.length]).toEqual([1, 1]);
    successor.close();
    relay.input.end();
    await relay.ended;
  });

  test('a search that fails says why', async () => {
    harness = await startHarness();
    const relay = openRelay('http://127.0.0.1:1', {
      find: () => Promise.reject(new ProxyError('CONFIG_INVALID', 'line 3: unknown key')),
    });
    relay.send(modernRpc('tools/list', {}, 1));
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0].error.message).toContain('line 3: unknown key');
    relay.input.end();
    await relay.ended;
  });

  test('what runs when the client leaves is cancelled after a while', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url, { drainMs: 300 });
    relay.send(modernRpc('subscriptions/listen', { notifications: { toolsListChanged: true } }, 's'));
    relay.send(modernRpc('tools/call', { name: 'hang' }, 1));
    await expect.poll(() => harness.calls.length).toBe(1);
    relay.input.end();
    await relay.ended;
    await expect.poll(() => harness.aborted).toHaveLength(1);
  });

  test('a client that no longer reads ends it at once', async () => {
    harness = await startHarness();
    const relay = openRelay(harness.url);
    relay.send(modernRpc('tools/call', { name: 'hang' }, 1));
    await expect.poll(() => harness.calls.length).toBe(1);
    relay.output.destroy();
    await relay.ended;
    await expect.poll(() => harness.aborted).toHaveLength(1);
  });
});

describe('a daemon that does not speak the protocol', () => {
  let server: Server;
  afterEach(() => server.close());

  async function daemon(answer: Parameters<typeof createServer>[1]): Promise<string> {
    harness = await startHarness();
    server = createServer(answer as never).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  test('a refusal of the guard becomes an error of the request', async () => {
    let key: unknown;
    const url = await daemon((req, res) => {
      key = req.headers['x-api-key'];
      res.writeHead(401, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ error: { code: 'UNAUTHORIZED', message: 'The API key is wrong' } }));
    });
    const relay = openRelay(url, { apiKey: 'SECRET' });
    relay.send(modernRpc('tools/list', {}, 1));
    relay.send(READY);
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0]).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(relay.said[0].error.message).toContain('HTTP 401: The API key is wrong');
    expect(key).toBe('SECRET');
    relay.input.end();
    await relay.ended;
    expect(relay.said).toHaveLength(1);
  });

  test('a connection lost halfway says that the call may have run', async () => {
    const url = await daemon((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': keepalive\n\n', () => res.destroy());
    });
    const relay = openRelay(url);
    relay.send(modernRpc('tools/call', { name: 'echo' }, 1));
    await expect.poll(() => relay.said.length).toBe(1);
    expect(relay.said[0].error.message).toMatch(/lost.*may have been carried out/);
    relay.input.end();
    await relay.ended;
  });

  test('so does a stream that ends before the answer', async () => {
    const url = await daemon((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n');
    });
    const relay = openRelay(url);
    relay.send(modernRpc('tools/call', { name: 'echo' }, 1));
    await expect.poll(() => relay.said.length).toBe(2);
    expect(relay.said[0].method).toBe('notifications/progress');
    expect(relay.said[1].error.message).toMatch(/ended its answer too early/);
    relay.input.end();
    await relay.ended;
  });
});
