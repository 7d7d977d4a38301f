import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorOf, openApprovalStage, type ApprovalStage } from './approval-stage.ts';

// Where a decision came from is what the door knows of its credential, not what a client says of itself.

let stage: ApprovalStage;
beforeAll(async () => {
  stage = await openApprovalStage({ require: ['destructive'], ttl: '5m', wait: '300ms', in_client: false });
});
afterAll(() => stage.dispose());

async function held(mark: string): Promise<string> {
  const client = await stage.client('pending result');
  expect(errorOf(await client.call(mark)).code).toBe('APPROVAL_PENDING');
  return (await stage.approvalOf(mark)).id;
}

async function decide(id: string, headers: Record<string, string>): Promise<unknown> {
  const answer = await fetch(`${stage.proxy.url}/api/v1/approvals/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ decision: 'deny' }),
  });
  return ((await answer.json()) as { decided_from: unknown }).decided_from;
}

test.each([
  ['the command line', { 'x-mcpproxy-client': 'cli/9.9' }],
  ['the web UI', { 'x-mcpproxy-client': 'web' }],
  ['the command line, with a made-up secret', { 'x-mcpproxy-client': 'cli/9.9', 'x-mcpproxy-cli': 'x' }],
])('a client with the key that says it is %s decides from the API', async (who, headers) => {
  const id = await held(`claims ${who}`);
  expect(await decide(id, { 'x-api-key': stage.proxy.key, ...headers })).toBe('api');
});

test('a session of the web UI decides from the web, whatever it says', async () => {
  const id = await held('from the web');
  const login = await fetch(`${stage.proxy.url}/web/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stage.proxy.url },
    body: JSON.stringify({ key: stage.proxy.key }),
  });
  const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
  const { csrf } = (await login.json()) as { csrf: string };
  const headers = { cookie, 'x-mcpproxy-csrf': csrf, 'x-mcpproxy-client': 'cli/9.9' };
  expect(await decide(id, headers)).toBe('web');
});

test('a command of this installation decides from the command line', async () => {
  const id = await held('by a command');
  expect((await stage.cli('approvals', 'deny', id)).code).toBe(0);
  expect(await stage.proxy.rest.request('getApproval', { id })).toMatchObject({ decided_from: 'cli' });
});

test('every record has the address of the client; a header names it only where the proxy in front is trusted', async () => {
  const spoofed = {
    'x-api-key': stage.proxy.key,
    'x-forwarded-for': '203.0.113.5',
    forwarded: 'for=203.0.113.6',
  };
  const addressOf = async (id: string) => {
    const wanted = { approval_id: id, type: 'decision' } as const;
    return (await stage.proxy.rest.request('listActivity', wanted)).records[0]?.client_address;
  };
  const before = await held('spoofed address');
  await decide(before, spoofed);
  expect(await addressOf(before)).toBe('127.0.0.1');
  const called = await stage.proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
  expect(called.records[0]).toMatchObject({ client_address: '127.0.0.1' });
  const trust = (addresses: string[]) =>
    stage.proxy.rest.request('updateConfig', { body: { trusted_proxies: addresses } });
  await trust(['127.0.0.0/8']);
  const after = await held('forwarded address');
  await decide(after, spoofed);
  expect(await addressOf(after)).toBe('203.0.113.5');
  await trust([]);
});
