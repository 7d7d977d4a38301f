import { API_PREFIX, routes } from '../../src/contract/routes/api.ts';
import type { Route } from '../../src/contract/routes/api.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { sendRaw, type RawAnswer } from '../fixtures/http-server.ts';
import type { Attack, Scale, Tally } from './attack.ts';

/** Probes of load balancers may use any one Host; an Origin of somebody else is refused here too. */
const HEALTH_PATHS = ['/healthz', '/readyz'];

const OTHER_PATHS = [
  '/mcp',
  '/',
  '/index.html',
  ...HEALTH_PATHS,
  '/openapi.json',
  '/metrics',
  '/web/session',
  '/nothing',
];

const hosts = (port: number): Array<[string, string[], boolean]> => [
  ['ours', [`127.0.0.1:${port}`], true],
  ['our name', [`localhost:${port}`], true],
  ['IPv6', [`[::1]:${port}`], true],
  ['another', ['evil.example'], false],
  ['another with our port', [`evil.example:${port}`], false],
  ['ours as a prefix', [`localhost.evil.example:${port}`], false],
  ['a name for our address', [`127.0.0.1.nip.io:${port}`], false],
  ['another port, as by ssh -L', ['localhost:9'], true],
  ['no port', ['localhost'], true],
  ['user info', [`localhost:${port}@evil.example`], false],
  ['empty', [''], false],
  ['none', [], false],
  ['two', [`localhost:${port}`, 'evil.example'], false],
  ['two of ours', [`localhost:${port}`, `localhost:${port}`], false],
  ['private', [`192.168.1.1:${port}`], false],
  ['any', [`0.0.0.0:${port}`], false],
  ['decimal', [`2130706433:${port}`], false],
  ['short', [`127.1:${port}`], false],
  ['a dot', [`LOCALHOST.:${port}`], false],
  ['a tab', [`localhost:${port}\tevil.example`], false],
];

const origins = (port: number): Array<[string, string | undefined, boolean]> => [
  ['none', undefined, true],
  ['ours', `http://127.0.0.1:${port}`, true],
  ['null', 'null', false],
  ['foreign', 'http://evil.example', false],
  ['foreign with our port', `http://evil.example:${port}`, false],
  ['a file', 'file://', false],
  ['another port', 'http://localhost:1', false],
  ['https', `https://localhost:${port}`, false],
  ['an extension', 'chrome-extension://abcdefghijklmnop', false],
  ['empty', '', false],
];

/** Rebinding, foreign pages, simple requests, frames: on every route that there is, with the right key and without. */
export const addresses: Attack = {
  threat: 'T10',
  title: 'Host and Origin on every route, CSRF, frames',
  async run(tally, scale) {
    const proxy = await startProxy();
    try {
      const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
      await matrix({ proxy, token, tally, scale });
      await withoutKey(proxy, tally);
      await simpleRequests(proxy, tally);
      await keysInUrls(proxy, token, tally);
    } finally {
      await proxy.dispose();
    }
  },
};

function everyRoute(): Array<{ method: string; path: string }> {
  const listed = (Object.values(routes) as Route[]).map(({ method, path }) => ({
    method: method as string,
    path: API_PREFIX + path.replace(/\{\w+\}/g, 'x'),
  }));
  return [...listed, ...OTHER_PATHS.flatMap((path) => ['GET', 'POST'].map((method) => ({ method, path })))];
}

interface Ask {
  method: string;
  path: string;
  host: string[];
  more?: string[];
}

function ask(port: number, { method, path, host, more = [] }: Ask): Promise<RawAnswer> {
  const body = method === 'GET' ? '' : '{}';
  const lines = [`${method} ${path} HTTP/1.1`, ...host.map((name) => `Host: ${name}`), ...more];
  const length = body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : [];
  return sendRaw(port, [...lines, ...length, 'Connection: close'], body);
}

async function inParts<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += 32)
    await Promise.all(items.slice(from, from + 32).map(work));
}

interface Matrix {
  proxy: RunningProxy;
  token: string;
  tally: Tally;
  scale: Scale;
}

