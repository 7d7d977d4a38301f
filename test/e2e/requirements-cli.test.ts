import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/doors/cli/run.ts';
import type { Io } from '../../src/doors/cli/io.ts';
import type { Runtime } from '../../src/doors/cli/runtime.ts';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { CallResult } from '../../src/contract/call.ts';
import { OperationType } from '../../src/contract/operation.ts';
import { connect } from '../../src/start/connect/connect.ts';
import { openStage, type Stage } from './stage.ts';
import { cleanEnv } from './start-proxy.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.dispose());

const ran = (text: string) => stage.executions().filter(({ args }) => args.text === text);
const recordsOf = async (text: string): Promise<ActivityRecord[]> =>
  (await stage.proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 })).records.filter(
    (record) => (record.arguments as { text?: string }).text === text,
  );

/** The command runs its tool once; what comes back is on stdout, and the record says that it came from here. */
async function expectCommand(operation: OperationType, tool: string): Promise<void> {
  const text = `by tool-${operation}`;
  const args = JSON.stringify({ text });
  const answer = await stage.cli('call', `tool-${operation}`, `up:${tool}`, '--args', args, '-o', 'json');
  expect([answer.code, answer.stderr]).toEqual([0, '']);
  expect((JSON.parse(answer.stdout) as CallResult).content).toEqual([{ type: 'text', text: args }]);
  expect(ran(text)).toEqual([{ tool, args: { text } }]);
  expect(await recordsOf(text)).toMatchObject([
    { source: 'cli', status: 'success', metadata: { tool_variant: `call_tool_${operation}` } },
  ]);
}

describe('call', () => {
  test('FR-026: call tool-read runs a tool by call_tool_read', () => expectCommand('read', 'read_only'));
  test('FR-027: call tool-write runs a tool by call_tool_write', () =>
    expectCommand('write', 'not_read_only'));
  test('FR-028: call tool-destructive runs a tool by call_tool_destructive', () =>
    expectCommand('destructive', 'destructive'));

  test('FR-029: the command declares the operation that it is named after, and nothing else', async () => {
    for (const operation of OperationType.options)
      expect(await recordsOf(`by tool-${operation}`)).toMatchObject([
        { operation_type: operation, metadata: { intent: { operation_type: operation } } },
      ]);
    const [record] = await recordsOf('by tool-read');
    expect(record!.metadata.intent).toEqual({ operation_type: 'read' });
  });

  test('FR-030: --reason and --sensitivity go into the intent; a bad level is refused as INVALID_SENSITIVITY', async () => {
    const flags = ['--reason', 'User confirmed deletion', '--sensitivity', 'private'];
    const [good, bad] = await Promise.all([
      stage.cli('call', 'tool-destructive', 'up:destructive', '--args', '{"text":"with flags"}', ...flags),
      stage.cli('call', 'tool-read', 'up:read_only', '--args', '{"text":"bad"}', '--sensitivity', 'secret'),
    ]);
    expect([good.code, good.stdout]).toEqual([0, '{"text":"with flags"}\n']);
    expect((await recordsOf('with flags'))[0]!.metadata.intent).toEqual({
      operation_type: 'destructive',
      data_sensitivity: 'private',
      reason: 'User confirmed deletion',
    });
    expect(bad.code).toBe(3);
    expect(bad.stderr).toContain(
      "Invalid intent.data_sensitivity 'secret': must be public, internal, private, or unknown",
    );
    expect(bad.stderr).toContain('INVALID_SENSITIVITY');
    expect(ran('bad')).toEqual([]);
  });

  test('a refusal ends with code 3, says why and what to type instead, and leaves stdout empty', async () => {
    const [read, write] = await Promise.all([
      stage.cli('call', 'tool-read', 'up:destructive', '--args', '{"text":"no"}'),
      stage.cli('call', 'tool-write', 'up:destructive', '--args', '{"text":"no"}', '-o', 'json'),
    ]);
    const message = "Tool 'up:destructive' is marked destructive by server, use call_tool_destructive";
    expect([read.code, read.stdout]).toEqual([3, '']);
    expect(read.stderr).toContain(`error: ${message}`);
    expect(read.stderr).toContain('code: SERVER_MISMATCH');
    expect(read.stderr).toContain('mcpproxy call tool-destructive up:destructive');
    expect([write.code, write.stdout]).toEqual([3, '']);
    expect(JSON.parse(write.stderr)).toMatchObject({ error: { code: 'SERVER_MISMATCH', message } });
    expect(ran('no')).toEqual([]);
    expect((await recordsOf('no')).map(({ status }) => status)).toEqual(['refused', 'refused']);
  });
});

