import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Agent } from 'undici';
import { jsonText, keepSource } from '../../json/source.ts';
import { createLightFetch } from './light-fetch.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import { SseTransport } from './sse-transport.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
const EVENTS = { 'content-type': 'text/event-stream' };
const ENDPOINT = 'event: endpoint\ndata: /messages?s=1\n\n';
const opens: Handler = (_, res) => void res.writeHead(200, EVENTS).write(ENDPOINT);

/** A transport to a server that answers GET and POST as the test says. */
async function open(get: Handler, post: Handler = (_, res) => void res.writeHead(202).end()) {
  const server = createServer((req, res) => (req.method === 'GET' ? get : post)(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent();
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`);
  const transport = new SseTransport({ url, headers: { 'x-key': 'secret' }, fetch: createLightFetch(agent) });
  const got: unknown[] = [];
  const closed: string[] = [];
  Object.assign(transport, {
    onmessage: (message: unknown) => got.push(message),
    onclose: () => closed.push(transport.exitText),
  });
  onTestFinished(async () => {
    await transport.close();
    await agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { transport, got, closed };
}

const MESSAGE = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params: { name: 'x' } };

describe('begins', () => {
  test('when the server has said where messages go; they go there as they were written, with the configured headers', async () => {
    const posts: unknown[] = [];
    const { transport } = await open(opens, (req, res) => {
      void req.toArray().then((parts) => {
        posts.push([
          req.url,
          req.headers['x-key'],
          req.headers['mcp-protocol-version'],
          Buffer.concat(parts).toString(),
        ]);
        res.writeHead(202).end();
      });
    });
    await transport.start();
    transport.setProtocolVersion('2024-11-05');
    const args = {};
    keepSource(args, '{"n":1.0}');
    await transport.send({ ...MESSAGE, params: { name: 'x', arguments: args } });
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":1.0}}}';
    expect(posts).toEqual([['/messages?s=1', 'secret', '2024-11-05', text]]);
  });

  test.each<[what: string, get: Handler, says: RegExp]>([
    ['another status', (_, res) => void res.writeHead(500).end('broken inside'), /HTTP 500: broken inside/],
    [
      'no stream',
      (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /text\/html instead of an event stream/,
    ],
    [
      'a stream that ends',
      (_, res) => void res.writeHead(200, EVENTS).end('data: 1\n\n'),
      /ended the event stream/,
    ],
    [
      'a stream that breaks',
      (_, res) => void res.writeHead(200, EVENTS).write('data:', () => res.destroy()),
      /the event stream broke/,
    ],
    [
      'another origin',
      (_, res) => void res.writeHead(200, EVENTS).write('event: endpoint\ndata: http://127.0.0.2/x\n\n'),
      /another origin/,
    ],
    [
      'an impossible address',
      (_, res) => void res.writeHead(200, EVENTS).write('event: endpoint\ndata: http://[\n\n'),
      /another origin/,
    ],
  ])('not with %s', async (_, get, says) => {
    const { transport } = await open(get);
    await expect(transport.start()).rejects.toThrow(says);
    await expect(transport.send(MESSAGE)).rejects.toMatchObject({ fault: 'unsent' });
  });

  test('not when it is closed meanwhile', async () => {
    const { transport } = await open(() => undefined);
    const started = transport.start();
    await transport.close();
    await expect(started).rejects.toThrow('the connection was closed');
  });
});

describe('once open', () => {
  test('messages arrive as they were written; what is none does no harm', async () => {
    const { transport, got, closed } = await open((_, res) => {
      res.writeHead(200, EVENTS).write(ENDPOINT);
      res.write(': comment\n\nevent: other\ndata: 1\n\ndata: {half\n\n');
      res.write('data: {"jsonrpc":"2.0","id":1,\ndata: "result":{"n":1.0}}\n\n');
    });
    await transport.start();
    await expect.poll(() => got.length).toBe(1);
    expect(jsonText((got[0] as RpcMessage).result)).toBe('{"n":1.0}');
    expect(closed).toEqual([]);
  });

  test('a stream that breaks ends it, once, and says why', async () => {
    let stream: ServerResponse | undefined;
    const { transport, closed } = await open((req, res) => {
      stream = res;
      opens(req, res);
    });
    await transport.start();
    stream!.destroy();
    await expect.poll(() => closed).toEqual([expect.stringMatching(/the event stream broke/)]);
    await transport.close();
    expect(closed).toHaveLength(1);
  });

  test('what is refused was not done; what broke may have been', async () => {
    const { transport } = await open(opens, (_, res) => void res.writeHead(404).end('no such session'));
    await transport.start();
    await expect(transport.send(MESSAGE)).rejects.toMatchObject({ fault: 'http', status: 404 });
    const broken = await open(opens, (_, res) => void res.destroy());
    await broken.transport.start();
    await expect(broken.transport.send(MESSAGE)).rejects.toMatchObject({ fault: 'lost' });
  });
});
