import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { exchange, modern, reading } from './raw-token.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

const LIMIT_MS = 600_000;
const MANY = { calls: 500, calls_per_client: 1000, queue: 1000, connections: 1024 };
const GENEROUS = { ...MANY, requests_per_second: 2000, log_mb_per_hour: 1024 };
const mcpServers = { up: fixture('annotated.mjs') };

let proxy: RunningProxy;
let greedy: string;
let modest: string;

beforeAll(async () => {
  proxy = await startProxy({ config: { limits: GENEROUS, mcpServers } });
  const make = (name: string) => proxy.rest.request('createToken', { body: { name, operations: ['read'] } });
  [{ token: greedy }, { token: modest }] = await Promise.all([make('greedy'), make('modest')]);
});
afterAll(() => proxy?.dispose());

/** Changes the file of the running proxy, and waits until it has read it. */
async function configure(change: { limits?: Partial<typeof GENEROUS>; activity?: object }): Promise<void> {
  const limits = { ...GENEROUS, ...change.limits };
  writeFileSync(proxy.configFile, JSON.stringify({ limits, activity: change.activity ?? {}, mcpServers }));
  await poll('the changed limits', proxy.stderr, async () => {
    const { calls } = await proxy.rest.request('status', {});
    return JSON.stringify(calls.limits) === JSON.stringify(limits) || undefined;
  });
}

async function heard(token: string, args: Record<string, unknown> = {}, tool = 'up:read_only') {
  const call = exchange(proxy.url, { token, ...modern('tools/call', reading(tool, args)) });
  const text = await call.ended;
  return { status: await call.status, headers: await call.headers, text };
}

/** Sends some at a time until one is rejected with this text. */
async function firstRejected(send: () => Promise<{ status: number; text: string }>, says: string) {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const rejected = answers.find(({ text }) => text.includes(says));
    if (rejected) return rejected as Awaited<ReturnType<typeof heard>>;
  }
}

test(
  'requests per second: one token over its share hears OVERLOADED with Retry-After; the others are served',
  async () => {
    await configure({ limits: { requests_per_second: 5 } });
    const { status, headers, text } = await firstRejected(() => heard(greedy), 'requests_per_second');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(text)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, data: { code: 'OVERLOADED', requests_per_second: 5, sent: false } },
    });
    expect(await heard(modest)).toMatchObject({ status: 200 });
    expect(await proxy.rest.request('status', {})).toMatchObject({ version: expect.any(String) });
    await configure({});
    await poll('the greedy one is served', proxy.stderr, async () =>
      (await heard(greedy)).status === 200 ? true : undefined,
    );
  },
  LIMIT_MS,
);

test(
  'requests per second on routes that a token may not use: they have a share too, as every attempt is recorded',
  async () => {
    await configure({ limits: { requests_per_second: 5 } });
    const denied = async () => {
      const headers = { authorization: `Bearer ${greedy}` };
      const answer = await fetch(`${proxy.url}/api/v1/approvals`, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await firstRejected(denied, 'requests_per_second')).toMatchObject({ status: 429 });
    expect(await heard(modest)).toMatchObject({ status: 200 });
    await configure({});
  },
  LIMIT_MS,
);

test(
  'requests per second without a key: by address, and clients with a key are served',
  async () => {
    await configure({ limits: { requests_per_second: 5 } });
    const keyless = async () => {
      const answer = await fetch(`${proxy.url}/api/v1/status`);
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        text: await answer.text(),
      };
    };
    const { status, headers } = await firstRejected(keyless, 'requests_per_second');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(await heard(modest)).toMatchObject({ status: 200 });
    await configure({});
  },
  LIMIT_MS,
);

test(
  'log bytes per hour: a token over its share makes no calls, and every call that it made is recorded',
  async () => {
    await configure({ limits: { log_mb_per_hour: 1 } });
    const args = { text: 'x'.repeat(60_000) };
    let served = 0;
    const { status, text } = await firstRejected(async () => {
      const answer = await heard(greedy, args);
      if (answer.status === 200) served++;
      return answer;
    }, 'log_mb_per_hour');
    expect(status).toBe(429);
    expect(JSON.parse(text).error.message).toMatch(/has used its share of the activity log, 1 MB per hour/);
    expect(served).toBeGreaterThan(0);
    const { records } = await proxy.rest.request('listActivity', { principal: 'token:greedy', limit: 100 });
    const large = records.filter(({ arguments: given }) => JSON.stringify(given ?? '').length > 50_000);
    expect(large).toHaveLength(served);
    expect(await heard(modest)).toMatchObject({ status: 200 });
    await configure({ limits: { log_mb_per_hour: 100_000 } });
    await poll('the greedy one is served', proxy.stderr, async () =>
      (await heard(greedy)).status === 200 ? true : undefined,
    );
    await configure({});
  },
  LIMIT_MS,
);

const SLOW = { ms: 3000 };
const overloaded = (answers: Array<{ text: string }>) =>
  answers.filter(({ text }) => text.includes('OVERLOADED')).length;
const atOnce = (count: number) =>
  Promise.all(Array.from({ length: count }, () => heard(greedy, SLOW, 'up:slow')));

test.each([
  ['calls and queue', { calls: 1, queue: 0 }, 4],
  ['calls_per_client', { calls_per_client: 1 }, 4],
  ['connections', { connections: 16 }, 40],
])(
  'a changed limit holds without a restart: %s',
  async (_name, limits, count) => {
    await configure({ limits });
    await poll('a rejection', proxy.stderr, async () =>
      overloaded(await atOnce(count)) > 0 ? true : undefined,
    );
    await configure({});
    expect(overloaded(await atOnce(4))).toBe(0);
  },
  LIMIT_MS,
);

test(
  'changed limits of the log hold without a restart, and as it grows: reads go, changes stay',
  async () => {
    const body = {
      tool_variant: 'call_tool_destructive',
      name: 'up:destructive',
      args: {},
      intent: { operation_type: 'destructive' },
    } as const;
    await proxy.rest.request('callTool', { body });
    const count = async () => (await proxy.rest.request('status', {})).activity.records;
    const flood = async (calls: number) => {
      for (let sent = 0; sent < calls; sent += 20)
        await Promise.all(Array.from({ length: 20 }, () => heard(modest)));
    };
    await flood(300);
    expect(await count()).toBeGreaterThan(200);
    await configure({ activity: { max_records: 100 } });
    await poll('fewer records', proxy.stderr, async () => ((await count()) <= 100 ? true : undefined));
    // So few that the growth of the log alone is no reason to look at it.
    await configure({ limits: { queue: 999 } });
    await flood(20);
    expect(await count()).toBeGreaterThan(100);
    await configure({ activity: { max_records: 100 } });
    await poll('fewer records at once', proxy.stderr, async () =>
      (await count()) <= 100 ? true : undefined,
    );
    await flood(400);
    await poll('fewer records again', proxy.stderr, async () => ((await count()) <= 200 ? true : undefined));
    const { records } = await proxy.rest.request('listActivity', { intent_type: 'destructive', limit: 10 });
    expect(records).toMatchObject([{ tool_name: 'destructive', status: 'success' }]);
    expect(await proxy.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
  },
  LIMIT_MS,
);
