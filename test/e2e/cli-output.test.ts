import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ActivityRecord, type ActivityPage } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, spawnCli, type CliResult, watchCli } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

let proxy: RunningProxy;
let place: readonly string[];
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
  place = proxy.place;
  for (let at = 0; at < 60; at++) await callUp('read_only', { text: `${at} ${'x'.repeat(4000)}` });
  await callUp('destructive', {}).catch(() => undefined);
});
afterAll(() => proxy?.dispose());

function callUp(tool: string, args: Record<string, unknown>): Promise<unknown> {
  const intent = { operation_type: 'read', reason: 'a, "quoted" reason' };
  return proxy.rest.request('callTool', {
    body: { tool_variant: 'call_tool_read', name: `up:${tool}`, args, intent },
  });
}

const here = (args: string[], env?: Record<string, string>): Promise<CliResult> =>
  runHere([...args, ...place], env);

describe('-o json and -o yaml hold the whole answer', () => {
  test.each([
    [['tools', 'list', '--server', 'up', '--limit', '2']],
    [['tools', 'show', 'up:rich']],
    [['tools', 'search', 'read', 'only']],
    [['upstream', 'list']],
    [['activity', 'list', '--limit', '3']],
    [['activity', 'summary']],
    [['call', 'tool-read', 'up:rich']],
    [['config', 'show']],
  ])('%j', async (args) => {
    const json = await here([...args, '-o', 'json']);
    const yaml = await here([...args, '-o', 'yaml']);
    expect([json.code, json.stderr, yaml.code, yaml.stderr]).toEqual([0, '', 0, '']);
    const value = JSON.parse(json.stdout) as Record<string, unknown>;
    expect(Object.keys(value).length).toBeGreaterThan(0);
    // Between the two commands nothing changes but the clock, and the record that a call leaves.
    if (args[0] === 'tools' || args[0] === 'call' || args[0] === 'config')
      expect(parseYaml(yaml.stdout)).toEqual(value);
    else expect(Object.keys(parseYaml(yaml.stdout) as object)).toEqual(Object.keys(value));
  });

  test('an error is JSON too, on stderr, with the same exit code', async () => {
    const { code, stdout, stderr } = await here(['call', 'tool-read', 'up:destructive', '-o', 'json']);
    expect([code, stdout]).toEqual([3, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'SERVER_MISMATCH', details: { tool: 'up:destructive' } },
    });
  });
});

describe('colours', () => {
  const ESCAPE = /\u001b\[/;
  test('none into a pipe, some when forced, none with NO_COLOR whatever else is said', async () => {
    expect((await here(['activity', 'list'])).stdout).not.toMatch(ESCAPE);
    expect((await here(['activity', 'list'], { FORCE_COLOR: '1' })).stdout).toMatch(ESCAPE);
    expect((await here(['activity', 'list'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toMatch(
      ESCAPE,
    );
    const refused = await here(['call', 'tool-read', 'up:destructive'], { NO_COLOR: '1', FORCE_COLOR: '1' });
    expect(refused.stderr).toMatch(/^error: /);
  });
});

describe('a reader that leaves early', () => {
  test('is no error: one line is read, the command ends with 0 and says nothing', async () => {
    const child = spawnCli(['activity', 'export', ...place], { home: proxy.home });
    child.stdin.end();
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect([(await exited)[0], stderr]).toEqual([0, '']);
  });
});

describe('activity export', () => {
  test('JSON lines: every record, oldest first', async () => {
    const { stdout, code } = await here(['activity', 'export']);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => ActivityRecord.parse(JSON.parse(line)));
    const { total } = JSON.parse((await here(['activity', 'list', '-o', 'json'])).stdout) as ActivityPage;
    expect([code, records.length]).toEqual([0, total]);
    const ids = records.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });

  test('CSV: a header, one row per record, the intent in columns of its own', async () => {
    const { stdout } = await here(['activity', 'export', '--format', 'csv', '--status', 'refused']);
    const [header, first] = stdout.split('\r\n');
    expect(header).toMatch(/^id,timestamp,.*operation_type,tool_variant,data_sensitivity,reason,status/);
    expect(first).toContain(
      'up,destructive,read,call_tool_read,,"a, ""quoted"" reason",refused,SERVER_MISMATCH',
    );
  });

  test('into a file that only its owner can read', async () => {
    const file = join(proxy.home, 'export.jsonl');
    const { code, stdout } = await here(['activity', 'export', '--output', file]);
    expect([code, stdout]).toEqual([0, '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim().split('\n').length).toBeGreaterThan(60);
  });
});

test('activity watch shows a call while it happens, one JSON record per line', async () => {
  const command = ['activity', 'watch', '--server', 'up', '-o', 'json', ...place];
  const { seen, result, interrupt } = watchCli(command, { home: proxy.home });
  try {
    // Asked again until it is seen, as only what happens after the start of watching is shown.
    await poll('the live call', seen, async () => {
      await callUp('get_things', { text: 'live' });
      return seen().includes('\n') || undefined;
    });
  } finally {
    interrupt();
  }
  expect((await result).code).toBe(130);
  const record = ActivityRecord.parse(JSON.parse(seen().split('\n')[0]!));
  expect(record).toMatchObject({
    server_name: 'up',
    tool_name: 'get_things',
    status: 'success',
    arguments: { text: 'live' },
  });
});

test('arguments from stdin and from a file', async () => {
  const piped = await runCli(['call', 'tool-read', 'up:read_only', '--args', '-', ...place], {
    home: proxy.home,
    input: '{"text": "from stdin"}',
  });
  expect(piped).toEqual({ code: 0, stdout: '{"text":"from stdin"}\n', stderr: '' });
  const missing = await here([
    'call',
    'tool-read',
    'up:read_only',
    '--args',
    `@${join(proxy.home, 'none.json')}`,
  ]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('none.json');
});
