import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { createRest } from '../rest.ts';
import {
  get,
  KEY,
  sendRaw,
  sendText,
  startHttp,
  type Running,
} from '../../../../test/fixtures/http-server.ts';

const withKey = [`X-API-Key: ${KEY}`];
const running: Running[] = [];
async function start(...parts: Parameters<typeof startHttp>): Promise<Running> {
  const http = await startHttp(...parts);
  running.push(http);
  return http;
}
afterEach(() => Promise.all(running.splice(0).map((http) => http.close())));

describe('health', () => {
  test('/healthz is 200 as soon as it listens, /readyz says how far the servers are', async () => {
    let ready = false;
    let log: 'ok' | 'unavailable' = 'ok';
    const http = await start({
      ready: () => ({ ready: ready && log === 'ok', states: { connecting: ready ? 0 : 2 }, log }),
    });
    expect((await get(http.port, '/healthz')).status).toBe(200);
    const waiting = await get(http.port, '/readyz');
    expect([waiting.status, JSON.parse(waiting.body)]).toEqual([
      503,
      { status: 'starting', servers: { connecting: 2 }, log: 'ok' },
    ]);
    ready = true;
    expect((await get(http.port, '/readyz')).status).toBe(200);
    log = 'unavailable';
    const broken = await get(http.port, '/readyz');
    expect([broken.status, JSON.parse(broken.body)]).toMatchObject([
      503,
      { status: 'unavailable', log: 'unavailable' },
    ]);
  });

  test('takes GET and HEAD only', async () => {
    const http = await start();
    const host = `Host: 127.0.0.1:${http.port}`;
    const post = await sendRaw(http.port, [
      'POST /healthz HTTP/1.1',
      host,
      'Content-Length: 0',
      'Connection: close',
    ]);
    expect([post.status, /allow: (.*)/.exec(post.head)?.[1]]).toEqual([405, 'get, head']);
    const head = await sendRaw(http.port, ['HEAD /healthz HTTP/1.1', host, 'Connection: close']);
    expect([head.status, head.body]).toEqual([200, '']);
  });
});

describe('every answer', () => {
  test('has the security headers and a request id, and none for other sites', async () => {
    const http = await start();
    for (const { head } of [
      await get(http.port, '/healthz'),
      await get(http.port, '/mcp', withKey),
      await get(http.port, '/x', withKey),
      await get(http.port, '/x'),
      await get(http.port, '/', ['Host: evil.com']),
    ]) {
      expect(head).toContain('x-content-type-options: nosniff');
      expect(head).toContain("content-security-policy: default-src 'none'; frame-ancestors 'none'");
      expect(head).toContain('cache-control: no-store');
      expect(head).toMatch(/x-request-id: [0-9a-z]{26}/);
      expect(head).not.toContain('access-control');
    }
  });

  test('keeps a sane request id of the caller and replaces any other', async () => {
    const http = await start();
    const idFor = async (id: string) => {
      const { head, body } = await get(http.port, '/x', [`X-Request-Id: ${id}`]);
      return [/x-request-id: (.*)/.exec(head)?.[1], JSON.parse(body).error.request_id];
    };
    expect(await idFor('build-7.step:2')).toEqual(['build-7.step:2', 'build-7.step:2']);
    for (const bad of ['a'.repeat(65), 'with space', 'tab\there', '<script>', '-dash', '\x1b[2J']) {
      const [header, field] = await idFor(bad);
      expect(field).toMatch(/^[0-9A-Z]{26}$/);
      expect(header).toBe((field as string).toLowerCase());
    }
  });
});

