import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture, officialServer } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';
import { createDispatch } from './dispatch.ts';
import type { Upstreams } from '../upstreams.ts';

afterEach(stopUpstreams);

describe.each(['--legacy', '--modern'])('stdio, annotated server %s', (era) => {
  test('the result is passed on untouched: every content type, structured content, meta, unknown fields', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs', era) });
    const result = await call('a', 'rich');
    expect(result.content?.map(({ type }) => type)).toEqual([
      'text',
      'image',
      'audio',
      'resource_link',
      'resource',
      'hologram',
    ]);
    expect(result).toMatchObject({
      structuredContent: { a: { b: [1, null, true, 'x'] } },
      _meta: { 'vendor/key': 'value' },
      'x-unknown': 1,
    });
    expect(result.content?.[5]).toEqual({ type: 'hologram', data: { depth: [1, 2, [3]] } });
  });

  test('a tool that reports an error gives a result, a JSON-RPC error a failure with its code and data', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs', era) });
    await expect(call('a', 'fails')).resolves.toMatchObject({ isError: true });
    await expect(call('a', 'rpc_error')).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: "Server 'a' failed: boom",
      details: { rpc_code: -32055, rpc_message: 'boom', data: { why: 'fixture' } },
    });
  });

  test('progress arrives in order, and only where it was asked for', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs', era) });
    const seen: unknown[] = [];
    await call('a', 'progress', { steps: 3 }, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })));
    await expect(call('a', 'progress', { steps: 3 })).resolves.toBeDefined();
  });

  test('a cancelled call fails at once and the server is told', async () => {
    const log = join(tempDir(), 'log');
    const { call, until } = await startUpstreams({ a: fixture('annotated.mjs', era, '--log', log) });
    const caller = new AbortController();
    const running = call('a', 'slow_cancellable', { ms: 60_000 }, { signal: caller.signal });
    await until('the call to arrive', () => readLog(log).length === 1);
    caller.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED', details: { sent: true } });
    await until('the server to notice', () => readLog(log).some((line) => line.includes('"cancelled":true')));
  });

  test('a call out of time fails with server, tool and limit, and the server is told', async () => {
    const log = join(tempDir(), 'log');
    const { call, until } = await startUpstreams({ a: fixture('annotated.mjs', era, '--log', log) });
    await expect(call('a', 'slow_cancellable', { ms: 60_000 }, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: expect.stringMatching(/'a'.*'slow_cancellable'.*200 ms/),
      details: { server: 'a', tool: 'slow_cancellable', limit_ms: 200 },
    });
    await until('the server to notice', () => readLog(log).some((line) => line.includes('"cancelled":true')));
  });
});

describe('a server that asks the caller for more', () => {
  test('its question, the answer and the state pass through; it sees the capabilities of the caller', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs') });
    const clientCapabilities = { elicitation: { form: {} }, experimental: { x: {} } };
    const question = await call('a', 'asks', {}, { continuation: { clientCapabilities } });
    expect(question).toMatchObject({
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create' } },
    });
    expect(question.requestState).toBe('{"elicitation":{"form":{}}}');
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
    const continuation = { clientCapabilities, inputResponses, requestState: question.requestState };
    expect(textOf(await call('a', 'asks', {}, { continuation }))).toBe(
      `{"elicitation":{"form":{}}} ${JSON.stringify(inputResponses)}`,
    );
  });

  test('a caller that says nothing of itself promises nothing but that the proxy waits for tasks', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs') });
    await expect(call('a', 'asks')).resolves.toMatchObject({
      requestState: '{"extensions":{"io.modelcontextprotocol/tasks":{}}}',
    });
  });
});