describe('activity', () => {
  test('FR-034: the list has a column for the operation', async () => {
    const [all, destructive] = await Promise.all([
      stage.cli('activity', 'list'),
      stage.cli('activity', 'list', '--intent-type', 'destructive'),
    ]);
    const [head, ...rows] = all.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +TIME +SERVER +TOOL +INTENT +STATUS +DURATION +BY$/);
    const cell = (line: string) => line.slice(head!.indexOf('INTENT'), head!.indexOf('STATUS')).trim();
    // One call of the reading tool ran, one was refused for its level.
    const words = { read_only: ['read', 'read'], not_read_only: ['write'] };
    for (const [tool, shown] of Object.entries(words))
      expect(rows.filter((line) => line.includes(` ${tool} `)).map(cell)).toEqual(shown);
    expect(rows.filter((line) => line.includes(' destructive ')).map(cell)).toContain('destr');
    const only = destructive.stdout.trimEnd().split('\n').slice(1);
    // Those that were declared so, and attempts on a tool that is: the last column says which.
    expect(only).toHaveLength(4);
    expect(only.filter((line) => / destr /.test(line))).toHaveLength(2);
    expect(only.every((line) => /(?:declared|variant|verdict)$/.test(line))).toBe(true);
  });

  test('FR-035: on a terminal each operation has an icon of its own beside the word', async () => {
    const { configFile, dataDir, home } = stage.proxy;
    let out = '';
    const io: Io = {
      out: async (text) => void (out += String(text)),
      err: (text) => void (out += text),
      stdin: (async function* () {})(),
      env: cleanEnv(home),
      cwd: home,
      terminal: { in: true, out: true, err: true, columns: 200 },
      onInterrupt: () => () => {},
      ask: async () => '',
      askSecret: async () => '',
      select: async () => undefined,
      key: async () => '',
      lines: async function* () {},
      now: () => Date.now(),
    };
    const argv = ['activity', 'list', '--config', configFile, '--data-dir', dataDir];
    expect(await run(argv, { version: '0.0.0', connect } as unknown as Runtime, io)).toBe(0);
    const icons = ['read', 'write', 'destr'].map(
      (word) => new RegExp(`(\\S) ${word}\\b`, 'u').exec(out)?.[1],
    );
    expect(new Set(icons).size).toBe(3);
    for (const icon of icons) expect(icon).toMatch(/^[^\p{L}\p{N}\s]$/u);
  });

  test('FR-036: activity show has the whole intent, with warnings where there were any', async () => {
    const [record] = await recordsOf('with flags');
    const cautious = await stage.proxy.rest.request('callTool', {
      body: {
        tool_variant: 'call_tool_write',
        name: 'up:read_only',
        args: { text: 'cautious' },
        intent: { operation_type: 'write' },
      },
    });
    expect(cautious.isError).toBeUndefined();
    const [warned] = await recordsOf('cautious');
    const [full, short] = await Promise.all([
      stage.cli('activity', 'show', record!.id),
      stage.cli('activity', 'show', warned!.id),
    ]);
    expect(full.stdout).toMatch(/Intent\n.*Operation +destr/s);
    expect(full.stdout).toMatch(/Variant +call_tool_destructive/);
    expect(full.stdout).toMatch(/Sensitivity +private/);
    expect(full.stdout).toMatch(/Reason +User confirmed deletion/);
    // What was not declared is shown as unknown, and the warning in full.
    expect(short.stdout).toMatch(/Sensitivity +unknown/);
    expect(short.stdout).toMatch(/Warnings\n.*marked read-only by server; call_tool_write is more cautious/s);
  });

  test('FR-037: JSON and YAML carry the complete intent', async () => {
    const [record] = await recordsOf('with flags');
    const [list, json, yaml] = await Promise.all([
      stage.cli('activity', 'list', '--intent-type', 'destructive', '-o', 'json'),
      stage.cli('activity', 'show', record!.id, '-o', 'json'),
      stage.cli('activity', 'show', record!.id, '-o', 'yaml'),
    ]);
    const { records } = JSON.parse(list.stdout) as { records: ActivityRecord[] };
    expect(records.find(({ id }) => id === record!.id)).toEqual(record);
    expect(JSON.parse(json.stdout)).toEqual(record);
    expect(parse(yaml.stdout)).toEqual(record);
    expect(record).toMatchObject({
      operation_type: 'destructive',
      metadata: { tool_variant: 'call_tool_destructive', intent: { reason: 'User confirmed deletion' } },
    });
  });
});

describe('without a running proxy', () => {
  test('the same checks stand in the command itself, and leave the same records', async () => {
    await stage.proxy.stop();
    const refused = await stage.cli('call', 'tool-read', 'up:destructive', '--args', '{"text":"alone, no"}');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('marked destructive by server, use call_tool_destructive');
    const allowed = await stage.cli('call', 'tool-read', 'up:read_only', '--args', '{"text":"alone, yes"}');
    expect([allowed.code, allowed.stdout]).toEqual([0, '{"text":"alone, yes"}\n']);
    expect([ran('alone, no').length, ran('alone, yes').length]).toEqual([0, 1]);
    const { stdout } = await stage.cli('activity', 'list', '--limit', '2', '-o', 'json');
    expect((JSON.parse(stdout) as { records: ActivityRecord[] }).records).toMatchObject([
      { tool_name: 'read_only', status: 'success', source: 'cli', operation_type: 'read' },
      { tool_name: 'destructive', status: 'refused', error_code: 'SERVER_MISMATCH', operation_type: 'read' },
    ]);
  });
});