describe('routing', () => {
  test('/mcp gets the raw pair with the caller, everything else goes to REST', async () => {
    const http = await start();
    expect(JSON.parse((await get(http.port, '/mcp?x=1', [...withKey, 'X-Request-Id: r1'])).body)).toEqual({
      principal: 'operator',
      userId: 'local',
      requestId: 'r1',
      address: '127.0.0.1',
    });
    for (const path of ['/', '/mcp/', '/MCP', '/x/../mcp', '//mcp', '/api/v1/status']) {
      expect((await get(http.port, path, withKey)).body).toContain('"rest":true');
    }
  });

  test('a path that looks like another host stays on this one', async () => {
    let url = '';
    const http = await start({
      rest: (request) => ((url = request.url), Promise.resolve(Response.json({}))),
    });
    await get(http.port, '//evil.com/x', withKey);
    expect(url).toBe(`http://127.0.0.1:${http.port}//evil.com/x`);
  });

  test('an odd method is an error of the caller', async () => {
    const http = await start();
    const { status } = await sendRaw(http.port, [
      'TRACE /x HTTP/1.1',
      `Host: 127.0.0.1:${http.port}`,
      ...withKey,
      'Connection: close',
    ]);
    expect(status).toBe(400);
  });

  test('what breaks inside is a 500 that tells nothing of the inside', async () => {
    const http = await start({
      rest: () => Promise.reject(new Error('secret path /etc/x')),
      mcp: () => {
        throw new TypeError('secret state');
      },
    });
    for (const path of ['/api/v1/status', '/mcp']) {
      const { status, body } = await get(http.port, path, withKey);
      expect([status, JSON.parse(body).error.code]).toEqual([500, 'INTERNAL']);
      expect(body).not.toContain('secret');
    }
  });

  test('a client that asks first is told to go on only when it has passed', async () => {
    const http = await start({ rest: async (request) => Response.json({ got: await request.text() }) });
    const send = (headers: string[]) =>
      sendRaw(
        http.port,
        [
          'POST /x HTTP/1.1',
          `Host: 127.0.0.1:${http.port}`,
          'Expect: 100-continue',
          'Content-Length: 2',
          'Connection: close',
          ...headers,
        ],
        'hi',
      );
    const passed = await send(withKey);
    expect([passed.status, passed.body]).toEqual([100, expect.stringContaining('{"got":"hi"}')]);
    expect((await send([])).status).toBe(401);
  });
});

