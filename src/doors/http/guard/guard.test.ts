import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, KEY, sendRaw, startHttp, type Running } from '../../../../test/fixtures/http-server.ts';

const HEALTH = ['/healthz', '/readyz'];
const CHECKED = ['/mcp', '/api/v1/status', '/api/v1/events', '/', '/openapi.json', '/no/such/path'];
const PATHS = [...CHECKED, ...HEALTH];
/** Health, and the description of the API. */
const OPEN = [...HEALTH, '/openapi.json'];
const withKey = [`X-API-Key: ${KEY}`];

let http: Running;
beforeAll(async () => {
  http = await startHttp({ settings: { allowedHosts: ['proxy.example', 'other.example:9443'] } });
});
afterAll(() => http.close());

describe('Host and Origin, on every path, before the key', () => {
  const hosts: Array<[string, (port: number) => string, boolean]> = [
    ['127.0.0.1', (port) => `127.0.0.1:${port}`, true],
    ['localhost', (port) => `localhost:${port}`, true],
    ['upper case', (port) => `LOCALHOST:${port}`, true],
    ['IPv6 loopback', (port) => `[::1]:${port}`, true],
    ['an allowed name', () => 'proxy.example', true],
    ['an allowed name with our port', (port) => `proxy.example:${port}`, true],
    ['an allowed name with its own port', () => 'other.example:9443', true],
    ['that name with another port', () => 'other.example', false],
    ['a foreign name', () => 'evil.com', false],
    ['a foreign name with our port', (port) => `evil.com:${port}`, false],
    ['a suffix trick', (port) => `localhost.evil.com:${port}`, false],
    ['a DNS service for addresses', (port) => `127.0.0.1.nip.io:${port}`, false],
    ['a trailing dot', (port) => `localhost.:${port}`, false],
    ['a forwarded port', () => 'localhost:9999', true],
    ['a forwarded port, by address', () => '127.0.0.1:9999', true],
    ['a forwarded port, by IPv6 address', () => '[::1]:9999', true],
    ['a forwarded port 80', () => 'localhost', true],
    ['a suffix trick with a forwarded port', () => 'localhost.evil.com:9999', false],
    ['a trailing dot with a forwarded port', () => 'localhost.:9999', false],
    ['a port that is no number', () => 'localhost:99x', false],
    ['a foreign name with a forwarded port', () => 'evil.com:9999', false],
    ['another address of this machine', () => '127.0.0.2:9999', false],
    ['user info', (port) => `localhost:${port}@evil.com`, false],
    ['a tab inside', (port) => `localhost:${port}\tevil.com`, false],
    ['a decimal address', (port) => `2130706433:${port}`, false],
    ['any address', (port) => `0.0.0.0:${port}`, false],
    ['a private address', (port) => `192.168.1.1:${port}`, false],
  ];
  const origins: Array<[string, ((port: number) => string) | undefined, boolean]> = [
    ['none', undefined, true],
    ['ours', (port) => `http://127.0.0.1:${port}`, true],
    ['an allowed host behind TLS', () => 'https://proxy.example', true],
    ['null', () => 'null', false],
    ['foreign', () => 'http://evil.com', false],
    ['a file', () => 'file://', false],
    ['another port', () => 'http://localhost:1', false],
    ['loopback as https', (port) => `https://localhost:${port}`, false],
    ['empty', () => '', false],
  ];

  for (const [hostName, host, hostOk] of hosts) {
    test(`Host ${hostName} is ${hostOk ? 'accepted' : 'refused'}`, async () => {
      const answers = await Promise.all(
        CHECKED.flatMap((path) => [
          get(http.port, path, [...withKey, `Host: ${host(http.port)}`]),
          get(http.port, path, [`Host: ${host(http.port)}`]),
        ]),
      );
      if (hostOk) for (const { status } of answers) expect([200, 401]).toContain(status);
      else
        for (const { status, body } of answers)
          expect([status, body]).toEqual([403, expect.stringContaining('FORBIDDEN_HOST')]);
    });

    test(`Host ${hostName} is accepted for a health probe, and for no path that looks like one`, async () => {
      const at = host(http.port);
      for (const path of HEALTH) {
        expect((await get(http.port, path, [`Host: ${at}`])).status).toBe(200);
        const head = await sendRaw(http.port, [`HEAD ${path} HTTP/1.1`, `Host: ${at}`, 'Connection: close']);
        expect(head.status).toBe(200);
      }
      if (hostOk) return;
      const alike = [
        '/healthz/',
        '/healthz/../mcp',
        '//healthz',
        '/HEALTHZ',
        '/readyz%20',
        '/readyz;x',
        '/health',
      ];
      for (const path of alike)
        expect((await get(http.port, path, [...withKey, `Host: ${at}`])).status).toBe(403);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const lines = [`${method} /healthz HTTP/1.1`, `Host: ${at}`, 'Connection: close'];
        expect((await sendRaw(http.port, lines)).status).toBe(403);
      }
    });
  }

  test('a health probe over HTTP/1.0 needs no Host; nothing else goes without', async () => {
    const ask = (path: string) => sendRaw(http.port, [`GET ${path} HTTP/1.0`, ...withKey]);
    for (const path of HEALTH) expect((await ask(path)).status).toBe(200);
    for (const path of CHECKED) {
      const { status, body } = await ask(path);
      expect([status, body]).toEqual([400, expect.stringContaining('Host header is missing')]);
    }
  });

  test('a health probe is still refused with a page of somebody else behind it, or a key in its URL', async () => {
    for (const path of HEALTH) {
      const foreign = await get(http.port, path, ['Host: evil.com', 'Origin: http://evil.com']);
      expect([foreign.status, foreign.body]).toEqual([403, expect.stringContaining('Origin')]);
      expect((await get(http.port, `${path}?api_key=${KEY}`, ['Host: evil.com'])).status).toBe(400);
    }
  });

  for (const [originName, origin, originOk] of origins) {
    test(`Origin ${originName} is ${originOk ? 'accepted' : 'refused'}`, async () => {
      const headers = origin ? [`Origin: ${origin(http.port)}`, ...withKey] : withKey;
      const answers = await Promise.all(PATHS.map((path) => get(http.port, path, headers)));
      for (const { status, head } of answers) {
        expect(status).toBe(originOk ? 200 : 403);
        expect(head).not.toContain('access-control');
      }
    });
  }

  test.each(PATHS)('%s: no Host, two Hosts and a whole URL are refused', async (path) => {
    const host = `Host: localhost:${http.port}`;
    const requests = [
      [`GET ${path} HTTP/1.1`],
      ...(HEALTH.includes(path) ? [] : [[`GET ${path} HTTP/1.1`, 'Host: ']]),
      [`GET ${path} HTTP/1.1`, host, 'Host: evil.com'],
      [`GET ${path} HTTP/1.1`, host, host],
      [`GET http://evil.com${path} HTTP/1.1`, host],
      [`GET http://localhost:${http.port}${path} HTTP/1.1`, host],
      ['OPTIONS * HTTP/1.1', host],
    ];
    for (const lines of requests) {
      const { status, body } = await sendRaw(http.port, [...lines, ...withKey, 'Connection: close']);
      expect([status, body]).toEqual([400, expect.stringContaining('INVALID_REQUEST')]);
    }
  });

  test('a page that came by a forwarded port is ours; a page of another port, or by another name, is not', async () => {
    const ask = async (host: string, origin: string) =>
      (await get(http.port, '/mcp', [...withKey, `Host: ${host}`, `Origin: ${origin}`])).status;
    expect(await ask('localhost:9999', 'http://localhost:9999')).toBe(200);
    expect(await ask('localhost:9999', 'http://localhost:9998')).toBe(403);
    expect(await ask('localhost:9999', 'https://localhost:9999')).toBe(403);
    expect(await ask('localhost:9999', 'http://127.0.0.1:9999')).toBe(403);
    expect(await ask('evil.com:9999', 'http://evil.com:9999')).toBe(403);
  });

  test('the error says that it is not about the key, and what to do', async () => {
    const { body } = await get(http.port, '/mcp', [...withKey, 'Host: box.lan:8080']);
    expect(JSON.parse(body).error.message).toMatch(/token was not checked.*localhost.*"allowed_hosts"/);
  });

  test('two Origins are one that is not ours', async () => {
    const ours = `Origin: http://127.0.0.1:${http.port}`;
    expect((await get(http.port, '/mcp', [ours, 'Origin: http://evil.com', ...withKey])).status).toBe(403);
  });

  test('a new list of allowed hosts holds for the next request', async () => {
    const status = async () => (await get(http.port, '/mcp', [...withKey, 'Host: late.example'])).status;
    expect(await status()).toBe(403);
    const before = http.settings.allowedHosts;
    http.settings.allowedHosts = [...before, 'late.example'];
    expect(await status()).toBe(200);
    http.settings.allowedHosts = before;
    expect(await status()).toBe(403);
  });
});

