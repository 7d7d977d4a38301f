import { beforeEach, describe, expect, test } from 'vitest';
import { JSON_TYPE, restClient } from '../../../../test/fixtures/rest-client.ts';
import { fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { createPolicy } from '../../../approval/index.ts';
import type { PolicyRules } from '../../../contract/approval-policy.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ApprovalEffect, VerdictStep } from '../../../contract/tool.ts';
import { ToolVariant } from '../../../contract/operation.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
beforeEach(() => {
  fake = fakeParts();
  door = restClient(fake.parts);
});

describe('POST /tools/call', () => {
  test('passes everything but variant and timeout to the road, with the caller that was authenticated', async () => {
    const body = {
      tool_variant: 'call_tool_write',
      name: 'a:b',
      args_json: '{}',
      intent_operation_type: 'write',
      principal: 'root',
      timeout: '2s',
      approval_wait: '3s',
    };
    await door.post('/tools/call', body);
    expect(fake.calls).toEqual([
      {
        operation: 'write',
        input: { name: 'a:b', args_json: '{}', intent_operation_type: 'write', principal: 'root' },
        caller: {
          source: 'api',
          principal: 'operator',
          userId: 'local',
          requestId: 'req-1',
          address: '127.0.0.1',
        },
        signal: expect.any(AbortSignal),
        timeoutMs: 2000,
        hooks: { waitMs: 3000, isListening: expect.any(Function) },
      },
    ]);
  });

  test.each([
    [{ 'x-mcpproxy-client': 'cli/1.0' }, 'cli', 'cli/1.0'],
    [{ 'x-mcpproxy-client': 'client-x' }, 'api', 'client-x'],
    [{ 'user-agent': 'curl/8' }, 'api', 'curl/8'],
  ])('%j is recorded as %s', async (headers, source, name) => {
    await door.sendWith('POST', '/api/v1/tools/call', {
      body: '{"tool_variant":"call_tool_read"}',
      headers: { ...JSON_TYPE, ...(headers as Record<string, string>) },
    });
    expect(fake.calls[0]!.caller).toMatchObject({ source, client: name });
  });

  test('a result is passed on as it is, also one that says isError', async () => {
    const result = {
      content: [{ type: 'odd', x: [1] }],
      structuredContent: { a: null },
      isError: true,
      _meta: { k: 'v' },
    };
    fake.parts.callTool = async () => result;
    const response = await door.post('/tools/call', { tool_variant: 'call_tool_read' });
    expect([response.status, await response.json()]).toEqual([200, result]);
  });

  test.each([
    ['INTENT_MISMATCH', 403],
    ['TOOL_NOT_FOUND', 404],
    ['SERVER_BUSY', 429],
    ['CANCELLED', 499],
    ['UPSTREAM_TIMEOUT', 504],
  ] as const)('%s is answered with %i, its message and details', async (code, status) => {
    fake.parts.callTool = () => Promise.reject(new ProxyError(code, 'what was wrong', { tool: 'a:b' }));
    const response = await door.post('/tools/call', { tool_variant: 'call_tool_read' });
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: { code, message: 'what was wrong', details: { tool: 'a:b' }, request_id: 'req-1' } },
    ]);
  });

  test('what breaks inside is told without its inside', async () => {
    fake.parts.callTool = () => Promise.reject(new Error('ENOENT /root/secret'));
    const response = await door.post('/tools/call', { tool_variant: 'call_tool_read' });
    const text = await response.text();
    expect([response.status, text.includes('secret'), text.includes('req-1')]).toEqual([500, false, true]);
  });
});

describe('the verdict on a tool', () => {
  test('is set, removed and recorded', async () => {
    const name = 'github:list_issues';
    expect(
      await door.client.request('setOperation', { name, body: { operation: 'destructive' } }),
    ).toMatchObject({
      operation: { verdict: 'destructive', source: 'operator' },
    });
    expect(await door.client.request('clearOperation', { name })).toMatchObject({
      operation: { source: 'default' },
    });
    await door.client.request('approveTool', { name });
    expect(fake.recorded.map(({ draft }) => [draft.type, draft.tool_name, draft.metadata.action])).toEqual([
      ['config_change', 'list_issues', 'set_operation destructive'],
      ['config_change', 'list_issues', 'clear_operation'],
      ['config_change', 'list_issues', 'approve_tool'],
    ]);
  });

  test('on an unknown tool is refused with the nearest names', async () => {
    await expect(
      door.client.request('setOperation', { name: 'github:lst', body: { operation: 'read' } }),
    ).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      details: { nearest: ['github:list_issues'] },
    });
  });
});