describe('limits', () => {
  test('headers above 16 KB and garbage are answered as JSON and cut', async () => {
    const http = await start();
    const long = await get(http.port, '/healthz', [`X-Long: ${'a'.repeat(20_000)}`]);
    expect([long.status, JSON.parse(long.body).error.code]).toEqual([431, 'INVALID_REQUEST']);
    const garbage = await sendRaw(http.port, ['\x16\x03\x01 not http']);
    expect([garbage.status, JSON.parse(garbage.body).error.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  test('headers and bodies that never end are cut', async () => {
    const http = await start({
      rest: async (request) => Response.json(await request.text()),
      limits: { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 },
    });
    const slowHead = await sendText(http.port, 'GET / HTTP/1.1\r\nX: y');
    expect(slowHead.status).toBe(408);
    const slowBody = await sendRaw(
      http.port,
      ['POST /x HTTP/1.1', `Host: 127.0.0.1:${http.port}`, ...withKey, 'Content-Length: 10'],
      'abc',
    );
    expect(slowBody.status).toBe(408);
  });

  test('a body that trickles in is cut, one that comes on is not, and both are told apart in the log', async () => {
    const seen: string[] = [];
    const http = await start({
      rest: async (request) => Response.json(await request.text()),
      limits: { bodyTimeout: 100, bodyRate: 2_000, connectionsCheckingInterval: 20 },
      rejectedRequests: { add: ({ of }) => void seen.push(of), flush: () => undefined },
    });
    const head = ['POST /x HTTP/1.1', `Host: 127.0.0.1:${http.port}`, ...withKey, 'Connection: close'];
    const send = (text: string, ms: number) =>
      new Promise<string>((done) => {
        const socket = connect(http.port, '127.0.0.1').on('error', () => undefined);
        let answer = '';
        // The first part at once, as a standstill of our own must not look like a trickle.
        socket.write(`${head.join('\r\n')}\r\nContent-Length: ${20 * text.length}\r\n\r\n${text}`);
        let left = 19;
        const timer = setInterval(() => left-- > 0 && socket.writable && socket.write(text), ms);
        socket.on('data', (chunk) => (answer += chunk));
        socket.on('close', () => done((clearInterval(timer), answer.slice(9, 12))));
      });
    expect(await Promise.all([send('x', 40), send('x'.repeat(10_000), 40)])).toEqual(['408', '200']);
    expect(seen).toEqual(['time']);
  });

  test('requests on more connections than are served are answered with 429, and counted', async () => {
    const seen: string[] = [];
    const http = await start({
      connections: () => 2,
      rest: () => new Promise(() => undefined),
      rejectedRequests: {
        add: (one) => void seen.push(`${one.address} ${one.firstLine}`),
        flush: () => undefined,
      },
    });
    const ask = ['POST /x HTTP/1.1', `Host: 127.0.0.1:${http.port}`, ...withKey];
    const busy = [0, 1].map(() => connect(http.port, '127.0.0.1').on('error', () => undefined));
    for (const socket of busy) socket.write(`${ask.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
    const body = 'x'.repeat(300_000);
    const further = () =>
      sendRaw(http.port, [...ask, 'X-Request-Id: mine', `Content-Length: ${body.length}`], body);
    await expect.poll(async () => (await get(http.port, '/healthz')).status).toBe(429);
    const { status, head, body: text } = await further();
    expect([status, JSON.parse(text).error]).toMatchObject([429, { code: 'OVERLOADED', request_id: 'mine' }]);
    expect(head).toContain('retry-after: 1');
    expect(seen.at(-1)).toBe('127.0.0.1 POST /x HTTP/1.1');
    const polite = await sendRaw(http.port, [...ask, 'Expect: 100-continue', 'Content-Length: 1']);
    expect(polite.status).toBe(429);
    for (const socket of busy) socket.destroy();
    await expect.poll(async () => (await get(http.port, '/healthz')).status).toBe(200);
  });

  test('connections that only rest keep nobody out, and agents leave room for the operator', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const http = await start({ connections: () => 16, mcp: (_req, res) => void held.then(() => res.end()) });
    const ask = (path: string) => {
      const socket = connect(http.port, '127.0.0.1').on('error', () => undefined);
      const host = `Host: 127.0.0.1:${http.port}`;
      socket.write(`${[`GET ${path} HTTP/1.1`, host, ...withKey].join('\r\n')}\r\n\r\n`);
      return socket.resume();
    };
    const resting = Array.from({ length: 16 }, () => ask('/healthz'));
    await expect.poll(() => resting.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    await expect.poll(async () => (await get(http.port, '/healthz')).status).toBe(200);
    for (const socket of resting) socket.end();
    // The server has closed its side of these connections.
    await expect.poll(() => resting.every(({ closed }) => closed)).toBe(true);
    const agents = Array.from({ length: 16 }, () => ask('/mcp'));
    await expect.poll(() => agents.filter(({ bytesRead }) => bytesRead > 0)).toHaveLength(2);
    expect((await get(http.port, '/mcp', withKey)).status).toBe(429);
    expect((await get(http.port, '/x', withKey)).status).toBe(200);
    release();
    await expect.poll(() => agents.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    for (const socket of agents) socket.destroy();
  });

  test('long messages that there is no room for are answered with 429 unread, and counted', async () => {
    const fake = fakeParts();
    const seen: unknown[] = [];
    const rest = createRest(fake.parts);
    let asked = 0;
    const http = await start({
      rest: (request, caller) =>
        rest(request, { ...caller, reserve: (bytes) => (asked++, caller.reserve(bytes)) }),
      bodyBudget: { activeBytes: 100_000, queuedBytes: 100_000, waitMs: 50, slowMs: 60_000 },
      rejectedRequests: {
        add: ({ of, principal }) => void seen.push([of, principal]),
        flush: () => undefined,
      },
    });
    const text = JSON.stringify({
      tool_variant: 'call_tool_read',
      name: 'a:b',
      args: { x: 'x'.repeat(90_000) },
    });
    const head = [
      `POST /api/v1/tools/call HTTP/1.1`,
      `Host: 127.0.0.1:${http.port}`,
      ...withKey,
      'Content-Type: application/json',
      'Connection: close',
    ];
    const long = [...head, `Content-Length: ${text.length}`];
    // It never comes, and keeps its room for a while.
    const slow = connect(http.port, '127.0.0.1').on('error', () => undefined);
    slow.write(`${long.join('\r\n')}\r\n\r\n{`);
    await expect.poll(() => asked).toBe(1);
    const { status, body, head: said } = await sendRaw(http.port, long, text);
    expect(status).toBe(429);
    expect(JSON.parse(body).error).toMatchObject({ code: 'OVERLOADED', details: { retry_after_s: 1 } });
    expect(said).toContain('retry-after: 1');
    const unannounced = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    expect((await sendRaw(http.port, [...head, 'Transfer-Encoding: chunked'], unannounced)).status).toBe(429);
    expect(seen.at(-1)).toEqual(['long', 'operator']);
    const short = text.replace(/x{9,}/, 'x');
    expect((await sendRaw(http.port, [...head, `Content-Length: ${short.length}`], short)).status).toBe(200);
    expect([fake.calls.length, fake.recorded.length]).toEqual([1, 0]);
    slow.destroy();
    await expect.poll(async () => (await sendRaw(http.port, long, text)).status).toBe(200);
  });

  test('a client that sends its whole body before it reads gets the answer to a request rejected early', async () => {
    const http = await start();
    const body = Buffer.alloc(8_000_000, 'x');
    const answers = ['Content-Length: 8000000', 'Transfer-Encoding: chunked'].map(async (length) => {
      const socket = connect(http.port, '127.0.0.1');
      const head = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${http.port}`, length, 'Connection: close'];
      const parts = length.startsWith('C') ? [body] : ['7A1200\r\n', body, '\r\n0\r\n\r\n'];
      for (const part of [`${head.join('\r\n')}\r\n\r\n`, ...parts])
        await new Promise<void>((resolve, reject) =>
          socket.write(part, (error) => (error ? reject(error) : resolve())),
        );
      return (await socket.setEncoding('utf8').toArray()).join('');
    });
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1.1 401 [^]*UNAUTHORIZED/);
  });

  test('more connections than allowed are dropped, and accepted again later', async () => {
    const http = await start({ limits: { maxConnections: 2 } });
    const open = (): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connect(http.port, '127.0.0.1', () => resolve(socket));
        socket.on('error', () => undefined);
      });
    const held = [await open(), await open()];
    await expect(get(http.port, '/healthz').then(({ status }) => status)).resolves.toBe(0);
    for (const socket of held) socket.destroy();
    await expect.poll(() => get(http.port, '/healthz').then(({ status }) => status)).toBe(200);
  });
});

