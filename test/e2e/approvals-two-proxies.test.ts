import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval, ApprovalStatus } from '../../src/contract/approval.ts';
import type { ProxyError } from '../../src/contract/errors.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { exchange, openSession } from './raw-token.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

let here: RunningProxy;
let there: RunningProxy;
let database: Awaited<ReturnType<typeof newPostgres>>;
const log = openExecutionLog();
const runs = log.runsOf;

beforeAll(async () => {
  database = await newPostgres();
  const approvals = { require: ['destructive'], wait: '5m' };
  const config = {
    database_url: database.url,
    mcpServers: { up: log.server() },
    approvals,
  };
  const rowKey = newRowKeyText();
  here = await startProxy({ config, rowKey });
  there = await startProxy({ config, rowKey });
});
afterAll(async () => {
  await here?.dispose();
  await there?.dispose();
  await database?.remove();
  log.remove();
});

function call({ rest }: RunningProxy, text: string): Promise<string> {
  const body = {
    tool_variant: 'call_tool_destructive' as const,
    name: 'up:destructive',
    args: { text },
    intent: { operation_type: 'destructive' },
  };
  return rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error as ProxyError).code,
  );
}

function approvalOf(
  { rest, stderr }: RunningProxy,
  mark: string,
  status?: ApprovalStatus,
): Promise<Approval> {
  return poll(`the approval of ${mark}`, stderr, async () => {
    const { approvals } = await rest.request('listApprovals', { limit: 50 });
    return approvals.find(
      (each) => (each.arguments as { text: string }).text === mark && (!status || each.status === status),
    );
  });
}

test('a call that waits at one proxy is shown and decided at the other', async () => {
  for (const [decision, expected] of [
    ['approve', 'ran'],
    ['deny', 'APPROVAL_DENIED'],
  ] as const) {
    const called = call(here, decision);
    const { id } = await approvalOf(there, decision);
    await there.rest.request('decideApproval', { id, body: { decision } });
    expect(await called).toBe(expected);
    expect(runs(decision)).toBe(decision === 'approve' ? 1 : 0);
    expect((await approvalOf(there, decision)).status).toBe(decision === 'approve' ? 'executed' : 'denied');
  }
});

test('the same call waits at both: one of them makes it', async () => {
  const called = [call(here, 'both'), call(there, 'both')];
  const { id } = await approvalOf(here, 'both');
  // The record of a change is there before a person is asked.
  await poll('both calls', there.stderr, async () => {
    const { records } = await there.rest.request('listActivity', { type: 'tool_call', limit: 20 });
    const asked = records.filter(({ arguments: args }) => (args as { text?: string }).text === 'both');
    return asked.length === 2 || undefined;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const decided = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : there).rest.request('decideApproval', { id, body: { decision: 'approve' } }),
    ),
  );
  expect(new Set(decided.map(({ decided_at }) => decided_at)).size).toBe(1);
  expect((await Promise.all(called)).sort()).toEqual(['APPROVAL_USED', 'ran']);
  expect(runs('both')).toBe(1);
});

test('an MCP session that was opened at one proxy is served by the other, until it is ended', async () => {
  const { token } = await here.rest.request('createToken', { body: { name: 'roaming' } });
  const headers = await openSession(here.url, token);
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
  // The other proxy reads a new token within a second.
  await poll('the token at the other proxy', there.stderr, async () =>
    (await exchange(there.url, { token, headers, body }).status) === 200 ? true : undefined,
  );
  expect(await exchange(there.url, { token, headers, method: 'DELETE' }).status).toBe(200);
  expect(await exchange(there.url, { token, headers, body }).status).toBe(404);
});

test('a proxy that is killed while it waits: the call is repeated at the other, and runs once', async () => {
  const called = call(here, 'moved');
  const { id } = await approvalOf(there, 'moved');
  await here.stop('SIGKILL');
  await called;
  await there.rest.request('decideApproval', { id, body: { decision: 'approve' } });
  expect(await call(there, 'moved')).toBe('ran');
  expect(runs('moved')).toBe(1);
});
