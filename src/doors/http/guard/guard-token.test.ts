import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { get, KEY, sendRaw, startHttp, type Running } from '../../../../test/fixtures/http-server.ts';
import type { BadRequest } from '../../../log/record/bad-requests.ts';
import { API_PREFIX, routes, type Route } from '../../../contract/routes/api.ts';
import type { Identity } from '../../../contract/call.ts';
import { newSecret } from '../../../token/secret.ts';
import type { TokenLookup } from '../../../token/token-index.ts';

const identity: Identity = {
  principal: 'token:agent',
  userId: 'ann',
  token: { id: 'T1', name: 'agent', scope: { operations: ['read'] } },
};
const talker: Identity = {
  ...identity,
  token: { id: 'T4', name: 'person', scope: { operations: ['read'], assistant: true } },
};
const watcher: Identity = {
  ...identity,
  token: { id: 'T5', name: 'prometheus', scope: { operations: ['read'], metrics: true } },
};
const [good, expired, revoked, talking] = [newSecret(), newSecret(), newSecret(), newSecret()];
const watching = newSecret();
const at = '2026-01-01T00:00:00.000Z';
const known = new Map<string, TokenLookup>([
  [good, { state: 'active', identity }],
  [talking, { state: 'active', identity: talker }],
  [watching, { state: 'active', identity: watcher }],
  [expired, { state: 'expired', id: 'T2', name: 'old', at }],
  [revoked, { state: 'revoked', id: 'T3', name: 'gone', at }],
]);

interface Denied extends Omit<BadRequest, 'excerpt'> {
  code: string | undefined;
  message: string;
  source: string | undefined;
  excerpt: string;
}
const recorded: Denied[] = [];
const served: string[] = [];
let http: Running;

beforeAll(async () => {
  http = await startHttp({
    tokens: { find: (secret) => known.get(secret) ?? { state: 'unknown' } },
    rest: async (request) => {
      served.push(request.url);
      return Response.json({});
    },
    badRequests: {
      add: ({ record: code, message }, { excerpt, ...from }, source) =>
        void recorded.push({ ...from, code, message, source, excerpt: excerpt() }),
      flush: () => undefined,
    },
  });
});
afterAll(() => http.close());
beforeEach(() => {
  recorded.length = 0;
  served.length = 0;
});

const bearer = (token: string) => [`Authorization: Bearer ${token}`];
const errorOf = (body: string) =>
  (JSON.parse(body) as { error: { code: string; message: string; details: Record<string, unknown> } }).error;

describe('a good token', () => {
  test.each([
    ['Authorization', bearer(good)],
    ['X-API-Key', [`X-API-Key: ${good}`]],
  ])('opens /mcp by %s, as who it is', async (_, headers) => {
    const { status, body } = await get(http.port, '/mcp', headers);
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining(identity)]);
    expect(recorded).toEqual([]);
  });

  const paths = Object.values(routes).map(({ method, path, token }: Route) => ({
    method,
    path: API_PREFIX + path.replace(/\{\w+\}/g, 'x'),
    open: token === true,
  }));
  const others = ['/', '/metrics', '/api/v1', '/api/v1/nothing', '/mcp/', '/MCP', '//mcp', '/mcp/x'];
  test.each([...paths, ...others.map((path) => ({ method: 'GET', path }))])(
    '$method $path is refused and recorded',
    async ({ method, path }) => {
      const { status, body } = await sendRaw(
        http.port,
        [
          `${method} ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${http.port}`,
          ...bearer(good),
          'Content-Type: application/json',
          'Content-Length: 2',
          'Connection: close',
        ],
        '{}',
      );
      expect([status, errorOf(body).code]).toEqual([403, 'TOKEN_NOT_ALLOWED']);
      expect(errorOf(body).message).toContain(
        "Token 'agent' is for an agent: it opens /mcp and nothing else",
      );
      expect(served).toEqual([]);
      expect(recorded).toMatchObject([
        {
          principal: 'token:agent',
          tokenId: 'T1',
          code: 'TOKEN_NOT_ALLOWED',
          source: 'api',
          excerpt: `${method} ${path}`,
        },
      ]);
    },
  );

  test('one for monitoring opens /metrics, also with a query', async () => {
    for (const path of ['/metrics', '/metrics?x=1'])
      expect((await get(http.port, path, bearer(watching))).status).toBe(200);
    expect(served).toHaveLength(2);
    expect(recorded).toEqual([]);
  });

  test.each([
    ...paths,
    ...[...others, '/mcp', '/metrics/', '/metrics/../api/v1/status', '/METRICS']
      .filter((path) => path !== '/metrics')
      .map((path) => ({ method: 'GET', path })),
    { method: 'POST', path: '/metrics' },
    { method: 'POST', path: '/mcp' },
  ])('$method $path is refused to one for monitoring', async ({ method, path }) => {
    const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${http.port}`, ...bearer(watching)];
    const { status, body } = await sendRaw(http.port, [...head, 'Connection: close']);
    expect([status, errorOf(body).code]).toEqual([403, 'TOKEN_NOT_ALLOWED']);
    expect(errorOf(body).message).toContain("Token 'prometheus' is for monitoring: it opens /metrics");
    expect(served).toEqual([]);
  });

  test.each(paths.filter(({ open }) => open))(
    '$method $path is open to one that was made for it, as who it is',
    async ({ method, path }) => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${http.port}`,
        ...bearer(talking),
        'Connection: close',
      ];
      expect((await sendRaw(http.port, head)).status).toBe(200);
      expect(served).toHaveLength(1);
    },
  );

  test.each([
    '/api/v1/conversations/..\\status',
    '/api/v1/conversations/../status',
    '/api/v1/conversations/%2e%2e',
    '/api/v1/conversations/x/../../status',
    '/api/v1/chat/../status',
    '/api/v1/conversations/a%2Fb',
    '/api/v1/chat?x=/../../status#',
    '/api/v1/status',
    '/api/v1/approvals',
  ])('an open route is no way round: %s', async (path) => {
    const { status } = await get(http.port, path, bearer(talking));
    expect(status).toBe(403);
    expect(served).toEqual([]);
  });

  test('health needs no key, so it has one all the same', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await get(http.port, path, bearer(good))).status).toBe(200);
  });

  test('in the URL it is refused, even with the operator’s key beside it, and not repeated', async () => {
    for (const path of [`/mcp?key=${good}`, `/api/v1/tokens/${good}`, `/api/v1/status?q=a${good}`]) {
      const { status, body } = await get(http.port, path, [`X-API-Key: ${KEY}`]);
      expect([status, errorOf(body).code]).toEqual([400, 'INVALID_REQUEST']);
      expect(body).not.toContain(good.slice(0, 20));
    }
  });
});

