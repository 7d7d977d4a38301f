import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VerdictFile } from '../../src/contract/tool.ts';
import { openDiscoveryStage, type DiscoveryStage } from './discovery-stage.ts';

const tool = (name: string, annotations?: Record<string, unknown>) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  ...(annotations && { annotations }),
});
const TOOLS = [tool('get_a', { readOnlyHint: true }), tool('delete_b'), tool('frob_c'), tool('set_d')];

let first: DiscoveryStage;
let second: DiscoveryStage;
beforeAll(async () => {
  first = await openDiscoveryStage({}, { tools: TOOLS });
  second = await openDiscoveryStage({}, { tools: TOOLS.slice(0, 2) });
});
afterAll(async () => {
  await first.dispose();
  await second.dispose();
});
const decisions = (file: VerdictFile) =>
  file.verdicts.map(({ server, tool, operation }) => [`${server}:${tool}`, operation]);

describe('the verdict book', () => {
  test('what the server says, what we infer, what the operator decided and when, what holds', async () => {
    await first.proxy.rest.request('setOperation', { name: 'srv:get_a', body: { operation: 'destructive' } });
    const entry = await first.proxy.rest.request('getTool', { name: 'srv:get_a' });
    expect(entry).toMatchObject({
      operation: { verdict: 'destructive', source: 'operator' },
      standing: 'accepted',
      book: {
        hinted: 'read',
        held: 'read',
        inferred: { operation: 'read', reason: 'its name says "get"' },
        decision: { operation: 'destructive', by: 'operator', at: expect.stringMatching(/^20\d\d-/) },
        enforced: 'destructive',
      },
    });
    const { stdout } = await first.cli('tools', 'show', 'srv:get_a');
    expect(stdout).toMatch(
      /Hinted +read\nInferred +read: its name says "get"\nOperator +destructive, by operator at .*\nEnforced +destructive/,
    );
    expect((await first.proxy.rest.request('getTool', { name: 'srv:frob_c' })).book.enforced).toBeNull();
  });

  test('coverage in one sentence, everywhere', async () => {
    const says =
      '6 of 9 tools are annotated; 1 unannotated tool looks destructive; 1 decided by the operator';
    expect((await first.proxy.rest.request('status', {})).tools.coverage).toBe(says);
    expect((await first.cli('status')).stdout).toContain(says);
    expect((await first.cli('doctor')).stdout).toContain(says);
    const { stdout } = await first.cli(
      'tools',
      'list',
      '--unannotated',
      '--operation',
      'write',
      '-o',
      'json',
    );
    expect((JSON.parse(stdout) as { tools: Array<{ name: string }> }).tools.map(({ name }) => name)).toEqual([
      'srv:delete_b',
      'srv:frob_c',
      'srv:set_d',
    ]);
  });

  test('goes from one installation to another and back, losing nothing', async () => {
    for (const [name, operation] of [
      ['delete_b', 'destructive'],
      ['frob_c', 'read'],
    ] as const)
      await first.proxy.rest.request('setOperation', { name: `srv:${name}`, body: { operation } });
    const file = join(first.proxy.home, 'verdicts.json');
    expect((await first.cli('tools', 'verdicts', 'export', '--file', file)).code).toBe(0);
    const exported = JSON.parse(readFileSync(file, 'utf8')) as VerdictFile;
    expect(decisions(exported)).toEqual([
      ['srv:delete_b', 'destructive'],
      ['srv:frob_c', 'read'],
      ['srv:get_a', 'destructive'],
    ]);

    const dry = await second.cli('tools', 'verdicts', 'import', file, '--dry-run');
    expect(dry.stderr).toContain(
      '3 verdicts would change (1 for tools that no server lists now), 0 unchanged',
    );
    expect((await second.proxy.rest.request('exportVerdicts', {})).verdicts).toEqual([]);
    const done = await second.cli('tools', 'verdicts', 'import', file, '-o', 'json');
    expect(JSON.parse(done.stdout)).toMatchObject({ dry_run: false, unchanged: 0, unlisted: 1, skipped: [] });
    const again = await second.cli('tools', 'verdicts', 'import', file);
    expect(again.stderr).toContain('0 verdicts changed, 3 unchanged');

    await second.restart();
    expect(decisions(await second.proxy.rest.request('exportVerdicts', {}))).toEqual(decisions(exported));
    // The decision waited for its tool, and is bound to its name alone.
    await second.list({ tools: TOOLS.map((each) => ({ ...each, description: 'Renewed.' })) });
    expect(await second.proxy.rest.request('getTool', { name: 'srv:frob_c' })).toMatchObject({
      operation: { verdict: 'read', source: 'operator' },
    });
    const { records } = await second.proxy.rest.request('listActivity', { type: 'config_change' });
    expect(records.map(({ metadata }) => metadata.action)).toContain('import_verdicts');
  });

  test('a file that is none is refused before anything happens', async () => {
    const file = join(first.proxy.home, 'bad.json');
    for (const [text, complaint] of [
      ['{', /not valid JSON/],
      ['{"version":2,"verdicts":[]}', /version/],
      [
        '{"version":1,"verdicts":[{"server":"srv","tool":"get_a","operation":"harmless"}]}',
        /verdicts\.0\.operation/,
      ],
    ] as const) {
      writeFileSync(file, text);
      const { code, stderr } = await first.cli('tools', 'verdicts', 'import', file);
      expect([code, stderr]).toEqual([2, expect.stringMatching(complaint)]);
    }
  });
});

