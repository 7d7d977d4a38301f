import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../fixtures/mcp-harness.ts';
import { openForeignStage, OWN_TOOLS, reading, type ForeignStage } from './foreign-stage.ts';
import { runInspector } from './run-inspector.ts';

let stage: ForeignStage;
beforeAll(async () => {
  stage = await openForeignStage();
});
afterAll(() => stage?.dispose());

const rows = [
  ['http', 'legacy'],
  ['http', 'auto'],
  ['http', 'modern'],
  ['stdioBeside', 'legacy'],
  ['stdioBeside', 'modern'],
] as const;

/** The options for one call of a tool of the proxy. */
const calling = (tool: string, args: object): string[] => [
  '--method=tools/call',
  `--tool-name=${tool}`,
  `--tool-args-json=${JSON.stringify(args)}`,
];

describe.each(rows)('the Inspector over %s, %s', (place, era) => {
  const inspect = (...options: string[]) =>
    runInspector(stage.proxy.home, stage[place], ['--protocol-era', era, ...options]);

  test('lists the tools and finds no fault with their schemas', async () => {
    const { exitCode, output, stderr } = await inspect('--method', 'tools/list', '--strict');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(output.result.tools.map(({ name }: Json) => name)).toEqual(OWN_TOOLS);
    expect(output.schemaFindings ?? []).toEqual([]);
  });

  test('finds a tool and calls it', async () => {
    const [found, called] = await Promise.all([
      inspect(...calling('retrieve_tools', { query: 'simple text', server: '2026-07-28' })),
      inspect(...calling('call_tool_read', reading('2026-07-28:test_simple_text'))),
    ]);
    expect(found.exitCode, found.stderr).toBe(0);
    expect(found.output.result.structuredContent.tools[0].name).toBe('2026-07-28:test_simple_text');
    expect(called.exitCode, called.stderr).toBe(0);
    expect(called.output.result.content[0].text).toBe('This is a simple text response for testing.');
  });
});

test('a refusal is a result that the Inspector shows, with its exit code for tools that failed', async () => {
  const options = ['--protocol-era', 'modern', ...calling('call_tool_read', reading('up:destructive'))];
  const refused = await runInspector(stage.proxy.home, stage.http, options);
  expect(refused.exitCode).toBe(5);
  expect(refused.output.result.structuredContent.error.code).toBe('SERVER_MISMATCH');
});

test('a wrong key is told as such', async () => {
  const place = { ...stage.http, headers: { 'x-api-key': 'wrong' } };
  const denied = await runInspector(stage.proxy.home, place, ['--method', 'tools/list']);
  expect(denied.exitCode, denied.stderr).toBe(3);
});
