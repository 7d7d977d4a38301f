import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixtures/start.ts';
import { tempDir } from '../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../test/fixtures/upstreams.ts';

afterEach(stopUpstreams);

describe('apply', () => {
  test('keeps the process of a server whose start settings are the same', async () => {
    const { upstreams, call } = await startUpstreams({
      a: fixture('annotated.mjs'),
      b: fixture('annotated.mjs'),
    });
    const pidOf = (name: string) => upstreams.view(name)?.pid;
    const [a, b] = [pidOf('a'), pidOf('b')];
    const slow = call('a', 'slow', { ms: 500 });
    const changed = {
      ...fixture('annotated.mjs'),
      tools: { read_only: { enabled: false } },
      timeout: '2s',
      concurrency: 2,
    };
    await upstreams.apply({ a: changed, b: fixture('annotated.mjs', '--name', 'other') });
    await upstreams.settled();
    expect(pidOf('a')).toBe(a);
    expect(pidOf('b')).not.toBe(b);
    expect(upstreams.view('b')?.server_info?.name).toBe('other');
    await expect(slow).resolves.toBeDefined();
    await expect(call('a', 'slow', { ms: 5000 })).rejects.toMatchObject({ details: { limit_ms: 2000 } });
  });

  test('a hundred reloads under load fail no call to an untouched server', async () => {
    const { upstreams, call } = await startUpstreams({ kept: fixture('annotated.mjs') });
    const pid = upstreams.view('kept')?.pid;
    const over = new AbortController();
    const load = (async () => {
      let count = 0;
      for (; !over.signal.aborted; count++) await call('kept', 'read_only', { text: String(count) });
      return count;
    })();
    for (let i = 0; i < 100; i++) {
      await upstreams.apply({
        kept: { ...fixture('annotated.mjs'), concurrency: 1 + (i % 5) },
        ...(i % 10 === 0 && { other: fixture('annotated.mjs') }),
      });
    }
    over.abort();
    expect(await load).toBeGreaterThan(0);
    expect(upstreams.view('kept')).toMatchObject({ pid, restarts: 0, state: 'ready' });
  });

  test('a reopened server keeps its tools, and callers are told to retry', async () => {
    const withEnv = (env: Record<string, string>) => ({ ...fixture('misbehaving.mjs'), env });
    const { upstreams, call, tools, states } = await startUpstreams({ a: withEnv({ TOKEN: 'one' }) });
    const told: unknown[] = [];
    upstreams.onTools((_server, list) => told.push(list === null ? 'gone' : list.length));
    const before = tools.get('a')!.length;
    const applied = upstreams.apply({ a: withEnv({ TOKEN: 'two' }) });
    await Promise.resolve();
    const again = { server: 'a', state: 'connecting', sent: false, retry_after_s: 1 };
    await expect(call('a', 'echo')).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringContaining('The call was not sent; try again in a moment.') as string,
      details: again,
    });
    await applied;
    await upstreams.settled();
    expect([told, states]).toEqual([[before], ['a connecting', 'a ready', 'a connecting', 'a ready']]);
    await expect(call('a', 'echo')).resolves.toBeDefined();
    const restarting = upstreams.restart('a');
    await expect(call('a', 'echo')).rejects.toMatchObject({ details: again });
    await restarting;
  });

  test('removing a server fails what is in flight and tells that its tools are gone', async () => {
    const { upstreams, call, tools } = await startUpstreams({ a: fixture('annotated.mjs') });
    const running = call('a', 'slow', { ms: 20_000 });
    const waiting = expect(running).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await upstreams.apply({});
    await waiting;
    expect(tools.get('a')).toBeNull();
    expect(upstreams.view('a')).toBeUndefined();
    await expect(call('a', 'read_only')).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
  });

  test('switched off and on again', async () => {
    const { upstreams, tools, states } = await startUpstreams({ a: fixture('annotated.mjs') });
    await upstreams.apply({ a: { ...fixture('annotated.mjs'), enabled: false } });
    expect(upstreams.view('a')).toMatchObject({ state: 'disabled', enabled: false, tool_count: 0 });
    expect(upstreams.view('a')?.pid).toBeUndefined();
    expect(tools.get('a')).toBeNull();
    await expect(upstreams.restart('a')).rejects.toMatchObject({ code: 'CONFLICT' });
    await upstreams.apply({ a: fixture('annotated.mjs') });
    await upstreams.settled();
    expect(upstreams.view('a')).toMatchObject({ state: 'ready', enabled: true });
    expect(tools.get('a')?.length).toBeGreaterThan(10);
    expect(states).toEqual(['a connecting', 'a ready', 'a disabled', 'a connecting', 'a ready']);
  });

  test('servers with awkward names are like any other', async () => {
    const { upstreams, call } = await startUpstreams({
      constructor: fixture('annotated.mjs'),
      toString: fixture('annotated.mjs', '--legacy'),
    });
    expect(upstreams.views().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'constructor ready',
      'toString ready',
    ]);
    await expect(call('constructor', 'read_only')).resolves.toBeDefined();
  });
});

