import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { jsonText } from '../../json/source.ts';
import {
  startUpstreams,
  stopUpstreams,
  textOf,
  type TestUpstreams,
} from '../../../test/fixtures/upstreams.ts';

afterEach(stopUpstreams);

interface Message {
  id: number;
  method: string;
  params?: { _meta?: { progressToken?: unknown } };
}
type Reply = (res: ServerResponse, message: Message, req: IncomingMessage) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const result = (id: unknown, text = 'ok') =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });

/** A hand-written server of the 2025 revision whose answer to a tool call is up to the test. */
async function oddServer(
  onCall: Reply,
  onGet: (res: ServerResponse, req: IncomingMessage) => void = (res) => void res.writeHead(405).end(),
) {
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== 'POST') return onGet(res, req);
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (message.id === undefined) return void res.writeHead(202).end();
    if (message.method === 'tools/call') return onCall(res, message, req);
    const answers: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
      'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
    };
    const answer = answers[message.method];
    const body = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
    return void res
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
  };
  const server = createServer((req, res) => void respond(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function against(
  onCall: Reply,
  onGet?: (res: ServerResponse, req: IncomingMessage) => void,
): Promise<TestUpstreams> {
  return startUpstreams({ odd: { url: await oddServer(onCall, onGet) } });
}

describe('answers that are read', () => {
  test('compressed ones, although we do not ask for it', async () => {
    const { call } = await against((res, { id }) =>
      res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(result(id, 'zip'))),
    );
    expect(textOf(await call('odd', 'odd'))).toBe('zip');
  });

  test('an event cut into single bytes, with comments, other events, carriage returns and several data lines', async () => {
    const { call } = await against((res, { id }) => {
      const [head, tail] = result(id, 'cut ✓').split(',"result"') as [string, string];
      const bytes = Buffer.from(
        `: hello\r\nevent: other\r\ndata: {}\r\n\r\nevent: message\r\ndata: ${head},\r\ndata: "result"${tail}\r\n\r\n`,
      );
      res.writeHead(200, EVENTS);
      for (const byte of bytes) res.write(Buffer.from([byte]));
      res.end();
    });
    expect(textOf(await call('odd', 'odd'))).toBe('cut ✓');
  });

  test('an event without a blank line at the end of the stream', async () => {
    const { call } = await against(
      (res, { id }) => void res.writeHead(200, EVENTS).end(`data: ${result(id)}`),
    );
    expect(textOf(await call('odd', 'odd'))).toBe('ok');
  });

  test('a stream that breaks before the answer is resumed where it broke, after the delay that the server asks for', async () => {
    let waiting: unknown;
    let brokeAt = 0;
    let resumed: { after: number; from: unknown } | undefined;
    const { call } = await against(
      (res, { id }) => {
        waiting = id;
        brokeAt = performance.now();
        res.writeHead(200, EVENTS).end('id: 41\nretry: 300\ndata:\n\n');
      },
      (res, req) => {
        if (req.headers['last-event-id'] === undefined) return void res.writeHead(405).end();
        resumed = { after: performance.now() - brokeAt, from: req.headers['last-event-id'] };
        return void res.writeHead(200, EVENTS).end(`id: 42\ndata: ${result(waiting, 'resumed')}\n\n`);
      },
    );
    expect(textOf(await call('odd', 'odd'))).toBe('resumed');
    expect(resumed?.from).toBe('41');
    expect(resumed?.after).toBeGreaterThanOrEqual(290);
  });

  test('breaks again and again: each time it goes on behind the last event, and the answer comes as it was written', async () => {
    let posts = 0;
    let waiting: unknown;
    const from: unknown[] = [];
    const { call } = await against(
      (res, { id }) => {
        posts++;
        waiting = id;
        res.writeHead(200, EVENTS).end('id: 1\nretry: 0\ndata:\n\n');
      },
      (res, req) => {
        const last = req.headers['last-event-id'];
        if (last === undefined) return void res.writeHead(405).end();
        from.push(last);
        const events = [
          '',
          'id: 2\nretry: 0\ndata:\n\n',
          `data: {"jsonrpc":"2.0","id":${String(waiting)},"result":{"n":1.0}}\n\n`,
        ];
        return void res.writeHead(200, EVENTS).end(events[from.length - 1]);
      },
    );
    expect(jsonText(await call('odd', 'odd'))).toBe('{"n":1.0}');
    expect([posts, from]).toEqual([1, ['1', '1', '2']]);
  });

  test('a stream that cannot be resumed leaves the outcome unknown, and nothing is sent twice', async () => {
    let posts = 0;
    const { call } = await against(
      (res) => {
        posts++;
        res.writeHead(200, EVENTS).end('id: 1\nretry: 0\ndata:\n\n');
      },
      (res, req) => {
        const again = req.headers['last-event-id'] !== undefined;
        res.writeHead(again ? 307 : 405, again ? { location: '/mcp' } : {}).end();
      },
    );
    await expect(call('odd', 'odd')).rejects.toMatchObject({ outcome: 'unknown' });
    expect(posts).toBe(1);
  });

  test('an error status with a JSON-RPC error is that error', async () => {
    const { call } = await against((res, { id }) => {
      const error = { code: -32602, message: 'bad params' };
      res.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    await expect(call('odd', 'odd')).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      details: { rpc_code: -32602 },
    });
  });

  test.each([JSON_TYPE, EVENTS])(
    'that are not UTF-8 fail clearly instead of being changed: %j',
    async (type) => {
      const { call } = await against((res, { id }) => {
        const text = type === EVENTS ? `data: ${result(id, 'na\u00efve')}\n\n` : result(id, 'na\u00efve');
        res.writeHead(200, type).end(Buffer.from(text, 'latin1'));
      });
      await expect(call('odd', 'odd')).rejects.toMatchObject({
        code: 'UPSTREAM_FAILED',
        message: expect.stringContaining('not valid UTF-8'),
      });
    },
  );

  test('a stream that stays open after its answer is closed by us', async () => {
    let closed = false;
    const { call, until } = await against((res, { id }) => {
      res.on('close', () => (closed = true));
      res.writeHead(200, EVENTS).write(`data: ${result(id)}\n\n`);
    });
    expect(textOf(await call('odd', 'odd'))).toBe('ok');
    await until('the stream to be closed', () => closed);
  });
});

describe('answers that fail', () => {
  const CASES: Array<[string, Reply, string, RegExp]> = [
    [
      'an error page',
      (res) => void res.writeHead(503).end('<h1>down</h1>'),
      'UPSTREAM_FAILED',
      /HTTP 503: <h1>down/,
    ],
    ['a refusal', (res) => void res.writeHead(401).end(), 'UPSTREAM_FAILED', /credentials \(HTTP 401\)/],
    [
      'a redirect to elsewhere',
      (res) => void res.writeHead(307, { location: 'http://127.0.0.2:1/' }).end(),
      'UPSTREAM_FAILED',
      /redirects to another place/,
    ],
    [
      'no content',
      (res) => void res.writeHead(202).end(),
      'OUTCOME_UNKNOWN',
      /no readable answer.*Check whether it did/,
    ],
    [
      'a page of something in front of it',
      (res) => void res.writeHead(504).end('late'),
      'OUTCOME_UNKNOWN',
      /not known: HTTP 504: late/,
    ],
    [
      'half an answer',
      (res) =>
        void res
          .writeHead(200, { ...JSON_TYPE, 'content-length': '1000' })
          .write('{"json', () => res.destroy()),
      'OUTCOME_UNKNOWN',
      /lost during/,
    ],
    ['a reset', (res) => void res.destroy(), 'OUTCOME_UNKNOWN', /lost during/],
    [
      'a stream without the answer',
      (res) => void res.writeHead(200, EVENTS).end('data: {"jsonrpc":"2.0","method":"x"}\n\n'),
      'OUTCOME_UNKNOWN',
      /before it answered/,
    ],
    [
      'an unknown encoding',
      (res) => void res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'zstd2' }).end('x'),
      'UPSTREAM_FAILED',
      /encoding/,
    ],
    [
      'broken compression',
      (res) => void res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end('no gzip'),
      'OUTCOME_UNKNOWN',
      /compressed/,
    ],
    ['silence', () => undefined, 'UPSTREAM_TIMEOUT', /1000 ms/],
    [
      'silence after the headers',
      (res) => res.writeHead(200, JSON_TYPE).flushHeaders(),
      'UPSTREAM_TIMEOUT',
      /1000 ms/,
    ],
    ['a trickle', (res) => trickle(res.writeHead(200, EVENTS)), 'UPSTREAM_TIMEOUT', /1000 ms/],
  ];

  test.each(CASES)('%s', async (...[, reply, code, message]) => {
    const { call, upstreams } = await against(reply);
    // Only what waits for the end of its time has little of it.
    const timeoutMs = code === 'UPSTREAM_TIMEOUT' ? 1000 : 250_000;
    await expect(call('odd', 'odd', {}, { timeoutMs })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(upstreams.view('odd')?.in_flight).toBe(0);
  });

  const LARGE: Array<[string, Reply]> = [
    ['JSON without end', (res) => flood(res.writeHead(200, JSON_TYPE), '{"jsonrpc":"2.0","result":"')],
    ['an event without end', (res) => flood(res.writeHead(200, EVENTS), 'data: {"jsonrpc":"2.0","result":"')],
    [
      'many data lines',
      (res) => flood(res.writeHead(200, EVENTS), 'data: {', `\ndata: ${'x'.repeat(60_000)}`),
    ],
    [
      'a compressed bomb',
      (res) => void res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    ],
  ];

  test.each(LARGE)('over the limit: %s', async (_what, reply) => {
    const { call } = await against(reply);
    const before = process.memoryUsage().rss;
    await expect(call('odd', 'odd', {}, { timeoutMs: 250_000 })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  });
});

const BOMB = gzipSync(Buffer.alloc(200_000_000, 0x20));

function flood(res: ServerResponse, head: string, chunk = 'x'.repeat(65_536)): void {
  res.write(head);
  const more = (): void => {
    while (!res.destroyed && res.write(chunk));
    if (!res.destroyed) res.once('drain', more);
  };
  more();
}

function trickle(res: ServerResponse): void {
  const timer = setInterval(() => res.write(':'), 100);
  res.on('close', () => clearInterval(timer));
}
