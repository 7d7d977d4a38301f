import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';
import { QUEUE_LIMIT } from '../../load/index.ts';

afterEach(stopUpstreams);

/** Soon asked in both ways, so that no test has to wait. */
const IMPATIENT = { patienceMs: 20 };

async function connected(...flags: string[]) {
  const started = await startUpstreams({ a: fixture('slow-start.mjs', ...flags) }, IMPATIENT);
  await started.until('it to be ready', () => started.upstreams.view('a')?.state === 'ready');
  return started;
}

describe('a server that is slow to start', () => {
  test.each([
    ['knows the 2026-07-28 revision alone', ['--modern-only'], '2026-07-28'],
    ['speaks both eras', [], '2026-07-28'],
    ['refuses what it does not know, as older Python servers do', ['--legacy'], '2025-11-25'],
  ])(
    'is reached although it was asked in both ways before it read anything: it %s',
    async (_what, flags, protocol) => {
      const { upstreams, call } = await connected('--after', '2', ...flags);
      expect(upstreams.view('a')).toMatchObject({ protocol, restarts: 0, tool_count: 1 });
      expect(textOf(await call('a', 'echo', { x: 1 }))).toBe('{"x":1}');
    },
  );

  /** Two messages in its pipe stand for any length of the start: the time plays no part. */
  test.each([
    ['knows the 2026-07-28 revision alone', ['--modern-only'], ['server/discover', 'ping']],
    ['speaks both eras', [], ['server/discover', 'ping']],
    ['refuses what it does not know', ['--legacy'], ['server/discover', 'ping', 'initialize']],
    ['ignores what it does not know', ['--legacy', '--ignore'], ['server/discover', 'ping', 'initialize']],
  ])('is asked nothing more before it has started: it %s', async (_what, flags, asked) => {
    const seen = join(tempDir(), 'seen');
    const started = await startUpstreams({
      a: fixture('slow-start.mjs', '--after', '2', '--seen', seen, ...flags),
    });
    expect(started.upstreams.view('a')).toMatchObject({ state: 'ready', restarts: 0 });
    const methods = readFileSync(seen, 'utf8').split('\n');
    expect(
      methods.slice(0, methods.indexOf('tools/list')).filter((method) => !method.startsWith('notif')),
    ).toEqual(asked);
  });

  test('says which answer is waited for, also to who calls its tools', async () => {
    const { upstreams, call, until } = await startUpstreams({});
    await upstreams.apply({ a: fixture('slow-start.mjs', '--after', '1000') });
    await until('it to be started', () => upstreams.view('a')?.waiting_for !== undefined);
    expect(upstreams.view('a')).toMatchObject({ state: 'connecting', waiting_for: 'first_answer' });
    await expect(call('a', 'echo')).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringMatching(
        /is not connected \(starting, \d+ s\)\. The call was not sent; try again in a moment/,
      ) as string,
    });
  });

  test('is tried again when its startup_timeout is over', async () => {
    const file = join(tempDir(), 'started-once');
    const server = { ...fixture('slow-start.mjs', '--once', file), startup_timeout: '5s' };
    const { upstreams, until } = await startUpstreams({ a: server });
    await until('a second start', () => upstreams.view('a')?.state === 'ready', 280_000);
    expect(upstreams.view('a')?.restarts).toBeGreaterThan(0);
    expect(upstreams.view('a')?.waiting_for).toBeUndefined();
  });

  test('names the limit and the setting when it gives no answer', async () => {
    const server = { ...fixture('slow-start.mjs', '--after', '1000'), startup_timeout: '100ms' };
    const { upstreams } = await startUpstreams({ a: server });
    expect(upstreams.view('a')).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/within 100 ms of its start; .*"startup_timeout"/) as string,
    });
  });
});

describe('a call that arrives while its server starts', () => {
  const NEVER = new AbortController().signal;

  test('waits until it has started', async () => {
    const { upstreams, call } = await startUpstreams({});
    await upstreams.apply({ a: fixture('slow-start.mjs', '--after', '2') });
    await upstreams.whenStarted('a', () => 60_000, NEVER);
    expect(upstreams.view('a')?.state).toBe('ready');
    expect(upstreams.whenStarted('a', () => 60_000, NEVER)).toBeUndefined();
    expect(textOf(await call('a', 'echo', { x: 1 }))).toBe('{"x":1}');
  });

  test('waits no longer than it may, nor after its caller has gone or the server is removed', async () => {
    const { upstreams } = await startUpstreams({});
    await upstreams.apply({ a: fixture('slow-start.mjs', '--after', '1000') });
    await upstreams.whenStarted('a', () => 1, NEVER);
    expect(upstreams.view('a')?.state).toBe('connecting');
    const gone = new AbortController();
    const left = upstreams.whenStarted('a', () => 600_000, gone.signal);
    gone.abort();
    await left;
    const removed = upstreams.whenStarted('a', () => 600_000, NEVER);
    await upstreams.apply({});
    await removed;
  });
});

test('of the calls that wait for a server that starts, those beyond the limit are refused', async () => {
  const { upstreams } = await startUpstreams({});
  await upstreams.apply({ a: fixture('slow-start.mjs', '--after', '1000') });
  const wait = () => upstreams.whenStarted('a', () => 600_000, new AbortController().signal);
  const waiting = Array.from({ length: QUEUE_LIMIT }, wait);
  expect(wait).toThrow(
    expect.objectContaining({
      code: 'SERVER_BUSY',
      message: `Server 'a' is starting, and ${QUEUE_LIMIT} calls wait for it already. The call was not sent; try again in a moment.`,
      details: { server: 'a', queue: QUEUE_LIMIT, sent: false, retry_after_s: 1 },
    }),
  );
  await upstreams.apply({});
  for (const one of waiting) await one;
});

describe('a server that does not know server/discover', () => {
  test('and leaves it unanswered is reached by initialize', async () => {
    const { upstreams } = await connected('--legacy', '--ignore');
    expect(upstreams.view('a')).toMatchObject({ protocol: '2025-11-25', restarts: 0 });
  });

  test('and exits is restarted with initialize, without a failure', async () => {
    const { upstreams, states } = await connected('--legacy', '--exit');
    expect(upstreams.view('a')).toMatchObject({ protocol: '2025-11-25', restarts: 1 });
    expect(states).toEqual(['a connecting', 'a ready']);
  });

  test('and never answers is restarted with initialize after the time-out', async () => {
    const server = { ...fixture('slow-start.mjs', '--legacy', '--deaf'), startup_timeout: '5s' };
    const { upstreams, until } = await startUpstreams({ a: server }, IMPATIENT);
    await until('a second start', () => upstreams.view('a')?.state === 'ready', 280_000);
    expect(upstreams.view('a')).toMatchObject({ protocol: '2025-11-25', restarts: 1 });
  });
});

test('a server that exits at an unexpected initialize is restarted without one', async () => {
  const file = join(tempDir(), 'started-once');
  const { upstreams } = await connected('--after', '2', '--once', file, '--exit-on-initialize');
  expect(upstreams.view('a')).toMatchObject({ protocol: '2026-07-28', restarts: 1 });
});

test('a server that wants a pong before it answers gets one', async () => {
  const { upstreams } = await connected('--ping');
  expect(upstreams.view('a')).toMatchObject({ state: 'ready', protocol: '2026-07-28' });
});
