import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENTS } from '../fixtures/mcp-clients.ts';
import { openApprovalStage, type ApprovalStage } from './approval-stage.ts';
import { exchange, modern, openSession } from './raw-token.ts';

// Without a time of its own each of these calls would stay open for ten minutes, longer than any test.
let stage: ApprovalStage;
let token: string;
beforeAll(async () => {
  stage = await openApprovalStage({
    require: ['destructive'],
    wait: '10m',
    wait_by_client: { 'short-*': '1s' },
  });
  token = await stage.token('agent');
});
afterAll(() => stage.dispose());

const destructive = (mark: string, more: object = {}) => ({
  name: 'call_tool_destructive',
  arguments: { name: 'up:destructive', args: { text: mark }, intent_operation_type: 'destructive' },
  ...more,
});

test('a program that gives up early gets the pending answer before, by its name', async () => {
  const client = await stage.client('pending result', { name: 'short-bot' });
  const { structuredContent, content } = await client.call('by name');
  expect(structuredContent).toMatchObject({ error: { code: 'APPROVAL_PENDING' } });
  const { id } = await stage.approvalOf('by name', 'pending');
  // The model reads the text alone: what waits, and where it is decided.
  const text = String(content?.[0]?.text);
  expect(text).toMatch(/^The call of 'up:destructive' waits for approval and has not run/);
  expect(text).toContain(`mcpproxy approvals approve ${id}, or in the web UI`);
});

test('a client says itself how long it waits, in either protocol era', async () => {
  const prefer = { prefer: 'wait=1' };
  const session = await openSession(stage.proxy.url, token);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: destructive('older') };
  const older = exchange(stage.proxy.url, { token, headers: { ...session, ...prefer }, body });
  expect(await older.ended).toContain('APPROVAL_PENDING');
  const { headers, body: newer } = modern('tools/call', destructive('newer'));
  const round = exchange(stage.proxy.url, { token, headers: { ...headers, ...prefer }, body: newer });
  expect(await round.ended).toContain('"resultType":"input_required"');
});

test('progress says what waits and where to decide, and no client draws a number from it', async () => {
  const session = await openSession(stage.proxy.url, token);
  const params = destructive('progress', { _meta: { progressToken: 'p' } });
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { ended } = exchange(stage.proxy.url, { token, headers: { ...session, prefer: 'wait=1' }, body });
  const { id } = await stage.approvalOf('progress');
  const [first] = [...(await ended).matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]!));
  expect(first.params).toMatchObject({
    progressToken: 'p',
    total: 1,
    message: `up:destructive waits for a person: mcpproxy approvals approve ${id}, or in the web UI`,
  });
  expect(Math.round(first.params.progress * 100)).toBe(0);
});

test('a client behind a forwarded port (ssh -L, docker -p) is served', async () => {
  const { port } = new URL(stage.proxy.url);
  const forward = createServer((from) => {
    const to = connect(Number(port), '127.0.0.1');
    from.pipe(to).pipe(from);
    for (const each of [from, to]) each.on('error', () => [from, to].forEach((end) => end.destroy()));
  });
  forward.listen(0, '127.0.0.1');
  await once(forward, 'listening');
  const url = `http://localhost:${(forward.address() as AddressInfo).port}/mcp`;
  try {
    for (const { title, connect: open } of CLIENTS) {
      const client = await open({ url, headers: { authorization: `Bearer ${token}` } });
      expect([title, (await client.list()).length]).toEqual([title, 5]);
      await client.close();
    }
  } finally {
    forward.close();
  }
});
