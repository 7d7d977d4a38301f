import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { exchange, modern, openSession, reading } from './raw-token.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

const CALLS = 400;
/** Calls that one session may have under way. */
const IN_FLIGHT = 256;

let proxy: RunningProxy | undefined;
afterEach(() => proxy?.dispose());

async function start(limits: Record<string, number>): Promise<{ proxy: RunningProxy; token: string }> {
  proxy = await startHere({ config: { limits, mcpServers: { up: fixture('annotated.mjs') } } });
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  return { proxy, token };
}

const FEW = { calls: 20, queue: 20 };

/** All records of calls: one by one, and in the sums of those that were refused unread. */
async function recorded({ rest }: RunningProxy): Promise<number> {
  const { total } = await rest.request('listActivity', { type: 'tool_call', limit: 1 });
  let sum = total ?? 0;
  for (let cursor: string | undefined; ;) {
    const query = { type: 'bad_request' as const, limit: 100, ...(cursor && { cursor }) };
    const { records, next_cursor: next } = await rest.request('listActivity', query);
    for (const { metadata } of records) sum += Number(metadata.turned_away ?? metadata.left_out ?? 1);
    if (!next) return sum;
    cursor = next;
  }
}

const slow = reading('up:slow', { ms: 1_000 });
const isAnswered = (text: string) => text.includes('"result"') || text.includes('"error"');

test('every call is on record, those in one session that are too many as well', async () => {
  const { proxy, token } = await start({});
  const headers = await openSession(proxy.url, token);
  // They end when they are told to: until then the session has as many under way as it may.
  const until = join(proxy.home, 'go');
  const params = reading('up:slow', { ms: 120_000, until });
  let refused = 0;
  const call = async (id: number) => {
    const body = { jsonrpc: '2.0', id, method: 'tools/call', params };
    const text = await exchange(proxy.url, { token, headers, body }).ended;
    if (text.includes('Too many calls in flight')) refused++;
    return text;
  };
  const calls = Array.from({ length: CALLS }, (_, id) => call(id + 1));
  await poll('the refusals', proxy.stderr, () => refused === CALLS - IN_FLIGHT || undefined);
  writeFileSync(until, '');
  expect((await Promise.all(calls)).filter(isAnswered)).toHaveLength(CALLS);
  await proxy.stop();
  const again = await startHere({ home: proxy.home });
  expect(await recorded(again)).toBe(CALLS);
  await again.dispose();
});

test('every call is on record where the proxy is stopped under overload', async () => {
  const { proxy, token } = await start(FEW);
  const call = (id: number) =>
    exchange(proxy.url, { token, ...modern('tools/call', slow, id) }).ended.catch(() => '');
  const calls = Array.from({ length: CALLS }, (_, id) => call(id + 1));
  await poll('the calls', proxy.stderr, async () => (await recorded(proxy)) > 100 || undefined);
  const stopped = proxy.stop();
  const answers = (await Promise.all(calls)).filter(isAnswered);
  await stopped;
  const again = await startHere({ home: proxy.home });
  const count = await recorded(again);
  // Nobody is told anything without a record; a connection that was cut may have been heard or not.
  expect(count).toBeGreaterThanOrEqual(answers.length);
  expect(count).toBeLessThanOrEqual(CALLS);
  await again.dispose();
});

test('clients that leave while their call waits are counted too', async () => {
  const { proxy, token } = await start(FEW);
  const calls = Array.from({ length: CALLS }, (_, id) =>
    exchange(proxy.url, { token, ...modern('tools/call', slow, id + 1) }),
  );
  await poll('the calls', proxy.stderr, async () => (await recorded(proxy)) > 0 || undefined);
  for (const each of calls.slice(0, CALLS / 2)) each.close();
  const answers = await Promise.all(calls.map(({ ended }) => ended.catch(() => '')));
  await proxy.stop();
  const again = await startHere({ home: proxy.home });
  const count = await recorded(again);
  expect(count).toBeGreaterThanOrEqual(answers.filter(isAnswered).length);
  expect(count).toBeLessThanOrEqual(CALLS);
  await again.dispose();
});
