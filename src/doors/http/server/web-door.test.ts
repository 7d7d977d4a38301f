import { createHmac } from 'node:crypto';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEY, silent } from '../../../../test/fixtures/http-server.ts';
import { ownAddress } from '../../../../test/fixtures/own-address.ts';
import { sendJson } from '../answer.ts';
import { newSecret } from '../../../token/secret.ts';
import type { TokenLookup } from '../../../token/token-index.ts';
import { createGuard } from '../guard/guard.ts';
import { createLoginLinks, loginUrl, type LoginLinks } from '../guard/login-links.ts';
import { createPageFiles } from './page-files.ts';
import { createHttpServer, type HttpServer, type HttpServerParts } from './server.ts';
import { createWebDoor } from './web-door.ts';
import { createWebSessions } from '../guard/web-sessions.ts';

let dir: string;
let server: HttpServer;
let url: string;
let links: LoginLinks;
let now: number;
let apiKey: string;

const HOST = ownAddress();
const TOKEN = newSecret();
const denied: string[] = [];

function findToken(secret: string): TokenLookup {
  if (secret !== TOKEN) return { state: 'unknown' };
  const token = { id: '1', name: 'agent', scope: { operations: ['read' as const] } };
  return { state: 'active', identity: { principal: 'token:agent', userId: 'local', token } };
}

async function start(
  rest: HttpServerParts['rest'] = () => Promise.resolve(Response.json({ rest: true })),
  port = 0,
): Promise<{ server: HttpServer; url: string }> {
  const clock = { now: () => now };
  const endedFile = join(dir, 'ended_sessions.json');
  const sessions = createWebSessions({ apiKey: () => apiKey, clock, endedFile });
  const settings = () => ({ apiKey, requireMcpAuth: true, allowedHosts: [], listenHost: HOST });
  const guard = createGuard({ settings, tokens: { find: findToken }, log: silent, clock, sessions });
  const made = createHttpServer({
    guard,
    web: createWebDoor({ guard, sessions, links, page: createPageFiles(dir) }),
    mcp: (_req, res) => sendJson(res, 200, { mcp: true }),
    rest,
    ready: () => ({ ready: true, states: {}, log: 'ok' }),
    rejectedRequests: { add: () => undefined, flush: () => undefined },
    connections: () => 1_024,
    badRequests: { add: (error) => void denied.push(error.message), flush: () => undefined },
    log: silent,
  });
  return { server: made, url: (await made.listen(HOST, port)).url };
}

beforeEach(async () => {
  now = 1_800_000_000_000;
  apiKey = KEY;
  links = createLoginLinks({ now: () => now });
  dir = mkdtempSync(join(tmpdir(), 'page-'));
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(dir, 'assets', 'app-1.js'), 'export {}');
  writeFileSync(join(dir, 'secret.txt'), 'not a file of the page');
  ({ server, url } = await start());
});
afterEach(async () => {
  await server.close(1000);
  rmSync(dir, { recursive: true });
});