describe('limits', () => {
  test("the shortest of the caller's, the server's and the general limit holds", async () => {
    const servers = { a: { ...fixture('misbehaving.mjs'), timeout: '300ms' } };
    const { call, upstreams } = await startUpstreams(servers, { callTimeoutMs: () => 5000 });
    const limitOf = (more = {}) =>
      call('a', 'never', {}, more).then(undefined, (error) => error.details.limit_ms as number);
    expect(await limitOf()).toBe(300);
    expect(await limitOf({ timeoutMs: 100 })).toBe(100);
    expect(await limitOf({ timeoutMs: 9000 })).toBe(300);
    expect(upstreams.view('a')).toMatchObject({ in_flight: 0, state: 'degraded' });
  });

  test('progress does not extend the deadline', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs') });
    const slow = call('a', 'slow', { ms: 5000 }, { timeoutMs: 300, onProgress: () => undefined });
    await expect(slow).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  test('calls beyond the limit wait in order; calls beyond the queue are rejected; waiting counts towards the deadline', async () => {
    const { call, upstreams, until } = await startUpstreams({
      a: { ...fixture('misbehaving.mjs'), concurrency: 1 },
    });
    const order: number[] = [];
    const first = call('a', 'late', { ms: 500 }).then(() => order.push(0));
    const queued = Array.from({ length: 256 }, (_, index) =>
      call('a', 'echo', { index }).then(() => order.push(index + 1)),
    );
    await expect(call('a', 'echo')).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      details: { concurrency: 1, queue: 256 },
    });
    expect(upstreams.view('a')?.in_flight).toBe(1);
    await Promise.all([first, ...queued]);
    expect(order).toEqual(Array.from({ length: 257 }, (_, index) => index));

    const hung = call('a', 'never', {}, { timeoutMs: 600 });
    const waiting = call('a', 'echo', {}, { timeoutMs: 200 });
    await expect(waiting).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT', details: { sent: false } });
    await expect(hung).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT', details: { sent: true } });
    await until('the place to be free', () => upstreams.view('a')?.in_flight === 0);
  });

  test('a caller that gave up while waiting is never sent', async () => {
    const log = join(tempDir(), 'log');
    const { call } = await startUpstreams({
      a: { ...fixture('annotated.mjs', '--log', log), concurrency: 1 },
    });
    const caller = new AbortController();
    const running = call('a', 'slow', { ms: 200 });
    const waiting = call('a', 'destructive', {}, { signal: caller.signal });
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED', details: { sent: false } });
    await running;
    await call('a', 'read_only');
    expect(readLog(log).some((line) => line.includes('destructive'))).toBe(false);
  });

  test('a server that hangs with all its places taken does not delay another', async () => {
    const { call } = await startUpstreams({
      hung: fixture('misbehaving.mjs'),
      good: fixture('annotated.mjs'),
    });
    const hung = Array.from({ length: 200 }, () =>
      call('hung', 'never', {}, { timeoutMs: 2000 }).catch((error) => error.code),
    );
    for (let i = 0; i < 50; i++) await call('good', 'read_only', { text: String(i) });
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
  });
});

describe('not connected', () => {
  test('an unknown server, one that failed and one that is switched off: state, last error and what to do', async () => {
    const { call } = await startUpstreams({
      failed: fixture('misbehaving.mjs', '--exit-at-start'),
      off: { ...fixture('annotated.mjs'), enabled: false },
    });
    await expect(call('nobody', 'x')).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' });
    await expect(call('failed', 'echo')).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringMatching(
        /failed.*exited with code 3.*cannot find my configuration.*upstream logs failed/,
      ),
      details: { state: 'failed' },
    });
    await expect(call('off', 'x')).rejects.toMatchObject({
      message: expect.stringContaining('upstream enable off'),
    });
  });

  test('a signal that is aborted already sends nothing', async () => {
    const { call } = await startUpstreams({ a: fixture('annotated.mjs') });
    await expect(call('a', 'read_only', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  test('only what createUpstreams made can be dispatched to', () => {
    expect(() => createDispatch({} as Upstreams)).toThrow(TypeError);
  });
});

describe('official servers', () => {
  test('everything, filesystem and memory answer, each its own', async () => {
    const { call, upstreams } = await startUpstreams({
      everything: officialServer('everything'),
      files: officialServer('filesystem', tmpdir()),
      memory: { ...officialServer('memory'), env: { MEMORY_FILE_PATH: join(tempDir(), 'memory.jsonl') } },
    });
    expect(upstreams.views().map(({ state, protocol }) => `${state} ${protocol}`)).toEqual(
      Array(3).fill('ready 2025-11-25'),
    );
    expect(textOf(await call('everything', 'echo', { message: 'hi' }))).toBe('Echo: hi');
    expect(textOf(await call('files', 'list_allowed_directories'))).toContain(tmpdir());
    expect(textOf(await call('memory', 'read_graph'))).toContain('entities');
    const seen: number[] = [];
    const long = { duration: 1, steps: 4 };
    await call('everything', 'trigger-long-running-operation', long, {
      onProgress: ({ progress }) => seen.push(progress),
    });
    expect(seen).toEqual([1, 2, 3, 4]);
  });
});

function readLog(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
