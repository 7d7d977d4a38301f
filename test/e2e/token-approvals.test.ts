import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { openDatabase } from '../../src/db/index.ts';
import { changeToken } from '../fixtures/row-seal.ts';
import { createLog } from '../../src/lib/log.ts';
import { errorOf, openApprovalStage, type ApprovalStage } from './approval-stage.ts';
import { exchange, modern, openSession } from './raw-token.ts';
import { runCli } from './run-cli.ts';

// An agent holds a call of its own and a token, and tries everything to be the one who approves it.

let stage: ApprovalStage;
let agent: string;
let accomplice: string;

beforeAll(async () => {
  stage = await openApprovalStage({ require: ['destructive'], ttl: '5m', wait: '300ms', in_client: false });
  agent = await stage.token('agent');
  accomplice = await stage.token('accomplice');
});
afterAll(() => stage.dispose());

/** A call of the agent that waits. */
async function held(mark: string, key = agent): Promise<string> {
  const client = await stage.client('pending result', { key });
  expect(errorOf(await client.call(mark)).code).toBe('APPROVAL_PENDING');
  return (await stage.approvalOf(mark)).id;
}

async function refusals(since: string, principal: string): Promise<ActivityRecord[]> {
  const { records } = await stage.proxy.rest.request('listActivity', { start_time: since, limit: 100 });
  return records.filter(({ status, metadata }) => status === 'refused' && metadata.principal === principal);
}

async function expectUntouched(id: string, mark: string): Promise<void> {
  expect((await stage.proxy.rest.request('getApproval', { id })).status).toBe('pending');
  expect(stage.executions(mark)).toBe(0);
}

const now = () => new Date().toISOString();

describe('over REST', () => {
  test.each(['agent', 'accomplice'] as const)(
    'with the token of %s: every route, every header',
    async (who) => {
      const mark = `rest-${who}`;
      const id = await held(mark);
      const token = who === 'agent' ? agent : accomplice;
      const since = now();
      const decision = JSON.stringify({ decision: 'approve', reason: 'it is fine', grant: { for: '1h' } });
      const call = { tool_variant: 'call_tool_destructive', name: 'up:destructive', args: { text: mark } };
      const tries: Array<[method: string, path: string, body?: string]> = [
        ['POST', `/api/v1/approvals/${id}`, decision],
        ['GET', `/api/v1/approvals/${id}`],
        ['GET', '/api/v1/approvals'],
        [
          'POST',
          '/api/v1/tools/call',
          JSON.stringify({ ...call, intent: { operation_type: 'destructive' } }),
        ],
        ['PATCH', '/api/v1/config', JSON.stringify({ approvals: { require: [], in_client: true } })],
        ['PUT', '/api/v1/tools/up%3Adestructive/operation', JSON.stringify({ operation: 'read' })],
        ['POST', '/api/v1/tokens', JSON.stringify({ name: 'more', assistant: true })],
        ['POST', '/api/v1/chat', JSON.stringify({ message: 'yes' })],
        ['POST', '/api/v1/login-links', '{}'],
        ['POST', '/web/session', JSON.stringify({ key: token })],
      ];
      for (const header of ['authorization', 'x-api-key']) {
        for (const [method, path, body] of tries) {
          const credential = header === 'authorization' ? `Bearer ${token}` : token;
          const { status } = await fetch(stage.proxy.url + path, {
            method,
            headers: { [header]: credential, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body }),
          });
          expect([403, 404], `${method} ${path}: ${status}`).toContain(status);
        }
      }
      await expectUntouched(id, mark);
      const recorded = await refusals(since, `token:${who}`);
      expect(recorded.length).toBeGreaterThanOrEqual(2 * tries.length - 2);
      expect(new Set(recorded.map(({ error_code }) => error_code))).toEqual(new Set(['TOKEN_NOT_ALLOWED']));
      const decisions = recorded.filter(({ arguments: said }) =>
        JSON.stringify(said).includes(`approvals/${id}`),
      );
      expect(decisions.length).toBe(4);
    },
  );
});

test('on the command line, with its token in every place that takes one', async () => {
  const id = await held('cli');
  const since = now();
  const { configFile, dataDir, home, url } = stage.proxy;
  const place = ['--config', configFile, '--data-dir', dataDir];
  const ways: Array<{ args: string[]; env?: NodeJS.ProcessEnv }> = [
    { args: place, env: { MCPPROXY_TOKEN: agent } },
    { args: place, env: { MCPPROXY_API_KEY: agent } },
    { args: [...place, '--api-key', agent] },
    { args: ['--url', url, '--data-dir', `${home}/of-the-agent`], env: { MCPPROXY_TOKEN: agent } },
  ];
  for (const { args, env = {} } of ways) {
    const { code, stdout, stderr } = await runCli(['approvals', 'approve', id, '--yes', ...args], {
      home,
      env,
    });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('TOKEN_NOT_ALLOWED');
  }
  await expectUntouched(id, 'cli');
  expect((await refusals(since, 'token:agent')).length).toBeGreaterThanOrEqual(ways.length);
});