describe('the key', () => {
  test('is needed on every path but health and the description of the API', async () => {
    for (const path of PATHS) {
      const { status, head, body } = await get(http.port, path);
      if (OPEN.includes(path)) expect(status).toBe(200);
      else expect([status, JSON.parse(body).error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(head).not.toContain('www-authenticate');
    }
  });

  test.each([`X-API-Key: ${KEY}`, `Authorization: Bearer ${KEY}`, `authorization: bearer ${KEY}`])(
    'is taken from %s',
    async (header) => {
      const { status, body } = await get(http.port, '/mcp', [header]);
      expect([status, JSON.parse(body)]).toEqual([
        200,
        expect.objectContaining({ principal: 'operator', userId: 'local' }),
      ]);
    },
  );

  test.each([
    `X-API-Key: ${KEY}x`,
    `X-API-Key: ${KEY.slice(1)}`,
    `Authorization: Basic ${KEY}`,
    `Authorization: ${KEY}`,
    'X-API-Key: ',
  ])('is not taken from %s', async (header) =>
    expect((await get(http.port, '/mcp', [header])).status).toBe(401),
  );

  test.each(['apikey', 'api_key', 'API-Key', 'x-api-key', 'access_token', 'api%5Fkey'])(
    'in the URL as %s is refused, right or wrong',
    async (name) => {
      for (const value of [KEY, 'wrong']) {
        const { status, body } = await get(http.port, `/api/v1/status?${name}=${value}`, withKey);
        expect([status, JSON.parse(body).error.message]).toEqual([
          400,
          expect.stringContaining('must not be in the URL'),
        ]);
        expect(body).not.toContain(KEY);
      }
    },
  );

  test('a changed key holds for the next request', async () => {
    http.settings.apiKey = 'another-key-0123456789';
    expect((await get(http.port, '/mcp', withKey)).status).toBe(401);
    http.settings.apiKey = KEY;
    expect((await get(http.port, '/mcp', withKey)).status).toBe(200);
  });
});

test('after ten wrong keys a minute the failing requests are told to wait; the right key still passes', async () => {
  const own = await startHttp();
  try {
    const wrong = () => get(own.port, '/api/v1/status', ['X-API-Key: nonsense']);
    for (let i = 0; i < 10; i++) expect((await wrong()).status).toBe(401);
    const { status, head, body } = await wrong();
    expect([status, JSON.parse(body).error.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(/retry-after: (\d+)/.exec(head)?.[1])).toBeGreaterThan(0);
    expect((await get(own.port, '/api/v1/status', withKey)).status).toBe(200);
    expect((await get(own.port, '/api/v1/status')).status).toBe(401);
  } finally {
    await own.close();
  }
});

describe('/mcp without a key', () => {
  test('is open where the operator says so; the rest is not', async () => {
    const own = await startHttp({ settings: { requireMcpAuth: false } });
    try {
      expect(JSON.parse((await get(own.port, '/mcp')).body)).toMatchObject({
        principal: 'anonymous',
        userId: 'local',
      });
      expect(JSON.parse((await get(own.port, '/mcp', withKey)).body)).toMatchObject({
        principal: 'operator',
      });
      expect((await get(own.port, '/mcp', ['Host: evil.com'])).status).toBe(403);
      expect((await get(own.port, '/api/v1/status')).status).toBe(401);
      await expect(own.server.listen('0.0.0.0', 0)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    } finally {
      await own.close();
    }
  });
});
