import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { ToolVariant } from '../../src/contract/operation.ts';
import { expectRefused, loggedWarnings } from './expect-attempt.ts';
import { CLIENTS } from './mcp-clients.ts';
import { attempt, attemptAll, openStage, plainRow, type Row, type Stage } from './stage.ts';
import { poll, startProxy } from './start-proxy.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ hints: { kill_parent: { destructiveHint: true } }, start: startProxy });
});
afterAll(() => stage.dispose());

const row = (variant: ToolVariant, name: unknown, intent: string | null): Row => ({
  client: '2026-07-28',
  variant,
  input: (mark) => ({ name, args: { text: mark }, ...(intent && { intent: { operation_type: intent } }) }),
});

describe('refused attempts are records too', () => {
  test('what was declared, the variant and the verdict on the tool are what intent_type finds', async () => {
    const rows: Array<[Row, declared: string, code: string, ...others: string[]]> = [
      [row('call_tool_read', 'up:destructive', 'destructive'), 'destructive', 'INTENT_MISMATCH', 'read'],
      [row('call_tool_destructive', 'up:destructive', null), 'destructive', 'MISSING_INTENT'],
      [row('call_tool_destructive', 'up:no_such_tool', 'destructive'), 'destructive', 'TOOL_NOT_FOUND'],
      [row('call_tool_destructive', 'up', 'destructive'), 'destructive', 'INVALID_ARGUMENTS'],
      [row('call_tool_write', 'up:destructive', 'write'), 'write', 'SERVER_MISMATCH', 'destructive'],
      [row('call_tool_read', 'up:not_read_only', 'read'), 'read', 'SERVER_MISMATCH', 'write'],
    ];
    const attempts = await attemptAll(
      stage,
      rows.map(([call]) => call),
    );
    for (const [index, [{ variant }, declared, code, ...others]] of rows.entries()) {
      const { mark, executions, records } = attempts[index]!;
      expect(executions).toBe(0);
      expect(records).toHaveLength(1);
      expect(records[0]).toMatchObject({
        status: 'refused',
        error_code: code,
        operation_type: declared,
        arguments: { text: mark },
        metadata: { tool_variant: variant },
      });
      for (const intent_type of ['read', 'write', 'destructive'] as const) {
        const page = await stage.proxy.rest.request('listActivity', {
          intent_type,
          status: 'refused',
          limit: 100,
        });
        expect(page.records.some(({ id }) => id === records[0]!.id)).toBe(
          [declared, ...others].includes(intent_type),
        );
      }
    }
  });
});

describe('names that lead nowhere', () => {
  const bad = (message: string) => ({ code: 'INVALID_ARGUMENTS', message, details: { field: 'name' } });
  const full = (name: string) =>
    bad(`name must be "server:tool", got ${JSON.stringify(name)}; retrieve_tools gives the full names`);
  const NAMES: Array<[unknown, ReturnType<typeof bad> | { code: string; message: string }]> = [
    [undefined, bad('name is required, as "server:tool"')],
    ['', bad('name is required, as "server:tool"')],
    [5, bad('name is required, as "server:tool"')],
    ['read_only', full('read_only')],
    [':read_only', full(':read_only')],
    ['up:', full('up:')],
    ['up:read\u001bonly', bad('name contains control characters')],
    [`up:${'x'.repeat(600)}`, bad('name is longer than 512 characters')],
    [
      'up:read_onyl',
      {
        code: 'TOOL_NOT_FOUND',
        message: expect.stringMatching(
          /^Tool 'up:read_onyl' not found\. Did you mean 'up:read_only'/,
        ) as string,
      },
    ],
    [
      'UP:read_only',
      { code: 'TOOL_NOT_FOUND', message: expect.stringContaining("'up:read_only'") as string },
    ],
    ['__proto__:x', { code: 'TOOL_NOT_FOUND', message: expect.stringContaining('not found') as string }],
    ['up:constructor', { code: 'TOOL_NOT_FOUND', message: expect.stringContaining('not found') as string }],
  ];
  test.each(NAMES)('%j', async (name, refusal) => {
    const rows = CLIENTS.map((client) => ({ ...row('call_tool_read', name, 'read'), client }));
    for (const made of await attemptAll(stage, rows)) expectRefused(made, refusal);
  });

  test('a name with colons reaches the tool that has them', async () => {
    const made = await attempt(stage, plainRow('2026-07-28', 'read', 'ns:colon'));
    expect(made.executions).toBe(1);
    expect(stage.executions().at(-1)!.tool).toBe('ns:colon');
  });
});