test('over MCP: no tool, no method, no argument and no header approves anything', async () => {
  const id = await held('mcp');
  const { url } = stage.proxy;
  const input = { name: 'up:destructive', args: { text: 'mcp' }, intent_operation_type: 'destructive' };
  const tools = [
    { name: 'approve', arguments: { id } },
    { name: 'approvals:approve', arguments: { id } },
    {
      name: 'call_tool_write',
      arguments: { name: 'mcpproxy:approve', args: { id }, intent_operation_type: 'write' },
    },
    {
      name: 'call_tool_write',
      arguments: { name: 'approvals:decide', args: { id }, intent_operation_type: 'write' },
    },
    {
      name: 'call_tool_destructive',
      arguments: { ...input, approvalId: id, approval_id: id, approved: true },
    },
    {
      name: 'call_tool_destructive',
      arguments: input,
      approvalId: id,
      _meta: { approvalId: id, approved: true },
    },
  ];
  const session = await openSession(url, agent);
  for (const params of tools) {
    const answers = [
      exchange(url, { token: agent, ...modern('tools/call', params) }),
      exchange(url, {
        token: agent,
        headers: { ...session, 'x-approval-id': id },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      }),
    ];
    for (const answer of answers) expect(await answer.ended).toMatch(/isError":true|input_required/);
  }
  for (const method of ['approvals/approve', 'approvals/decide', 'approval/respond', 'elicitation/create']) {
    const answer = exchange(url, { token: agent, ...modern(method, { id, decision: 'approve' }) });
    expect(await answer.ended).toContain('-32601');
  }
  await expectUntouched(id, 'mcp');
});

describe('in a dialog of the client, where the operator does not allow that', () => {
  test.each(['elicitation', 'elicitation (SDK 1.x)'] as const)('%s: it is not even asked', async (way) => {
    const mark = `dialog ${way}`;
    const client = await stage.client(way, { key: agent });
    client.answer = () => ({ action: 'accept', content: { approve: true, decision: 'approve' } });
    const result = await client.call(mark);
    expect(errorOf(result).code).toBe('APPROVAL_PENDING');
    expect(client.dialogs).toEqual([]);
    const { id } = await stage.approvalOf(mark);
    await expectUntouched(id, mark);
  });

  test('2026-07-28: it answers questions that nobody asked, with the state that it was given', async () => {
    const mark = 'rounds';
    const since = now();
    const { url } = stage.proxy;
    const params = {
      name: 'call_tool_destructive',
      arguments: { name: 'up:destructive', args: { text: mark }, intent_operation_type: 'destructive' },
    };
    const round = async (more: object) =>
      JSON.parse(
        await exchange(url, { token: agent, ...modern('tools/call', { ...params, ...more }) }).ended,
      ) as {
        result?: { resultType: string; requestState: string; inputRequests?: object };
        error?: { code: number };
      };
    const { result } = await round({});
    expect(result).toMatchObject({ resultType: 'input_required' });
    expect(result).not.toHaveProperty('inputRequests');
    const yes = { action: 'accept', content: { approve: true } };
    const inputResponses = { approval: yes };
    const { id } = await stage.approvalOf(mark, 'pending');
    const { requestState } = result!;
    expect((await round({ inputResponses, requestState })).result?.resultType).toBe('input_required');
    expect((await round({ inputResponses, requestState: `${requestState}x` })).error?.code).toBe(-32602);
    // Without the state it is another call, which brings something: it waits for itself.
    expect((await round({ inputResponses })).result?.resultType).toBe('input_required');
    await expectUntouched(id, mark);
    const attempts = await refusals(since, 'token:agent');
    expect(attempts.some((record) => JSON.stringify(record).includes(id))).toBe(true);
    expect(attempts.some(({ error_code }) => error_code === 'INVALID_STATE')).toBe(true);
  });
});

test('the operator approves, and the call that was asked about runs once', async () => {
  const id = await held('in the end');
  await stage.decide(id, { decision: 'approve' });
  const client = await stage.client('pending result', { key: agent });
  expect((await client.call('in the end')).isError).toBeFalsy();
  expect(stage.executions('in the end')).toBe(1);
  expect(await stage.proxy.rest.request('getApproval', { id })).toMatchObject({
    status: 'executed',
    principal: 'token:agent',
    decided_by: 'operator',
  });
});

test.each(['revoked', 'replaced'] as const)(
  'a token that is %s takes its questions along: nobody can approve them any more',
  async (how) => {
    const mark = `ended-${how}`;
    const { rest } = stage.proxy;
    const id = await held(mark, await stage.token(how));
    const other = await held(`other-${how}`);
    if (how === 'revoked') await rest.request('revokeToken', { id: how });
    else await rest.request('createToken', { body: { name: how, replace: true } });
    await vi.waitFor(async () =>
      expect(await rest.request('getApproval', { id })).toMatchObject({
        status: 'cancelled',
        decision_reason: 'the token was revoked',
      }),
    );
    await expect(rest.request('decideApproval', { id, body: { decision: 'approve' } })).rejects.toMatchObject(
      {
        code: 'CONFLICT',
      },
    );
    await expectUntouched(other, `other-${how}`);
  },
);

test.each(['revoked', 'expired'] as const)(
  'a token that was %s while the proxy was down takes its approval requests along at the start',
  async (how) => {
    const mark = `down-${how}`;
    const id = await held(mark, await stage.token(mark));
    const other = await held(`other-down-${how}`);
    await stage.proxy.stop();
    const column = how === 'revoked' ? 'revoked_at' : 'expires_at';
    const file = join(stage.proxy.dataDir, 'mcpproxy.db');
    const db = await openDatabase({ file, log: createLog('silent') });
    await changeToken(db, stage.proxy.dataDir, { name: mark, set: { [column]: '2020-01-01T00:00:00.000Z' } });
    await db.close();
    await stage.restart();
    expect(await stage.proxy.rest.request('getApproval', { id })).toMatchObject({
      status: 'cancelled',
      decision_reason: how === 'revoked' ? 'the token was revoked' : 'the token expired',
    });
    await expectUntouched(other, `other-down-${how}`);
  },
);