describe('a token that is not good', () => {
  test.each([
    ['expired', expired, "Token 'old' expired at 2026-01-01T00:00:00.000Z", 'token:old'],
    ['revoked', revoked, "Token 'gone' was revoked at 2026-01-01T00:00:00.000Z", 'token:gone'],
    ['unknown', newSecret(), 'Unknown token', 'unknown'],
  ])(
    '%s: 401 on every path, with the reason, recorded without it',
    async (_case, ...[token, says, principal]) => {
      for (const path of ['/mcp', '/api/v1/status']) {
        const { status, body } = await get(http.port, path, bearer(token));
        expect([status, errorOf(body).code]).toEqual([401, 'UNAUTHORIZED']);
        expect(errorOf(body).message).toContain(says);
      }
      expect(recorded).toMatchObject([
        { principal, code: 'UNAUTHORIZED', source: 'mcp', excerpt: 'GET /mcp' },
        { principal, code: 'UNAUTHORIZED', source: 'api', excerpt: 'GET /api/v1/status' },
      ]);
      expect(JSON.stringify(recorded)).not.toContain(token);
    },
  );

  test('no credential at all is no attempt, and is not recorded', async () => {
    expect((await get(http.port, '/mcp')).status).toBe(401);
    expect(recorded).toEqual([]);
  });
});

test('where /mcp is open a token keeps its limits, and one that has ended opens nothing', async () => {
  const open = await startHttp({
    settings: { requireMcpAuth: false },
    tokens: { find: (secret) => known.get(secret) ?? { state: 'unknown' } },
  });
  const as = async (headers: string[]) => {
    const { status, body } = await get(open.port, '/mcp', headers);
    return [status, (JSON.parse(body) as Identity).principal];
  };
  expect(await as([])).toEqual([200, 'anonymous']);
  expect(await as(bearer('something else'))).toEqual([200, 'anonymous']);
  expect(await as(bearer(KEY))).toEqual([200, 'operator']);
  expect(await as(bearer(good))).toEqual([200, 'token:agent']);
  for (const token of [expired, revoked, newSecret(), `${good}x`])
    expect((await as(bearer(token)))[0]).toBe(401);
  await open.close();
});

test('guessing is slowed down, tokens and keys together; good credentials pass meanwhile', async () => {
  const guarded = await startHttp({
    tokens: { find: (secret) => known.get(secret) ?? { state: 'unknown' } },
  });
  const statuses: number[] = [];
  for (let i = 0; i < 14; i++)
    statuses.push((await get(guarded.port, '/mcp', bearer(i % 2 ? newSecret() : `wrong-key-${i}`))).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(4).fill(429)]);
  expect((await get(guarded.port, '/mcp', bearer(good))).status).toBe(200);
  expect((await get(guarded.port, '/api/v1/status', bearer(KEY))).status).toBe(200);
  // A token that was once good is no guess: its holder is always told what became of it.
  expect((await get(guarded.port, '/mcp', bearer(expired))).status).toBe(401);
  await guarded.close();
});
