import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture, fixturePath } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';
import { systemClock } from '../../lib/clock.ts';
import { LogRing } from '../connection/log-ring.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Resolve } from '../connection/secrets.ts';

afterEach(stopUpstreams);

describe('what a server may print', () => {
  test('garbage before and between messages is counted, kept in the log and ignored', async () => {
    const { call, upstreams } = await startUpstreams({ a: fixture('misbehaving.mjs', '--banner') });
    expect(textOf(await call('a', 'garbage'))).toBe('after garbage');
    const log = upstreams
      .logs('a', 100)
      .lines.map(({ text }) => text)
      .join('\n');
    expect(log).toContain('[stdout, not a message] Welcome!');
    expect(log).toContain('this is not JSON');
    expect(log).toContain('\\u{1b}[31mred');
  });

  test('answers with ids of others, repeated and late ones reach nobody', async () => {
    const { call, upstreams } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    const other = call('a', 'late', { ms: 300 });
    expect(textOf(await call('a', 'wrong_id'))).toBe('answer');
    // One of the invented ids was that of the other call: it is a real answer as far as anyone can tell, and only ever one.
    expect(['late', 'wrong']).toContain(textOf(await other));
    // Much later: an answer that arrives while our event loop is blocked counts as in time.
    await expect(call('a', 'late', { ms: 1500 }, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
    });
    await new Promise((done) => setTimeout(done, 1600));
    expect(textOf(await call('a', 'echo', { n: 1 }))).toBe('{"n":1}');
    expect(upstreams.view('a')?.state).toBe('ready');
  });

  test.each(['huge', 'id_first'])(
    'an answer over the limit fails its own call and no other: %s',
    async (tool) => {
      const { call, upstreams } = await startUpstreams({ a: fixture('misbehaving.mjs') });
      const pid = upstreams.view('a')?.pid;
      const [large, other] = await Promise.allSettled([
        call('a', tool, { bytes: 70_000_000 }),
        call('a', 'late', { ms: 100 }),
      ]);
      expect(large).toMatchObject({
        reason: { code: 'RESULT_TOO_LARGE', message: expect.stringContaining('67108864') },
      });
      expect(other.status).toBe('fulfilled');
      expect(upstreams.view('a')?.pid).toBe(pid);
    },
  );

  test('a large answer within the limit is passed on', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    expect(textOf(await call('a', 'huge', { bytes: 20_000_000 }, { timeoutMs: 250_000 }))).toHaveLength(
      20_000_000,
    );
  });

  test('a line that never ends costs that server its connection, not the proxy its memory', async () => {
    const {
      call,
      until: wait,
      upstreams,
    } = await startUpstreams({ a: fixture('misbehaving.mjs') }, { callTimeoutMs: () => 25_000 });
    const before = process.memoryUsage().rss;
    await expect(call('a', 'endless', {}, { timeoutMs: 250_000 })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    await wait(
      'a new process',
      () => upstreams.view('a')?.restarts === 1 && upstreams.view('a')?.state === 'ready',
    );
    await expect(call('a', 'echo')).resolves.toBeDefined();
  });

  test('an answer that is nested too deeply to be written again fails clearly', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await expect(call('a', 'deep', { levels: 100_000 })).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining('nested deeper than 512'),
    });
    await expect(call('a', 'deep', { levels: 400 })).resolves.toBeDefined();
  });

  test('an answer that is not UTF-8 fails clearly instead of being changed', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await expect(call('a', 'latin1')).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining('not valid UTF-8'),
    });
    await expect(call('a', 'echo')).resolves.toBeDefined();
  });

  test('an answer that is neither result nor error is a failure', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await expect(call('a', 'no_result')).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' });
  });

  test('a flood on stderr blocks nothing; the newest lines are kept, the rest counted', async () => {
    const { call, upstreams, until: wait } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    expect(textOf(await call('a', 'flood_stderr', { bytes: 100_000_000 }, { timeoutMs: 250_000 }))).toBe(
      'flooded',
    );
    await wait('the last line', () => upstreams.logs('a', 1000).lines.at(-1)?.text === 'the last line');
    const { lines, dropped } = upstreams.logs('a', 1000);
    expect(lines.length).toBeLessThanOrEqual(1000);
    expect(dropped).toBeGreaterThan(100_000);
  });

  test('a flood of progress is thinned out, and the answer still arrives', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    let seen = 0;
    await call('a', 'progress_flood', { count: 50_000 }, { onProgress: () => void seen++ });
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(5000);
  });
});