describe('bad filter values are refused with what is allowed', () => {
  test.each([
    ['intent_type=delete', ['read', 'write', 'destructive']],
    ['intent_type=READ', ['read', 'write', 'destructive']],
    ['status=ok', ['success', 'error', 'refused']],
    ['type=call', ['tool_call', 'discovery']],
    ['limit=0', ['1']],
    ['limit=101', ['100']],
    ['limit=ten', ['number']],
    ['start_time=tomorrow', ['ISO']],
    ['cursor=nonsense', ['cursor']],
    ['intent=destructive', ['intent_type']],
  ])('%s', async (query, says) => {
    const { url, key } = stage.proxy;
    const response = await fetch(`${url}/api/v1/activity?${query}`, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', request_id: expect.any(String) });
    for (const word of says) expect(JSON.stringify(error)).toContain(word);
  });
});

describe('one call, one record, however it ends', () => {
  test.each([
    ['fails', { status: 'error', error_message: 'the fixture failed' }],
    ['rpc_error', { status: 'error', error_code: 'UPSTREAM_FAILED' }],
    ['progress', { status: 'success' }],
  ])('%s', async (tool, outcome) => {
    const { executions, records } = await attempt(stage, plainRow('2026-07-28', 'read', tool));
    expect([executions, records.length]).toEqual([1, 1]);
    expect(records[0]).toMatchObject({ ...outcome, operation_type: 'read' });
  });

  const ofMark = async (mark: string): Promise<ActivityRecord[]> =>
    (await stage.proxy.rest.request('listActivity', { server: 'up', limit: 100 })).records.filter((record) =>
      JSON.stringify(record.arguments).includes(mark),
    );

  const ran = (mark: string) => stage.executions().filter(({ args }) => args.text === mark).length;

  test('a time-out leaves the outcome unknown', async () => {
    const body = {
      tool_variant: 'call_tool_read' as const,
      name: 'up:slow',
      args: { ms: 30_000, text: 'out of time' },
      intent: { operation_type: 'read' },
      timeout: '500ms',
    };
    await expect(stage.proxy.rest.request('callTool', { body })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      status: 504,
    });
    expect(await ofMark('out of time')).toMatchObject([
      { status: 'unknown', error_code: 'UPSTREAM_TIMEOUT' },
    ]);
  });

  test('it is open while the call runs', async () => {
    const client = await stage.client('2026-07-28');
    const [dir, text] = [mkdtempSync(join(tmpdir(), 'mcpproxy-slowly-')), 'slowly'];
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const args = { ms: 60_000, text, until: join(dir, 'go') };
    const running = client.call('call_tool_destructive', {
      name: 'up:slow',
      args,
      intent: { operation_type: 'destructive' },
    });
    await poll('the upstream to run it', stage.proxy.stderr, () => ran('slowly') === 1 || undefined);
    expect(await ofMark('slowly')).toMatchObject([{ status: 'pending', operation_type: 'destructive' }]);
    writeFileSync(args.until, '');
    await running;
    expect(await ofMark('slowly')).toMatchObject([{ status: 'success' }]);
  });

  test('it is on disk before a change is made, and closed by the next start if the proxy dies', async () => {
    const client = await stage.client('2026-07-28');
    const intent = { operation_type: 'destructive', reason: 'to be cut off' };
    const call = { name: 'up:kill_parent', args: { text: 'cut off' }, intent };
    const lost = client.call('call_tool_destructive', call).catch((error: unknown) => error);
    expect(await lost).toBeInstanceOf(Error);
    await stage.restart();
    expect(await ofMark('cut off')).toMatchObject([
      { status: 'unknown', metadata: { intent, tool_variant: 'call_tool_destructive' } },
    ]);
    expect(ran('cut off')).toBe(1);
  });
});

describe('whose data a built-in tool works on', () => {
  test('user_id comes from the credential; a supplied one is replaced, and that is noted', async () => {
    const client = await stage.client('2025 (legacy)');
    const added = await client.call('call_tool_write', {
      name: 'tasks:add_task',
      args: { description: 'mine', user_id: 'mallory' },
      intent: { operation_type: 'write' },
    });
    expect(added.isError).toBeUndefined();
    const { records } = await stage.proxy.rest.request('listActivity', { tool: 'tasks:add_task' });
    const warnings = ['the supplied user_id was replaced by that of the caller'];
    expect(records).toMatchObject([{ status: 'success', metadata: { warnings } }]);
    expect(await loggedWarnings(stage, records[0]!.id)).toEqual(warnings);

    const list = (args: object) =>
      client.call('call_tool_read', { name: 'tasks:list_tasks', args, intent_operation_type: 'read' });
    const own = await list({});
    expect(own.structuredContent).toMatchObject({ total: 1, tasks: [{ description: 'mine' }] });
    expect((await list({ user_id: 'somebody else' })).structuredContent).toEqual(own.structuredContent);
  });
});
