import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { exchange, modern, reading } from './raw-token.ts';
import { openSenders, type SlowSenders } from './slow-senders.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

const MOST_PENDING = 20;

let proxy: RunningProxy;
let greedy: string;
let modest: string;
let senders: SlowSenders | undefined;

beforeAll(async () => {
  const approvals = { require: ['destructive'], wait: '5m', max_pending_per_caller: MOST_PENDING };
  proxy = await startProxy({ config: { approvals, mcpServers: { up: fixture('annotated.mjs') } } });
  const make = (name: string) => proxy.rest.request('createToken', { body: { name } });
  [{ token: greedy }, { token: modest }] = await Promise.all([make('greedy'), make('modest')]);
});
afterEach(() => senders?.close());
afterAll(() => proxy?.dispose());

const head = (path: string, lines: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(proxy.url).host}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** What the operator and another agent hear, some times in a row. */
async function othersHear(): Promise<string[]> {
  const heard: string[] = [];
  for (let n = 0; n < 5; n++) {
    const headers = { 'x-api-key': proxy.key, connection: 'close' };
    heard.push(`operator ${(await fetch(`${proxy.url}/api/v1/status`, { headers })).status}`);
    const call = exchange(proxy.url, { token: modest, ...modern('tools/call', reading('up:read_only')) });
    const text = await call.ended;
    heard.push(`agent ${await call.status} ${text.includes('"isError":true') ? text : 'result'}`);
  }
  return [...new Set(heard)];
}

const SERVED = ['operator 200', 'agent 200 result'];

test('bodies that trickle in at the log-in keep nobody out, and leave no stack traces', async () => {
  const text = `${head('/web/session', ['Content-Length: 4000'])}{`;
  senders = await openSenders(proxy.url, 1_100, { text, drip: true });
  expect(await othersHear()).toEqual(SERVED);
  await poll('the end of the slow log-ins', proxy.stderr, () => senders!.ended() === 1_100 || undefined);
  expect(new Set(senders.answers().map((answer) => answer.slice(0, 3)))).toEqual(new Set(['429', '408']));
  const log = proxy.stderr();
  expect(log).not.toContain('"stack"');
  expect(log.split('\n').length).toBeLessThan(100);
});

test('bodies of one token that trickle in keep no other client out', async () => {
  const text = `${head('/mcp', [`Authorization: Bearer ${greedy}`, 'Content-Length: 4000'])}{`;
  senders = await openSenders(proxy.url, 1_100, { text, drip: true });
  expect(await othersHear()).toEqual(SERVED);
  await poll('the end of the slow bodies', proxy.stderr, () => senders!.ended() === 1_100 || undefined);
  const refused = senders.answers().filter((answer) => answer.startsWith('429'));
  expect(refused[0]).toMatch(/^429 Rejected before it was read: this client has \d+ requests in progress/);
});

test('identical calls of one token that wait for a person keep no other client out', async () => {
  const args = { name: 'up:destructive', args: { text: 'same' }, intent_operation_type: 'destructive' };
  const { body, headers } = modern('tools/call', { name: 'call_tool_destructive', arguments: args });
  const json = JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = `${head('/mcp', [
    `Authorization: Bearer ${greedy}`,
    'Accept: application/json, text/event-stream',
    ...lines,
    `Content-Length: ${json.length}`,
  ])}${json}`;
  senders = await openSenders(proxy.url, 950, { text });
  // Twice as many requests as it may ask for approvals; the others hear that at once.
  await poll('the refusals', proxy.stderr, () => senders!.ended() === 950 - 2 * MOST_PENDING || undefined);
  expect(await othersHear()).toEqual(SERVED);
  const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending', limit: 10 });
  expect(approvals).toHaveLength(1);
  expect(senders.answers().join('\n')).toMatch(/OVERLOADED|requests that wait for approval/);
  // A decision reaches all that wait.
  await proxy.rest.request('decideApproval', { id: approvals[0]!.id, body: { decision: 'deny' } });
  await poll('the denials', proxy.stderr, () => senders!.ended() === 950 || undefined);
});