describe('what a server may ask of us', () => {
  test.each(['sampling/createMessage', 'elicitation/create'])('%s: method not found', async (method) => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    expect(JSON.parse(textOf(await call('a', 'ask_client', { method })))).toMatchObject({
      error: { code: -32601 },
    });
  });

  test('roots/list: a connection that clients share has none', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    expect(JSON.parse(textOf(await call('a', 'ask_client', { method: 'roots/list' })))).toMatchObject({
      result: { roots: [] },
    });
  });

  test('ping: answered', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    expect(JSON.parse(textOf(await call('a', 'ask_client', { method: 'ping' })))).toMatchObject({
      result: {},
    });
  });
});

describe('when a server dies', () => {
  test.each([
    ['exit_mid_call', 'exited with code 7'],
    ['crash', 'was ended by SIGKILL'],
  ])('%s: the outcome is unknown, it is not retried, and the server comes back', async (tool, how) => {
    const { call, upstreams, until: wait } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    const others = [call('a', 'never'), call('a', 'never')];
    const died = await Promise.allSettled([call('a', tool, { code: 7 }), ...others]);
    for (const one of died) {
      expect(one).toMatchObject({
        reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining(how), details: { server: 'a' } },
      });
    }
    expect(upstreams.view('a')?.last_error).toContain(how);
    await wait(
      'it to come back',
      () => upstreams.view('a')?.restarts === 1 && upstreams.view('a')?.state === 'ready',
    );
    expect(upstreams.view('a')).toMatchObject({ restarts: 1, in_flight: 0 });
    await expect(call('a', 'echo')).resolves.toBeDefined();
  });

  test('a server that ends at every start is tried with growing pauses and stays visible as failed', async () => {
    const pids = join(tempDir(), 'pids');
    const { upstreams, until: wait } = await startUpstreams({
      a: fixture('misbehaving.mjs', '--exit-at-start', '--pids', pids),
    });
    const starts = () => readFileSync(pids, 'utf8').trim().split('\n').length;
    await wait('a second try', () => starts() >= 2);
    expect(upstreams.view('a')).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('cannot find my configuration'),
    });
    expect(starts()).toBeLessThan(20);
  });
});