const logIn = (body: unknown) =>
  fetch(`${url}/web/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function session(body: unknown = { key: KEY }): Promise<{ cookie: string; csrf: string }> {
  const answer = await logIn(body);
  expect(answer.status).toBe(200);
  const { csrf } = (await answer.json()) as { csrf: string };
  return { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, csrf };
}

describe('the page', () => {
  test('its files need no key, and a policy keeps everything else out of it', async () => {
    const pages = readFileSync(new URL('../../../../web/src/shell/pages.ts', import.meta.url), 'utf8');
    const views = [...pages.matchAll(/path: '([^']+)'/g)].map(([, path]) => path!);
    expect(views).toContain('/audit');
    for (const path of [...views, '/index.html']) {
      const answer = await fetch(url + path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('<title>page</title>');
      expect(answer.headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'",
      );
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const asset = await fetch(`${url}/assets/app-1.js`);
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect(asset.headers.get('content-type')).toContain('text/javascript');
  });

  test('nothing else comes from the disk', async () => {
    for (const path of [
      '/secret.txt',
      '/assets/../secret.txt',
      '/assets/..%2fsecret.txt',
      '/nothing',
      '//etc',
    ])
      expect((await fetch(url + path)).status).toBe(401);
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(405);
  });

  test('an installation without the page still serves its API', async () => {
    const page = createPageFiles(join(dir, 'missing'));
    expect(page({ method: 'GET', headers: {} } as never, {} as never, '/')).toBe(false);
  });
});

describe('logging in', () => {
  test('by key: a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await logIn({ key: KEY });
    expect(answer.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(await answer.text()).not.toContain(KEY);
    expect(answer.headers.get('set-cookie')).not.toContain(KEY);
  });

  test('by link: once, and in time', async () => {
    const { code } = links.create();
    expect(loginUrl(url, code)).toBe(`${url}/#login=${code}`);
    await session({ code });
    expect((await logIn({ code })).status).toBe(401);
    const late = links.create();
    now += 10 * 60_000;
    expect((await logIn({ code: late.code })).status).toBe(401);
  });

  test('wrong keys and wrong codes are counted together and slowed down', async () => {
    for (let i = 0; i < 5; i++) {
      expect((await logIn({ key: 'wrong' })).status).toBe(401);
      expect((await logIn({ code: 'wrong' })).status).toBe(401);
    }
    expect((await logIn({ code: 'wrong' })).status).toBe(429);
    await session();
  });

  test.each([[{}], [{ key: 1 }], [{ key: KEY, code: 'both' }], ['text'], [null]])(
    '%j is no log-in',
    async (body) => expect((await logIn(body)).status).toBe(400),
  );

  test('a body that is too long to be a log-in is not read', async () => {
    expect((await logIn({ key: 'x'.repeat(5000) })).status).toBe(413);
  });

  test('what an HTML form can send is refused', async () => {
    const form = await fetch(`${url}/web/session`, {
      method: 'POST',
      body: new URLSearchParams({ key: KEY }),
    });
    expect(form.status).toBe(415);
  });
});

