import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { createClient } from '../../src/contract/routes/client.ts';
import { errorOf, openApprovalStage, type ApprovalStage, type HeldClient } from './approval-stage.ts';
import { finished, runCli, spawnCli } from './run-cli.ts';
import { poll } from './start-proxy.ts';

let stage: ApprovalStage;
let agent: HeldClient;
let marks = 0;
const newMark = () => `decided ${++marks} `.padEnd(16, '.');

beforeAll(async () => {
  stage = await openApprovalStage({ require: ['destructive'], wait: '300ms', ttl: '1m' });
  agent = await stage.client('pending result');
});
afterAll(() => stage?.dispose());

/** A call of the agent that waits. */
async function waiting(mark: string) {
  expect(errorOf(await agent.call(mark)).code).toBe('APPROVAL_PENDING');
  return stage.approvalOf(mark, 'pending');
}

describe('the token of an agent tries to approve its own call', () => {
  let token: string;
  beforeAll(async () => void (token = await stage.token('agent')));

  async function expectRefused(mark: string, before: number) {
    expect(await stage.approvalOf(mark)).toMatchObject({ status: 'pending' });
    expect(stage.executions(mark)).toBe(0);
    const { total } = await stage.proxy.rest.request('listActivity', { status: 'refused', limit: 1 });
    expect(total).toBeGreaterThan(before);
  }
  const refused = async () =>
    (await stage.proxy.rest.request('listActivity', { status: 'refused', limit: 1 })).total;

  test('by REST', async () => {
    const mark = newMark();
    const { id } = await waiting(mark);
    const before = await refused();
    const rest = createClient({ url: stage.proxy.url, apiKey: token, client: 'agent' });
    for (const attempt of [
      () => rest.request('decideApproval', { id, body: { decision: 'approve' } }),
      () => rest.request('getApproval', { id }),
      () => rest.request('updateConfig', { body: { approvals: { require: [] } } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'TOKEN_NOT_ALLOWED', status: 403 });
    await expectRefused(mark, before);
  });

  test('by the command line', async () => {
    const mark = newMark();
    const { id } = await waiting(mark);
    const before = await refused();
    const { home, url } = stage.proxy;
    const argv = ['approvals', 'approve', id, '--yes', '--url', url, '--data-dir', join(home, 'none')];
    const { code, stderr } = await runCli(argv, { home, env: { MCPPROXY_API_KEY: token } });
    expect(code).toBe(3);
    expect(stderr).toMatch(/TOKEN_NOT_ALLOWED/);
    await expectRefused(mark, before);
  });

  test('by MCP: there is no tool for it, and the state of a call cannot be made up', async () => {
    const mark = newMark();
    const { id } = await waiting(mark);
    const before = await refused();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const post = async (name: string, args: unknown, more: object = {}) => {
      const params = { name, arguments: args, _meta: meta, ...more };
      const answer = await fetch(`${stage.proxy.url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return JSON.stringify(await answer.json());
    };
    expect(await post('approve', { id })).toContain('TOOL_NOT_FOUND');
    const call = { name: 'up:destructive', args: { text: mark }, intent_operation_type: 'destructive' };
    const answers = { inputResponses: { approval: { action: 'accept', content: { approve: true } } } };
    expect(
      await post('call_tool_destructive', call, { ...answers, requestState: `mcpproxy.${id}` }),
    ).toContain('request state');
    expect(
      await post('call_tool_destructive', { ...call, approval_id: id, approved: true }, answers),
    ).toMatch(/input_required|APPROVAL_PENDING/);
    await expectRefused(mark, before);
  });
});

describe('the operator', () => {
  test('sees the call in full and approves it on the command line', async () => {
    const mark = newMark();
    const { id } = await waiting(mark);
    const listed = await stage.cli('approvals', 'list');
    expect(listed.stdout).toContain(id);
    const shown = await stage.cli('approvals', 'show', id.slice(-8));
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(mark)]);
    expect(shown.stdout).toMatch(/Requested by\s+token:agent/);
    const approved = await stage.cli('approvals', 'approve', id, '--yes', '--reason', 'seen', '-o', 'json');
    expect(JSON.parse(approved.stdout)).toMatchObject({
      status: 'approved',
      decided_from: 'cli',
      decision_reason: 'seen',
    });
    expect((await agent.call(mark)).isError).toBeFalsy();
    expect(stage.executions(mark)).toBe(1);
    const { records } = await stage.proxy.rest.request('listActivity', { type: 'decision', q: id });
    expect(records[0]).not.toHaveProperty('operation_type');
    const { records: calls } = await stage.proxy.rest.request('listActivity', {
      intent_type: 'destructive',
      q: mark,
    });
    expect(calls.filter(({ status }) => status === 'success')).toMatchObject([
      { type: 'tool_call', approval_id: id, decided_by: 'operator', principal: 'token:agent' },
    ]);
    expect(records[0]).toMatchObject({
      type: 'decision',
      principal: 'operator',
      approval_id: id,
      decided_by: 'operator',
      status: 'success',
      source: 'cli',
      server_name: 'up',
      tool_name: 'destructive',
      metadata: {
        action: 'approve',
        principal: 'operator',
        approval: { id, asked_by: 'agent (token)', decided_from: 'cli' },
      },
    } satisfies Partial<Record<keyof ActivityRecord, unknown>>);
  });

  test('whose own call waits: the command prints a note, waits in one request, and ends with the result or exit code 3', async () => {
    for (const decision of ['approve', 'deny'] as const) {
      const mark = newMark();
      const { home, configFile, dataDir } = stage.proxy;
      const argv = [
        'call',
        'tool-destructive',
        'up:destructive',
        '--args',
        JSON.stringify({ text: mark }),
        '--config',
        configFile,
        '--data-dir',
        dataDir,
      ];
      const child = spawnCli(argv, { home });
      child.stdin.end();
      const done = finished(child);
      const { id } = await stage.approvalOf(mark);
      await once(child.stderr, 'data');
      const yes = decision === 'approve' ? ['--yes'] : [];
      expect((await stage.cli('approvals', decision, id, '--reason', 'so be it', ...yes)).code).toBe(0);
      const { code, stderr } = await done;
      expect(stderr).toContain(`Waiting for approval ${id}`);
      expect(code).toBe(decision === 'approve' ? 0 : 3);
      if (decision === 'deny') expect(stderr).toContain('so be it');
      expect(stage.executions(mark)).toBe(decision === 'approve' ? 1 : 0);
      // `approvals.wait` is much shorter than the command waited: it did not repeat the call each time.
      const statuses = (await stage.recordsOf(mark)).map((record) => record.status);
      expect(statuses).toEqual([decision === 'approve' ? 'success' : 'denied', 'pending']);
    }
  });

  test('is notified by an event and by the configured program', async () => {
    const out = join(stage.proxy.home, 'notified.json');
    const program = join(stage.proxy.home, 'notify.sh');
    writeFileSync(program, `#!/bin/sh\ncat > '${out}'\necho "$# $*" >> '${out}'\nenv >> '${out}'\n`);
    chmodSync(program, 0o700);
    await stage.settings({ notify: [program, 'a b', '$(id)'] });
    const stop = new AbortController();
    const events = await stage.proxy.rest.open('events', {}, { signal: stop.signal });
    const mark = newMark();
    const { id } = await waiting(mark);
    const text = await poll('the program to run', stage.proxy.stderr, () =>
      existsSync(out) && readFileSync(out, 'utf8').includes('PATH=') ? readFileSync(out, 'utf8') : undefined,
    );
    const [json, argv, ...environment] = text.split('\n');
    expect(JSON.parse(json!)).toMatchObject({ id, status: 'pending', arguments: { text: mark } });
    expect(argv).toBe('2 a b $(id)');
    expect(environment.join('\n')).not.toContain(mark);
    expect(environment.join('\n')).not.toMatch(/MCPPROXY/);
    const reader = (events.body as ReadableStream<Uint8Array>).getReader();
    let heard = '';
    // An event may come in pieces, and others that name the call before it.
    const isTold = () =>
      heard
        .split('\n\n')
        .some((one) => /event: approval\ndata: .*"status":"pending"/.test(one) && one.includes(id));
    while (!isTold()) heard += new TextDecoder().decode((await reader.read()).value);
    stop.abort();
  });

  test('asks what would happen, and tries a policy on the log before it is switched on', async () => {
    const explained = await stage.cli('approvals', 'explain', 'up:destructive', '-o', 'json');
    expect(JSON.parse(explained.stdout)).toMatchObject({
      outcome: 'ask',
      policy: { rule: 0 },
      operation: 'destructive',
    });
    const passes = await stage.cli('approvals', 'explain', 'up:read_only', '--client', 'token:agent');
    expect(passes.stdout).toMatch(/Outcome\s+allowed/);
    const file = join(stage.proxy.home, 'policy.json');
    writeFileSync(file, JSON.stringify([{ match: { client: 'token:agent' }, action: 'refuse' }, 'write']));
    const replayed = await stage.cli('approvals', 'replay', '--since', '1h', '--policy', file, '-o', 'json');
    const counts = JSON.parse(replayed.stdout) as {
      calls: number;
      ask: number;
      refuse: number;
      tools: unknown[];
    };
    const { total } = await stage.proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
    expect(counts.calls).toBeLessThanOrEqual(total);
    expect(counts.refuse).toBeGreaterThan(2);
    expect(counts.ask).toBeGreaterThanOrEqual(2);
    expect(counts.tools).toMatchObject([{ tool: 'up:destructive' }]);
  });

  test('gives and ends a grant', async () => {
    const mark = newMark();
    const { id } = await waiting(mark);
    const given = await stage.cli('approvals', 'approve', id, '--yes', '--for', '1h', '-o', 'json');
    const { grant_id: grant } = JSON.parse(given.stdout) as { grant_id: string };
    await agent.call(mark);
    const other = newMark();
    expect((await agent.call(other)).isError).toBeFalsy();
    const listed = await stage.cli('approvals', 'grants', 'list');
    expect(listed.stdout).toContain(grant);
    expect((await stage.cli('approvals', 'grants', 'revoke', grant)).stdout).toContain('revoked');
    expect(errorOf(await agent.call(newMark())).code).toBe('APPROVAL_PENDING');
  });
});

test('without a daemon: the call is held, approved and run by three commands', async () => {
  const { home, configFile, dataDir } = stage.proxy;
  const place = ['--config', configFile, '--data-dir', dataDir];
  await stage.proxy.stop();
  const mark = newMark();
  const call = [
    'call',
    'tool-destructive',
    'up:destructive',
    '--args',
    JSON.stringify({ text: mark }),
    ...place,
  ];
  const first = await runCli([...call, '-o', 'json'], { home });
  expect(first.code).toBe(3);
  const { error } = JSON.parse(first.stderr.slice(first.stderr.indexOf('{'))) as {
    error: { details: { approval_id: string } };
  };
  expect(
    (await runCli(['approvals', 'approve', error.details.approval_id, '--yes', ...place], { home })).code,
  ).toBe(0);
  expect((await runCli(call, { home })).code).toBe(0);
  expect(stage.executions(mark)).toBe(1);
});