describe('listening', () => {
  test('a taken port says which, and what to do', async () => {
    const http = await start();
    const second = await start();
    await second.server.close(100);
    await expect(second.server.listen('127.0.0.1', http.port)).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      exitCode: 5,
      message: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${http.port}.*--listen`)),
    });
  });

  test('an address that is not ours is an error of the configuration', async () => {
    const http = await start();
    await http.server.close(100);
    await expect(http.server.listen('203.0.113.1', 0)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      exitCode: 4,
    });
  });
});

describe('closing', () => {
  test('lets a request in flight finish, takes no new one, and closes idle connections', async () => {
    let finish = () => {};
    const http = await start({
      rest: () => new Promise((resolve) => (finish = () => resolve(Response.json({ done: true })))),
    });
    const idle = connect(http.port, '127.0.0.1');
    idle.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n\r\n`);
    await new Promise((resolve) => idle.once('data', resolve));
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    const answer = sendRaw(http.port, ['GET /x HTTP/1.1', `Host: 127.0.0.1:${http.port}`, ...withKey]);
    await expect.poll(() => finish.toString().includes('done')).toBe(true);
    const closed = http.server.close(10_000);
    await idleClosed;
    await expect(get(http.port, '/healthz')).rejects.toThrow('ECONNREFUSED');
    finish();
    expect((await answer).body).toContain('"done":true');
    await closed;
  });

  test('answers a request that arrives on a connection from before', async () => {
    const http = await start();
    const late = connect(http.port, '127.0.0.1');
    let text = '';
    late.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const ended = new Promise<void>((resolve, reject) => late.once('error', reject).once('close', resolve));
    await new Promise((resolve) => late.once('connect', resolve));
    const closed = http.server.close(60_000);
    late.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n\r\n`);
    await ended;
    expect(text).toContain('HTTP/1.1 200');
    await closed;
  });

  test('does not wait for a connection that never sent anything, and tells it that nothing was done', async () => {
    const http = await start();
    const silent = connect(http.port, '127.0.0.1');
    let text = '';
    silent.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const closed = new Promise((resolve) => silent.once('close', resolve));
    await new Promise((resolve) => silent.once('connect', resolve));
    await expect.poll(async () => (await get(http.port, '/healthz')).status).toBe(200);
    await http.server.close(60_000);
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*The proxy is stopping\. Nothing was done/);
  });

  test('cuts what is not done by the deadline', async () => {
    const http = await start({ rest: () => new Promise(() => undefined) });
    const answer = sendRaw(http.port, ['GET /x HTTP/1.1', `Host: 127.0.0.1:${http.port}`, ...withKey]);
    await expect.poll(async () => (await get(http.port, '/healthz')).status).toBe(200);
    await http.server.close(200);
    expect((await answer).status).toBe(0);
  });
});
