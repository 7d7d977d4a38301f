import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult, watchCli } from './run-cli.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

// Everything that a server says may be meant for a terminal. Nothing of it arrives there as it is.

/** Whatever a terminal obeys or hides; line breaks and tabs apart. */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startProxy({
    config: { quarantine: 'warn', mcpServers: { hostile: fixture('hostile.mjs') } },
  });
});
afterAll(() => proxy?.dispose());

function cli(args: string[]): Promise<CliResult> {
  return runHere([...args, ...proxy.place]);
}

function expectHarmless({ stdout, stderr }: Pick<CliResult, 'stdout' | 'stderr'>): void {
  expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(OBEYED);
  expect(stderr).not.toMatch(OBEYED);
}

describe.each([['table'], ['json'], ['yaml']])('-o %s', (output) => {
  test('listings, results, errors and records are shown, not obeyed', async () => {
    const commands: Array<[args: string[], code: number]> = [
      [['call', 'tool-read', 'hostile:show', '--reason', 'x\u001b[31m'], 0],
      [['call', 'tool-read', 'hostile:fail'], 1],
      [['call', 'tool-read', 'hostile:refuse'], 1],
      [['call', 'tool-read', 'hostile:delete_it'], 3],
      [['call', 'tool-read', 'hostile:\u001b[31mnone'], 2],
      [['tools', 'show', 'hostile:show'], 0],
      [['tools', 'show', 'hostile:\u009bnone'], 2],
      [['tools', 'search', 'hostile'], 0],
      [['upstream', 'list'], 0],
      [['upstream', 'logs', 'hostile'], 0],
      [['activity', 'list'], 0],
    ];
    const results: CliResult[] = [];
    for (const [args] of commands) results.push(await cli([...args, '-o', output]));
    for (const [at, [args, code]] of commands.entries()) {
      expectHarmless(results[at]!);
      expect(results[at]!.code, `${args.join(' ')}\n${results[at]!.stderr}`).toBe(code);
    }
    // The text is there all the same.
    expect(results[0]!.stdout).toMatch(/owned/);
    expect(results[1]!.stdout).toMatch(/owned/);
    expect(results[2]!.stderr).toMatch(/owned/);
    expect(results[5]!.stdout).toMatch(/owned/);
    expect(results[9]!.stdout).toMatch(/owned/);
  });
});

test('one record in full, and exports of both kinds', async () => {
  const { records } = await proxy.rest.request('listActivity', { tool: 'refuse', limit: 1 });
  const commands = [
    ['activity', 'show', records[0]!.id],
    ['activity', 'export'],
    ['activity', 'export', '--format', 'csv'],
  ];
  for (const args of commands) {
    const result = await cli(args);
    expectHarmless(result);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('owned');
  }
});

test('a live call in activity watch', async () => {
  const { place } = proxy;
  const { seen, result, interrupt } = watchCli(['activity', 'watch', ...place], { home: proxy.home });
  try {
    await poll('the call to be shown', seen, async () => {
      const args = {
        tool_variant: 'call_tool_read' as const,
        name: 'hostile:refuse',
        intent: { operation_type: 'read' },
      };
      await proxy.rest.request('callTool', { body: args }).catch(() => undefined);
      return seen().includes('hostile:refuse') || undefined;
    });
  } finally {
    interrupt();
  }
  expectHarmless(await result);
  expect((await result).code).toBe(130);
  expect(seen()).toMatch(/read +error .*hostile:refuse/);
});

test('the same from a process of its own', async () => {
  const { place } = proxy;
  const results = await Promise.all(
    ['show', 'refuse'].map((tool) =>
      runCli(['call', 'tool-read', `hostile:${tool}`, ...place], { home: proxy.home }),
    ),
  );
  for (const result of results) expectHarmless(result);
  expect(results.map(({ code }) => code)).toEqual([0, 1]);
});

test('the log of the proxy itself', () => {
  expect(proxy.stderr()).toContain('hostile');
  expect(proxy.stderr()).not.toMatch(OBEYED);
});