describe('arguments against the schema of the tool', () => {
  test('through every door, before anything reaches the server', async () => {
    const ran = first.executions().length;
    const result = await first.agent.call('call_tool_write', {
      name: 'srv:set_d',
      args: { text: 5 },
      intent_operation_type: 'write',
    });
    expect(result).toMatchObject({
      isError: true,
      // Some clients show the model the text alone: it says what is wrong, and what the tool takes.
      content: [
        {
          text: "The arguments do not match the schema of 'srv:set_d': /text must be string. It takes (text: string)",
        },
      ],
      structuredContent: {
        error: {
          code: 'INVALID_TOOL_ARGUMENTS',
          details: { problems: ['/text must be string'], inputSchema: TOOLS[3]!.inputSchema },
        },
      },
    });
    const rest = await first.proxy.rest
      .request('callTool', {
        body: {
          tool_variant: 'call_tool_write',
          name: 'srv:set_d',
          args: {},
          intent: { operation_type: 'write' },
        },
      })
      .catch((error: unknown) => error);
    expect(rest).toMatchObject({
      code: 'INVALID_TOOL_ARGUMENTS',
      status: 400,
      message: expect.stringContaining('must have the property "text"'),
    });
    const cli = await first.cli('call', 'tool-write', 'srv:set_d', '--args', '{"text": null}');
    expect([cli.code, cli.stderr]).toEqual([2, expect.stringContaining('/text must be string')]);
    expect(first.executions().length).toBe(ran);
    const { records } = await first.proxy.rest.request('listActivity', {
      tool: 'srv:set_d',
      status: 'refused',
    });
    expect(records.map(({ error_code: code }) => code)).toEqual(Array(3).fill('INVALID_TOOL_ARGUMENTS'));
  });

  test('the built-in server needs no user_id from the caller', async () => {
    const result = await first.agent.call('call_tool_read', {
      name: 'tasks:list_tasks',
      args: {},
      intent_operation_type: 'read',
    });
    expect(result.isError).not.toBe(true);
  });

  test('can be left to the server', async () => {
    await second.configure({ validate_arguments: false });
    await second.restart();
    const result = await second.agent.call('call_tool_write', {
      name: 'srv:set_d',
      args: { text: 5 },
      intent_operation_type: 'write',
    });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":5}' }]);
  });
});