describe('a session', () => {
  /** Unlike fetch it sends what only browsers may set. */
  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(url + path, { headers, agent: false }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const get = (cookie: string, path = '/api/v1/status') => fetch(url + path, { headers: { cookie } });
  const post = (cookie: string, headers: Record<string, string>) =>
    fetch(`${url}/api/v1/servers`, { method: 'POST', headers: { cookie, ...headers } });

  test('reads with the cookie, changes with the second value only', async () => {
    const { cookie, csrf } = await session();
    expect((await get(cookie)).status).toBe(200);
    expect((await post(cookie, {})).status).toBe(403);
    expect((await post(cookie, { 'x-mcpproxy-csrf': 'x' })).status).toBe(403);
    expect((await post(cookie, { 'x-mcpproxy-csrf': csrf })).status).toBe(200);
    expect((await post(cookie, { 'x-mcpproxy-csrf': csrf, origin: 'http://evil.com' })).status).toBe(403);
    expect((await post('', { 'x-mcpproxy-csrf': csrf })).status).toBe(401);
  });

  test('opens nothing for a page at another port, with which browsers send it too', async () => {
    const { cookie } = await session();
    for (const [site, status] of [
      ['same-site', 401],
      ['cross-site', 401],
      ['same-origin', 200],
      ['none', 200],
    ] as const) {
      const headers = { cookie, 'sec-fetch-site': site };
      expect([site, await statusOf('/api/v1/events', headers)]).toEqual([site, status]);
    }
  });

  test('never opens /mcp', async () => {
    const { cookie, csrf } = await session();
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(
        (await fetch(`${url}/mcp`, { method, headers: { cookie, 'x-mcpproxy-csrf': csrf } })).status,
      ).toBe(401);
  });

  test('the second value cannot be had with the cookie alone', async () => {
    const { cookie, csrf } = await session();
    const answer = await (await get(cookie, '/web/session')).text();
    expect(JSON.parse(answer)).toMatchObject({ logged_in: true });
    expect(answer).not.toContain(csrf);
  });

  test('of another session does not fit', async () => {
    const [one, other] = [await session(), await session()];
    expect((await post(one.cookie, { 'x-mcpproxy-csrf': other.csrf })).status).toBe(403);
  });

  test('a session whose expiry is not a valid time is rejected, even with a valid signature', async () => {
    const id = `${'9'.repeat(16)}.nonce`;
    const mac = createHmac('sha256', KEY).update(`mcpproxy web session ${id}`).digest('base64url');
    const cookie = `mcpproxy_session_${new URL(url).port}=${id}.${mac}`;
    const answer = await fetch(`${url}/web/session`, { headers: { cookie } });
    expect(await answer.json()).toEqual({ logged_in: false });
  });

  test('changed anywhere, it is none', async () => {
    const { cookie } = await session();
    const start = cookie.indexOf('=') + 1;
    for (let i = start; i < cookie.length; i++) {
      const letter = cookie[i] === '1' ? '2' : '1';
      expect((await get(cookie.slice(0, i) + letter + cookie.slice(i + 1))).status).toBe(401);
    }
  });

  test('ends after twelve hours, with the log-out, and with the key', async () => {
    const { cookie, csrf } = await session();
    const leave = (headers: Record<string, string>) =>
      fetch(`${url}/web/session`, { method: 'DELETE', headers: { cookie, ...headers } });
    expect((await leave({})).status).toBe(403);
    expect((await get(cookie)).status).toBe(200);
    expect((await leave({ 'x-mcpproxy-csrf': csrf })).status).toBe(200);
    expect((await get(cookie)).status).toBe(401);

    const long = await session();
    now += 12 * 3_600_000 - 1;
    expect((await get(long.cookie)).status).toBe(200);
    now += 1;
    expect((await get(long.cookie)).status).toBe(401);

    const rotated = await session();
    apiKey = 'another-key-0123456789abcdef';
    expect((await get(rotated.cookie)).status).toBe(401);
  });

  const logOut = ({ cookie, csrf }: { cookie: string; csrf: string }) =>
    fetch(`${url}/web/session`, { method: 'DELETE', headers: { cookie, 'x-mcpproxy-csrf': csrf } });

  test('that was logged out stays so after a restart, and another one is good', async () => {
    const [one, other] = [await session(), await session()];
    expect((await logOut(one)).status).toBe(200);
    await server.close(1000);
    ({ server, url } = await start(undefined, Number(new URL(url).port)));
    const again = (cookie: string) => statusOf('/api/v1/status', { cookie });
    expect([await again(one.cookie), await again(other.cookie)]).toEqual([401, 200]);
  });

  test('takes along what it has opened, and nothing of another one', async () => {
    await server.close(1000);
    const opened: Array<AbortSignal | undefined> = [];
    ({ server, url } = await start((_request, { until }) => {
      opened.push(until);
      const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('begun')) });
      return Promise.resolve(new Response(body));
    }));
    const [one, other] = [await session(), await session()];
    const [mine, theirs] = [await get(one.cookie), await get(other.cookie)];
    const ended = mine.text().catch(() => 'cut');
    await logOut(one);
    expect(await ended).toBe('cut');
    expect(opened.map((until) => until?.aborted)).toEqual([true, false]);
    await theirs.body!.cancel();
  });

  test('belongs to one port of the machine', async () => {
    const { cookie } = await session();
    const second = await start();
    try {
      expect((await fetch(`${second.url}/api/v1/status`, { headers: { cookie } })).status).toBe(401);
    } finally {
      await second.server.close(1000);
    }
  });
});

test('the token of an agent logs nobody in, and the attempt is recorded', async () => {
  denied.length = 0;
  const answer = await logIn({ key: TOKEN });
  expect(answer.status).toBe(403);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await answer.text()).not.toContain(TOKEN);
  expect(denied).toEqual([expect.stringContaining("Token 'agent' is for an agent")]);
});