/** Every bad Host with every Origin, and every bad Origin with every good Host. Quick: each once per route. */
async function matrix({ proxy, token, tally, scale }: Matrix): Promise<void> {
  const port = Number(new URL(proxy.url).port);
  const pairs = hosts(port).flatMap((host) => origins(port).map((origin) => ({ host, origin })));
  const bad = pairs.filter(({ host, origin }) => !host[2] || !origin[2]);
  const chosen =
    scale === 'full' ? bad : bad.filter(({ host, origin }) => host[0] === 'ours' || origin[0] === 'none');
  const keys = [[`X-API-Key: ${proxy.key}`], [`Authorization: Bearer ${token}`], []];
  const tries = everyRoute().flatMap((route) =>
    chosen.map((pair, i) => ({ ...route, ...pair, key: keys[i % 3]! })),
  );
  await inParts(tries, async ({ method, path, host, origin, key }) => {
    const more = [...key, ...(origin[1] === undefined ? [] : [`Origin: ${origin[1]}`])];
    const { status, head } = await ask(port, { method, path, host: host[1], more });
    const what = `${method} ${path}, Host ${host[0]}, Origin ${origin[0]}: ${status}`;
    const isProbe = method === 'GET' && HEALTH_PATHS.includes(path) && host[1].length === 1 && origin[2];
    const expected = isProbe ? [200] : [400, 403];
    tally.held(expected.includes(status) && !head.includes('access-control'), what);
  });
  const absolute = everyRoute().map(({ method, path }) => ({ method, path: `http://evil.example${path}` }));
  await inParts(absolute, async ({ method, path }) => {
    const more = [`X-API-Key: ${proxy.key}`];
    const { status } = await ask(port, { method, path, host: [`localhost:${port}`], more });
    tally.held(status === 400, `${method} ${path}: ${status}`);
  });
  tally.figure(`${everyRoute().length} routes`);
}

async function withoutKey(proxy: RunningProxy, tally: Tally): Promise<void> {
  const port = Number(new URL(proxy.url).port);
  const open = ['/', '/index.html', ...HEALTH_PATHS, '/web/session'];
  for (const { method, path } of everyRoute()) {
    if (open.includes(path) || (method === 'GET' && path === '/openapi.json')) continue;
    const { status } = await ask(port, { method, path, host: [`127.0.0.1:${port}`] });
    tally.held(status === 401, `${method} ${path} without a key: ${status}`);
  }
}

/** What a page of another site can send without being asked first. */
async function simpleRequests(proxy: RunningProxy, tally: Tally): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
  for (const type of types) {
    for (const path of ['/mcp', '/api/v1/tools/call', '/api/v1/servers', '/web/session']) {
      const headers = { 'x-api-key': proxy.key, ...(type && { 'content-type': type }) };
      const { status } = await fetch(proxy.url + path, {
        method: 'POST',
        headers,
        body: type ? body : new Uint8Array(Buffer.from(body)),
      });
      tally.held(status === 415 || status === 400, `${path} took ${type || 'no type'}: ${status}`);
    }
  }
  for (const path of ['/', '/mcp', '/api/v1/status', '/healthz']) {
    const { headers } = await fetch(proxy.url + path, { headers: { 'x-api-key': proxy.key } });
    const policy = headers.get('content-security-policy') ?? '';
    tally.held(policy.includes("frame-ancestors 'none'"), `${path} may be framed: ${policy}`);
    tally.held(headers.get('x-content-type-options') === 'nosniff', `${path} may be sniffed`);
    tally.held(headers.get('access-control-allow-origin') === null, `${path} has CORS headers`);
    const preflight = await fetch(proxy.url + path, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    });
    const allowed = [...preflight.headers.keys()].filter((name) => name.startsWith('access-control'));
    tally.held(allowed.length === 0, `${path} answers a preflight with ${allowed.join(', ')}`);
  }
}

async function keysInUrls(proxy: RunningProxy, token: string, tally: Tally): Promise<void> {
  for (const query of [
    `api_key=${proxy.key}`,
    `apikey=${proxy.key}`,
    `access_token=${token}`,
    `x=${token}`,
  ]) {
    for (const path of ['/mcp', '/api/v1/status', '/healthz']) {
      const { status } = await fetch(`${proxy.url}${path}?${query}`, { headers: { 'x-api-key': proxy.key } });
      tally.held(status === 400, `${path}?${query.slice(0, 8)}…: ${status}`);
    }
  }
}