describe('restart, logs, settled, close', () => {
  test('restart gives a new process and says so', async () => {
    const { upstreams } = await startUpstreams({ a: fixture('annotated.mjs') });
    const before = upstreams.view('a');
    const after = await upstreams.restart('a');
    expect(after).toMatchObject({ state: 'ready', restarts: 1 });
    expect(after.pid).not.toBe(before?.pid);
    await expect(upstreams.restart('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(() => upstreams.logs('nobody', 1)).toThrow(/Server 'nobody' not found/);
  });

  test('settled does not wait for ever', async () => {
    const { upstreams } = await startUpstreams({});
    void upstreams.apply({ a: fixture('misbehaving.mjs', '--silent') });
    await upstreams.settled(200);
    expect(upstreams.view('a')?.state).toBe('connecting');
  });

  test.each([
    ['--silent', 1],
    ['--silent-list', 2],
  ])(
    'a server that is being connected can be taken away: %s',
    async (how, notes) => {
      const file = join(tempDir(), 'pids');
      const noted = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
      const { upstreams, until } = await startUpstreams({});
      await upstreams.apply({ a: fixture('misbehaving.mjs', how, '--pids', file) });
      await until('its process', () => noted().length === notes);
      await upstreams.apply({});
      expect(exists(() => process.kill(Number(noted()[0]), 0))).toBe(false);
      // Without waiting for an answer: that may take half a minute.
    },
    25_000,
  );

  test('after close nothing is started', async () => {
    const { upstreams } = await startUpstreams({});
    await upstreams.close();
    await upstreams.apply({ a: fixture('annotated.mjs') });
    expect(upstreams.views()).toEqual([]);
  });

  test('the public object has no way to call a tool', async () => {
    const { upstreams } = await startUpstreams({ a: fixture('annotated.mjs') });
    expect(Object.keys(upstreams).sort()).toEqual([
      'apply',
      'close',
      'has',
      'logIns',
      'logs',
      'onItems',
      'onTools',
      'restart',
      'retireClient',
      'settled',
      'test',
      'unwatch',
      'view',
      'views',
      'whenStarted',
    ]);
  });
});

describe('tools', () => {
  test.each(['--legacy', '--modern'])('announced changes are applied: %s', async (era) => {
    const { call, tools, until } = await startUpstreams({ a: fixture('annotated.mjs', era) });
    const hintsOf = (name: string) => tools.get('a')?.find((tool) => tool.name === name)?.annotations;
    expect(hintsOf('switchable')).toEqual({ readOnlyHint: false, destructiveHint: true });
    await call('a', 'set_annotations', { tool: 'switchable', annotations: { readOnlyHint: true } });
    await until('the new hints', () => hintsOf('switchable')?.readOnlyHint === true);
    await call('a', 'add_tool', { name: 'later' });
    await until('the new tool', () => tools.get('a')?.some(({ name }) => name === 'later') === true);
  });

  test('unknown fields of a tool are kept', async () => {
    const { tools } = await startUpstreams({ a: fixture('annotated.mjs') });
    const rich = tools.get('a')?.find(({ name }) => name === 'rich');
    expect(rich).toMatchObject({ 'x-vendor': { kept: true }, annotations: { customHint: 'kept' } });
  });

  test('all pages are read', async () => {
    const { tools } = await startUpstreams({
      a: fixture('annotated.mjs'),
      b: fixture('annotated.mjs', '--page-size', '3'),
    });
    expect(tools.get('b')).toEqual(tools.get('a'));
  });

  test('a list without end is cut, impossible names are left out, a missing schema is filled in', async () => {
    const { tools, upstreams } = await startUpstreams({
      loop: fixture('misbehaving.mjs', '--looping-list'),
      names: fixture('misbehaving.mjs', '--bad-names'),
      good: fixture('misbehaving.mjs'),
    });
    const names = (server: string) => tools.get(server)?.map(({ name }) => name);
    expect(names('loop')).toEqual(names('good'));
    expect(names('names')).toEqual([...names('good')!, 'no_schema']);
    expect(tools.get('names')?.at(-1)).toEqual({ name: 'no_schema', inputSchema: { type: 'object' } });
    expect(upstreams.view('names')?.tool_count).toBe(tools.get('names')?.length);
  });

  test('tools stay known while a server is away', async () => {
    const { call, tools, upstreams, until } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    await call('a', 'crash').catch(() => undefined);
    expect(tools.get('a')?.length).toBeGreaterThan(5);
    await until(
      'it to be back',
      () => upstreams.view('a')?.restarts === 1 && upstreams.view('a')?.state === 'ready',
    );
  });
});

describe('states', () => {
  test('several failed calls in a row degrade a server, a good one restores it', async () => {
    const { call, upstreams, states } = await startUpstreams({ a: fixture('misbehaving.mjs') });
    for (let i = 0; i < 3; i++) await call('a', 'never', {}, { timeoutMs: 50 }).catch(() => undefined);
    expect(upstreams.view('a')).toMatchObject({
      state: 'degraded',
      last_error: expect.stringContaining("no answer to 'never'"),
    });
    await call('a', 'echo');
    expect(upstreams.view('a')?.state).toBe('ready');
    expect(upstreams.view('a')?.last_error).toBeUndefined();
    expect(states).toEqual(['a connecting', 'a ready', 'a degraded', 'a ready']);
  });
});

describe('builtin servers', () => {
  const tasks = async () => {
    const server = new McpServer({ name: 'inside', version: '1.0.0' });
    const inputSchema = fromJsonSchema<{ n: number }>({
      type: 'object',
      properties: { n: { type: 'number' } },
    });
    server.registerTool('double', { inputSchema }, async ({ n }) => ({
      content: [{ type: 'text', text: String(2 * n) }],
    }));
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    return ours;
  };

  test('are reached like every other, and marked', async () => {
    const seen: boolean[] = [];
    const { call, upstreams } = await startUpstreams({}, { builtin: { inside: tasks } });
    upstreams.onTools((_server, _tools, { builtin }) => seen.push(builtin));
    expect(upstreams.view('inside')).toMatchObject({
      transport: 'builtin',
      target: 'built in',
      state: 'ready',
      tool_count: 1,
    });
    expect(textOf(await call('inside', 'double', { n: 21 }))).toBe('42');
    await upstreams.restart('inside');
    expect(textOf(await call('inside', 'double', { n: 4 }))).toBe('8');
  });

  test('give way to a configured server of the same name', async () => {
    const { upstreams } = await startUpstreams(
      { inside: fixture('annotated.mjs') },
      { builtin: { inside: tasks } },
    );
    expect(upstreams.view('inside')).toMatchObject({ transport: 'stdio', state: 'ready' });
    const told: unknown[] = [];
    upstreams.onTools((_server, list) => told.push(list?.map(({ name }) => name) ?? 'gone'));
    await upstreams.apply({});
    await upstreams.settled();
    expect(upstreams.view('inside')).toMatchObject({ transport: 'builtin', state: 'ready' });
    expect(told).toEqual(['gone', ['double']]);
  });
});

function exists(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

test.each(['legacy', 'modern'])(
  'a server that announces list_changed every 50 ms is still re-listed within seconds (%s)',
  async (era) => {
    const { tools, until } = await startUpstreams({ a: fixture('announcing.mjs', era) });
    const first = tools.get('a')?.[0]?.name;
    expect(first).toMatch(/^tool_/);
    await until('another listing', () => tools.get('a')?.[0]?.name !== first);
  },
);