describe('changes and verdicts', () => {
  const name = 'github:list_issues';

  test('approve takes the hash that was looked at, and a whole server', async () => {
    await door.client.request('approveTool', { name, hash: 'abc' });
    expect(fake.approvals).toEqual(['abc']);
    expect(await door.client.request('approveServer', { name: 'github' })).toEqual({
      server: 'github',
      approved: [name],
      skipped: [],
      total: 1,
    });
    expect(fake.recorded.at(-1)!.draft).toMatchObject({
      server_name: 'github',
      metadata: { action: 'approve_server' },
    });
    expect(fake.recorded.slice(-2).map(({ outcome }) => outcome)).toMatchObject([
      {
        status: 'success',
        response: {
          definition_hash: expect.any(String) as string,
          verdict: { before: { variants: expect.any(Array) as unknown[] }, after: { operation: null } },
        },
      },
      { status: 'success', response: { approved: [name], skipped: [] } },
    ]);
    await expect(door.client.request('approveServer', { name: 'nowhere' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('keeping the operation and rejecting are asked for by name, and recorded as what they are', async () => {
    await door.client.request('approveTool', { name, keep_operation: 'true' });
    await door.client.request('rejectTool', { name, hash: 'abc' });
    expect(fake.recorded.map(({ draft }) => draft.metadata.action)).toEqual([
      'approve_tool keep_operation',
      'reject_tool',
    ]);
  });

  test('diff of an unknown tool is refused with the nearest names', async () => {
    expect(await door.client.request('diffTool', { name })).toMatchObject({ name, changes: [] });
    await expect(door.client.request('diffTool', { name: 'github:x' })).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      details: { nearest: [name] },
    });
  });

  describe('diff of a tool whose hints became weaker', () => {
    const DESTRUCTIVE: VerdictStep = {
      operation: 'destructive',
      source: 'annotation',
      variants: ['call_tool_destructive'],
    };
    const READ: VerdictStep = {
      operation: 'read',
      source: 'annotation',
      variants: [...ToolVariant.options],
    };
    const NO_MORE = 'needed approval before and no longer do';

    test.each<
      [
        rules: PolicyRules,
        before: VerdictStep | null,
        after: VerdictStep,
        isSaid: boolean,
        asks: ApprovalEffect['asks'],
      ]
    >([
      [['destructive'], DESTRUCTIVE, READ, true, 'never'],
      [['write'], DESTRUCTIVE, READ, true, 'never'],
      [
        [{ match: { operation: 'destructive', client: 'token:cursor' }, action: 'ask' }],
        DESTRUCTIVE,
        READ,
        true,
        'never',
      ],
      [
        [{ match: { operation: 'destructive', client: 'token:other' }, action: 'ask' }],
        DESTRUCTIVE,
        READ,
        false,
        'never',
      ],
      [['read'], DESTRUCTIVE, READ, false, 'always'],
      [['server:github'], DESTRUCTIVE, READ, false, 'always'],
      [[], DESTRUCTIVE, READ, false, 'never'],
      [['destructive'], READ, DESTRUCTIVE, false, 'always'],
      [[{ match: { client: 'token:cursor' }, action: 'ask' }], READ, READ, false, 'sometimes'],
      [['destructive'], null, READ, false, 'never'],
    ])('policy %j: says whether approvals end', async (rules, ...[before, after, isSaid, asks]) => {
      const { catalog, approvals } = fake.parts;
      const unchanged = await catalog.diff(name);
      catalog.diff = async () => ({
        ...unchanged,
        approval: { before, after, keeps: 'destructive', consequence: 'After this, agents may call it.' },
      });
      approvals.policy = () => createPolicy(rules);
      const { approval } = await door.client.request('diffTool', { name });
      expect(approval.consequence).toContain('After this, agents may call it.');
      expect(approval.consequence.includes(NO_MORE)).toBe(isSaid);
      expect(approval.asks).toBe(asks);
    });
  });

  test('verdicts: a dry run changes and records nothing; a bad file is refused', async () => {
    const body = { version: 1 as const, verdicts: [{ server: 'a', tool: 'b', operation: 'read' as const }] };
    await door.client.request('importVerdicts', { body, dry_run: 'true' });
    expect([fake.imported, fake.recorded]).toEqual([[], []]);
    await door.client.request('importVerdicts', { body });
    expect(await door.client.request('exportVerdicts', {})).toEqual(body);
    expect(fake.recorded[0]!.draft).toMatchObject({
      metadata: { action: 'import_verdicts' },
      arguments: { verdicts: 1 },
    });
    const bad = await door.post('/verdicts', {
      version: 1,
      verdicts: [{ server: 'a', tool: 'b', operation: 'no' }],
    });
    expect(bad.status).toBe(400);
  });
});