describe('the handshake', () => {
  test.each([
    ['the 2026-07-28 revision', ['--modern'], '2026-07-28'],
    ['the 2025 revisions', [], '2025-11-25'],
  ])('%s, with one process', async (_what, flags, protocol) => {
    const pids = join(tempDir(), 'pids');
    const { upstreams, until: wait } = await startUpstreams({
      a: fixture('misbehaving.mjs', '--pids', pids, ...flags),
    });
    expect(upstreams.view('a')).toMatchObject({
      state: 'ready',
      protocol,
      server_info: { name: 'misbehaving', version: '1.0.0' },
    });
    expect(readFileSync(pids, 'utf8').trim().split('\n')).toEqual([String(upstreams.view('a')?.pid)]);
    await upstreams.restart('a');
    await wait('it to be ready again', () => upstreams.view('a')?.state === 'ready');
    expect(upstreams.view('a')).toMatchObject({ protocol, restarts: 1 });
    expect(readFileSync(pids, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  test('a server that ends when it is asked for its revision is started again in the old way', async () => {
    const { upstreams, until: wait } = await startUpstreams({
      a: fixture('misbehaving.mjs', '--exit-on-discover'),
    });
    await wait('it to be ready', () => upstreams.view('a')?.state === 'ready');
    expect(upstreams.view('a')).toMatchObject({ protocol: '2025-11-25', restarts: 1 });
  });
});

describe('how a server is started', () => {
  test('the environment is an allow-list plus what is configured; arguments reach no shell', async () => {
    process.env.CANARY_VARIABLE = 'must not leave';
    const env = { GREETING: '${secret}', PLAIN: '$(touch /tmp/pwned) `id`' };
    const server = { ...fixture('annotated.mjs', '$(touch /tmp/pwned)', '; exit'), env };
    const { call } = await startUpstreams(
      { a: server },
      { resolve: (text) => text.replace('${secret}', 's3cr3t-value') },
    );
    const seen = JSON.parse(textOf(await call('a', 'environment'))) as Record<string, string>;
    expect(seen).toMatchObject({
      GREETING: 's3cr3t-value',
      PLAIN: '$(touch /tmp/pwned) `id`',
      PATH: process.env.PATH,
    });
    expect(Object.keys(seen)).not.toContain('CANARY_VARIABLE');
    expect(
      Object.keys(seen).filter((name) => /^(VITEST|NODE_ENV|NODE_OPTIONS|npm_(?!config_))/.test(name)),
    ).toEqual([]);
    delete process.env.CANARY_VARIABLE;
  });

  test.each([
    [
      'a dangerous variable',
      { ...fixture('annotated.mjs'), env: { LD_PRELOAD: '/tmp/evil.so' } },
      '"LD_PRELOAD" is refused',
    ],
    [
      'a program that is not there',
      { command: 'no-such-program-here' },
      '"no-such-program-here" was not found',
    ],
    [
      'a directory that is not there',
      { ...fixture('annotated.mjs'), cwd: '/no/such/dir' },
      'cwd "/no/such/dir" is not a directory',
    ],
    ['a home directory', { command: '~/bin/server' }, 'starts with "~"'],
    ['a program that may not run', { command: fixturePath('annotated.mjs') }, 'may not be executed'],
  ])('%s is named in the error', async (_what, config, text) => {
    const { upstreams } = await startUpstreams({ a: config });
    expect(upstreams.view('a')).toMatchObject({ state: 'failed', last_error: expect.stringContaining(text) });
  });

  test('secrets are shown nowhere: not in the target, the error or the log', async () => {
    const server = {
      ...fixture('misbehaving.mjs', '--exit-at-start', '--api-key', 'plain-secret-1'),
      env: { WORD: '${env:WORD}' },
    };
    const resolve: Resolve = (text, onValue) =>
      text.replace('${env:WORD}', () => {
        onValue?.('configuration');
        return 'configuration';
      });
    const { upstreams } = await startUpstreams({ a: server }, { resolve });
    const shown = JSON.stringify([upstreams.views(), upstreams.logs('a', 100)]);
    expect(shown).toContain('cannot find my ***');
    expect(shown).not.toContain('plain-secret-1');
  });

  test('a server that closes its output and lives on is ended and started again', async () => {
    const { call, upstreams, until } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await expect(call('a', 'close_output')).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      details: { reason: 'the process closed its standard output, and was ended' },
    });
    await until(
      'a new process',
      () => upstreams.view('a')?.restarts === 1 && upstreams.view('a')?.state === 'ready',
    );
    await expect(call('a', 'echo')).resolves.toBeDefined();
  });

  test('many servers are started one by one, and one that is stopped before not at all', async () => {
    const ring = new LogRing(systemClock);
    const args = ['-e', 'process.stdin.resume()'];
    const all = [1, 2, 3].map(() => new StdioTransport({ command: process.execPath, args, env: {}, ring }));
    const started = Promise.allSettled(all.map((transport) => transport.start()));
    const running = () => all.filter(({ pid }) => pid !== undefined).length;
    expect(running()).toBe(0);
    await all[2]!.close();
    expect((await started).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(running()).toBe(2);
    await Promise.all(all.map((transport) => transport.close()));
  });

  test('a server that does not read its input is not given more and more of it', async () => {
    const { call } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await call('a', 'ignore_input');
    const codes: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const big = { text: 'x'.repeat(30_000_000) };
      codes.push(await call('a', 'echo', big, { timeoutMs: 200 }).catch(({ code }) => code as unknown));
    }
    expect(codes).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT', 'SERVER_UNAVAILABLE']);
  });
});
