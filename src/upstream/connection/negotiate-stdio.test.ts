import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';

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

  test('and answers after more than the time in which it was given up before', async () => {
    const { upstreams } = await startUpstreams({
      a: fixture('slow-start.mjs', '--delay', '4000', '--modern-only'),
    });
    expect(upstreams.view('a')).toMatchObject({ state: 'ready', protocol: '2026-07-28', restarts: 0 });
  });

  test('says which answer is waited for, also to who calls its tools', async () => {
    const { upstreams, call, until } = await startUpstreams({});
    await upstreams.apply({ a: fixture('slow-start.mjs', '--after', '1000') });
    await until('it to be started', () => upstreams.view('a')?.waiting_for !== undefined);
    expect(upstreams.view('a')).toMatchObject({ state: 'connecting', waiting_for: 'first_answer' });
    await expect(call('a', 'echo')).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringMatching(/\(connecting, no answer yet after \d+ s\)/) as string,
    });
  });

  test('is tried again when its connect_timeout is over', async () => {
    const file = join(tempDir(), 'started-once');
    const server = { ...fixture('slow-start.mjs', '--once', file), connect_timeout: '5s' };
    const { upstreams, until } = await startUpstreams({ a: server });
    await until('a second start', () => upstreams.view('a')?.state === 'ready', 60_000);
    expect(upstreams.view('a')?.restarts).toBeGreaterThan(0);
    expect(upstreams.view('a')?.waiting_for).toBeUndefined();
  });

  test('names the limit and the setting when it gives no answer', async () => {
    const server = { ...fixture('slow-start.mjs', '--after', '1000'), connect_timeout: '100ms' };
    const { upstreams } = await startUpstreams({ a: server });
    expect(upstreams.view('a')).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/within 100 ms of its start; .*"connect_timeout"/) as string,
    });
  });
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
    const server = { ...fixture('slow-start.mjs', '--legacy', '--deaf'), connect_timeout: '5s' };
    const { upstreams, until } = await startUpstreams({ a: server }, IMPATIENT);
    await until('a second start', () => upstreams.view('a')?.state === 'ready', 60_000);
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
