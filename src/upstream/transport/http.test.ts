import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownAddress } from '../../../test/fixtures/own-address.ts';
import { startHttpFixture, type HttpFixture } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';

afterEach(stopUpstreams);

async function http(path: string, ...args: string[]): Promise<HttpFixture> {
  const server = await startHttpFixture('http-echo.mjs', path, ...args);
  onTestFinished(() => server.stop());
  return server;
}

interface Logged {
  method: string;
  headers: Record<string, string>;
  /** Not where it is no request that is told of, but a cancellation. */
  body?: string;
}

function requests(file: string): Logged[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line) as Logged);
}

const callsOf = (file: string, tool: string) =>
  requests(file).filter(({ body = '' }) => body.includes('"tools/call"') && body.includes(`"${tool}"`))
    .length;

describe.each([
  ['2025', '2025-11-25'],
  ['2026', '2026-07-28'],
  ['both', '2026-07-28'],
])('Streamable HTTP, a server of era %s', (era, protocol) => {
  test('is negotiated, listed and called', async () => {
    const { url } = await http('/mcp', '--era', era);
    const { call, upstreams, tools } = await startUpstreams({ web: { url } });
    expect(upstreams.view('web')).toMatchObject({ state: 'ready', transport: 'http', protocol, target: url });
    expect(tools.get('web')?.map(({ name }) => name)).toContain('echo');
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) => call('web', 'echo', { text: `nonce ${n}` })),
    );
    expect(results.map(textOf)).toEqual(Array.from({ length: 40 }, (_, n) => `nonce ${n}`));
  });

  test('gives progress, failures and results', async () => {
    const { url } = await http('/mcp', '--era', era);
    const { call } = await startUpstreams({ web: { url } });
    const seen: number[] = [];
    await call('web', 'progress', { steps: 5 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    await expect(call('web', 'fails')).resolves.toMatchObject({ isError: true });
  });

  test('announces changes of its list', async () => {
    const log = join(tempDir(), 'log');
    const { url } = await http('/mcp', '--era', era, '--log', log);
    const { call, tools, until } = await startUpstreams({ web: { url } });
    // The stream for announcements is opened beside the first calls.
    await until('the stream', () =>
      requests(log).some(({ method, body }) => method === 'GET' || body?.includes('"subscriptions/listen"')),
    );
    await call('web', 'add_tool', { name: 'newcomer' });
    await until('the new tool', () => tools.get('web')?.some(({ name }) => name === 'newcomer') === true);
    expect(textOf(await call('web', 'newcomer'))).toBe('newcomer');
  });

  test('is told when a call is cancelled or out of time', async () => {
    const log = join(tempDir(), 'log');
    const { url } = await http('/mcp', '--era', era, '--log', log);
    const { call, until } = await startUpstreams({ web: { url } });
    // Time enough to arrive, also on a busy machine: a server that was not reached cannot be told.
    await expect(call('web', 'slow', { ms: 50_000 }, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
    });
    await until('the first cancellation', () => readFileSync(log, 'utf8').includes('{"cancelled":true}'));
    const caller = new AbortController();
    const running = call('web', 'slow', { ms: 50_000 }, { signal: caller.signal });
    const begun = until('the second call', () => callsOf(log, 'slow') === 2).then(() => caller.abort());
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    await begun;
    await until('the second', () => readFileSync(log, 'utf8').split('{"cancelled":true}').length === 3);
  });
});

describe('headers', () => {
  test('configured ones are sent with every request, secrets in place and shown nowhere; nothing of a caller is', async () => {
    const log = join(tempDir(), 'log');
    const { url } = await http('/mcp', '--key', 'top-secret-key', '--log', log);
    const { call, upstreams } = await startUpstreams(
      { web: { url, headers: { 'X-API-Key': '${env:KEY}' } } },
      { resolve: (text) => text.replace('${env:KEY}', 'top-secret-key') },
    );
    await call('web', 'echo', { text: 'x' });
    const sent = requests(log);
    expect(sent.length).toBeGreaterThan(2);
    for (const { headers } of sent) {
      expect(headers['x-api-key']).toBe('top-secret-key');
      expect(Object.keys(headers).filter((name) => /cookie|authorization|x-forwarded/.test(name))).toEqual(
        [],
      );
    }
    expect(JSON.stringify(upstreams.views())).not.toContain('top-secret-key');
  });

  test('2026-07-28: method, name and declared parameters are repeated as headers', async () => {
    const log = join(tempDir(), 'log');
    const { url } = await http('/mcp', '--log', log);
    const { call } = await startUpstreams({ web: { url } });
    expect(textOf(await call('web', 'region', { region: 'Zürich ' }))).toBe('Zürich ');
    // Asked by its method: the server may have been asked for something else in the meantime.
    const sent = requests(log).find(({ headers }) => headers['mcp-method'] === 'tools/call');
    expect(sent?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'region',
      'mcp-param-region': `=?base64?${Buffer.from('Zürich ').toString('base64')}?=`,
    });
  });

  test('wrong credentials: failed, with what to check', async () => {
    const { url } = await http('/mcp', '--key', 'right');
    const { upstreams } = await startUpstreams({ web: { url, headers: { 'x-api-key': 'wrong' } } });
    expect(upstreams.view('web')).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/HTTP 401.*"headers"/),
    });
  });
});

describe('addresses', () => {
  test('a redirect within the origin is followed, one to elsewhere is not', async () => {
    const server = await http('/moved');
    const { call, upstreams } = await startUpstreams({
      moved: { url: server.url },
      away: { url: server.url.replace('/moved', '/away') },
    });
    expect(textOf(await call('moved', 'echo', { text: 'followed' }))).toBe('followed');
    expect(upstreams.view('away')).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/redirect/i),
    });
  });

  test('nobody there: failed, with the reason', async () => {
    const { upstreams } = await startUpstreams({
      web: { url: 'http://127.0.0.1:1/mcp' },
      bad: { url: 'http://' },
    });
    expect(upstreams.view('web')).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('ECONNREFUSED'),
    });
    expect(upstreams.view('bad')).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('Invalid URL'),
    });
  });
});

describe('legacy SSE', () => {
  async function sse(): Promise<HttpFixture> {
    const server = await startHttpFixture('legacy-sse.mjs', '/sse');
    onTestFinished(() => server.stop());
    return server;
  }

  test.each([['sse' as const], [undefined]])('type %s: connected, called, with progress', async (type) => {
    const { url } = await sse();
    const { call, upstreams } = await startUpstreams({
      old: { url, ...(type && { type }), headers: { 'x-canary': 'yes' } },
    });
    expect(upstreams.view('old')).toMatchObject({ state: 'ready', transport: 'sse' });
    expect(textOf(await call('old', 'echo', { text: 'hi' }))).toBe('hi');
    const seen: number[] = [];
    await call('old', 'progress', { steps: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    expect(JSON.parse(textOf(await call('old', 'headers')))).toMatchObject({ 'x-canary': 'yes' });
  });

  test('type "http" does not fall back', async () => {
    const { url } = await sse();
    const { upstreams } = await startUpstreams({ old: { url, type: 'http' } });
    expect(upstreams.view('old')).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('404'),
    });
  });

  test('a broken stream: outcome unknown, then a new connection', async () => {
    const { url } = await sse();
    const { call, upstreams, until } = await startUpstreams({ old: { url } });
    await expect(call('old', 'drop')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await until(
      'a new connection',
      () => upstreams.view('old')?.restarts === 1 && upstreams.view('old')?.state === 'ready',
    );
    expect(textOf(await call('old', 'echo', { text: 'again' }))).toBe('again');
  });
});

describe('when a server stops', () => {
  test('a forgotten session: the call was not made, the next one works', async () => {
    const { url } = await http('/mcp', '--era', '2025');
    const { call, upstreams, until } = await startUpstreams({ web: { url } });
    await call('web', 'forget_sessions');
    // It forgets them a moment after it has answered; until then calls work.
    const refused = () =>
      call('web', 'echo').then(
        () => undefined,
        (error: unknown) => error,
      );
    await expect.poll(refused).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringContaining('no longer knows the session'),
    });
    await until(
      'a new session',
      () => upstreams.view('web')?.restarts === 1 && upstreams.view('web')?.state === 'ready',
    );
    expect(textOf(await call('web', 'echo', { text: 'back' }))).toBe('back');
  });

  test('killed during a call: outcome unknown; not reachable: unavailable; back again: ready', async () => {
    const log = join(tempDir(), 'log');
    const host = ownAddress();
    const first = await http('/mcp', '--host', host, '--log', log);
    const { call, upstreams, until } = await startUpstreams({ web: { url: first.url } });
    const running = call('web', 'slow', { ms: 50_000 });
    const gone = until('the call to arrive', () => callsOf(log, 'slow') === 1).then(() => first.stop());
    await expect(running).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      details: { server: 'web', tool: 'slow' },
    });
    // While the process is dying, a kept connection may still take a request; once it is dead, nothing does.
    await gone;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(call('web', 'echo')).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
    await until('the loss to be noticed', () => upstreams.view('web')?.state !== 'ready');
    await http('/mcp', '--host', host, '--port', String(first.port));
    await until('it to be back', () => upstreams.view('web')?.state === 'ready');
    expect(textOf(await call('web', 'echo', { text: 'back' }))).toBe('back');
  });
});
