import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, operationOf, ToolVariant } from '../../src/contract/operation.ts';
import type { ScoredTool, ToolDefinition } from '../../src/contract/tool.ts';
import { expectAllowed, expectRefused } from './expect-attempt.ts';
import { CLIENTS } from './mcp-clients.ts';
import { attemptAll, openStage, plainRow, type Row, type Stage } from './stage.ts';
import { poll } from './start-proxy.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.dispose());

const lists = () => Promise.all(CLIENTS.map(async (kind) => (await stage.client(kind)).list()));
const toolOf = (list: ToolDefinition[], name: string) => list.find((tool) => tool.name === name)!;

/** The tool of one operation does its work, once, for every client. */
async function expectProvided(operation: OperationType, tool: string): Promise<void> {
  for (const list of await lists()) expect(toolOf(list, `call_tool_${operation}`)).toBeDefined();
  const rows = CLIENTS.map((kind) => plainRow(kind, operation, tool));
  for (const attempt of await attemptAll(stage, rows)) expectAllowed(attempt);
}

describe('the split of call_tool', () => {
  test('FR-001: call_tool_read is there and runs a reading tool', () => expectProvided('read', 'read_only'));
  test('FR-002: call_tool_write is there and runs a changing tool', () =>
    expectProvided('write', 'not_read_only'));
  test('FR-003: call_tool_destructive is there and runs a destructive tool', () =>
    expectProvided('destructive', 'destructive'));

  test('FR-004: call_tool is not listed, and calling it names the three variants', async () => {
    const before = stage.executions().length;
    for (const kind of CLIENTS) {
      const client = await stage.client(kind);
      expect((await client.list()).map(({ name }) => name)).not.toContain('call_tool');
      const answer = await client.call('call_tool', { name: 'up:read_only', args_json: '{}' });
      expect(answer.isError).toBe(true);
      const text = String(answer.content?.[0]?.text);
      expect(text).toMatch(/^Tool 'call_tool' not found\./);
      for (const variant of ToolVariant.options) expect(text).toContain(variant);
      expect(answer.structuredContent).toMatchObject({
        error: { code: 'TOOL_NOT_FOUND', message: text, details: { use: ToolVariant.options } },
      });
    }
    expect(stage.executions()).toHaveLength(before);
    const { records } = await stage.proxy.rest.request('listActivity', { tool: 'call_tool' });
    expect(records.map(({ status }) => status)).toEqual(CLIENTS.map(() => 'refused'));
  });

  test('FR-005: each variant takes name (required), args_json (optional) and intent (required)', async () => {
    const rows = OperationType.options.flatMap((operation, index): Row[] => {
      const [client, variant] = [CLIENTS[index]!, `call_tool_${operation}` as const];
      const intent = { operation_type: operation };
      const args = (mark: string) => ({ args_json: JSON.stringify({ text: mark }) });
      return [
        { client, variant, input: (mark) => ({ name: 'up:unannotated', ...args(mark), intent }) },
        { client, variant, input: (mark) => ({ ...args(mark), intent }) },
        { client, variant, input: (mark) => ({ name: 'up:unannotated', ...args(mark) }) },
      ];
    });
    const attempts = await attemptAll(stage, rows);
    for (const [index, { variant }] of rows.entries()) {
      const attempt = attempts[index]!;
      if (index % 3 === 0) expectAllowed(attempt);
      if (index % 3 === 1)
        expectRefused(attempt, { code: 'INVALID_ARGUMENTS', message: 'name is required, as "server:tool"' });
      if (index % 3 === 2)
        expectRefused(attempt, {
          code: 'MISSING_INTENT',
          message: `intent parameter is required for ${variant}`,
        });
    }
    const client = await stage.client('2026-07-28');
    const before = stage.executions().length;
    const bare = await client.call('call_tool_read', {
      name: 'up:read_only',
      intent: { operation_type: 'read' },
    });
    expect(bare.content).toEqual([{ type: 'text', text: '{}' }]);
    expect(stage.executions()).toHaveLength(before + 1);
  });
});

describe('what tools/list says', () => {
  test('five tools, in their order, with honest hints, the same for every client', async () => {
    const [first, ...others] = await lists();
    // The field of 2025-11-25 that says whether a tool can run as a task; other revisions do not have it, and some clients drop it.
    const shown = (list: typeof first) => list!.map(({ execution: _execution, ...tool }) => tool);
    for (const list of others) expect(shown(list)).toEqual(shown(first));
    expect(first!.map(({ name }) => name)).toEqual([
      'retrieve_tools',
      'describe_tool',
      ...ToolVariant.options,
    ]);
    expect(first!.map(({ annotations }) => annotations)).toMatchObject([
      { readOnlyHint: true },
      { readOnlyHint: true },
      { readOnlyHint: true, destructiveHint: false },
      { readOnlyHint: false, destructiveHint: false },
      { readOnlyHint: false, destructiveHint: true },
    ]);
  });

  test('FR-025: descriptions name the variants, each its own', async () => {
    const [list] = await lists();
    for (const variant of ToolVariant.options) {
      expect(toolOf(list!, 'retrieve_tools').description).toContain(variant);
      expect(toolOf(list!, variant).description).toContain(
        `Requires intent_operation_type='${operationOf(variant)}'`,
      );
    }
    expect(toolOf(list!, 'call_tool_read').description).toMatch(/read-only.*Refused.*destructive/s);
    expect(toolOf(list!, 'call_tool_write').description).toMatch(/state-modifying.*Refused.*destructive/s);
    expect(toolOf(list!, 'call_tool_destructive').description).toMatch(/deletes.*regardless of annotations/s);
  });

  test('FR-006, FR-007: the advertised schema is flat, requires the operation and allows the one that fits', async () => {
    for (const list of await lists()) {
      for (const operation of OperationType.options) {
        const { inputSchema } = toolOf(list, `call_tool_${operation}`);
        const { properties, required } = inputSchema as {
          properties: Record<string, object>;
          required: string[];
        };
        expect(required).toEqual(['name', 'intent_operation_type']);
        expect(Object.keys(properties)).toEqual([
          'name',
          'args_json',
          'intent_operation_type',
          'intent_data_sensitivity',
          'intent_reason',
        ]);
        expect(properties.intent_operation_type).toMatchObject({ type: 'string', enum: [operation] });
        expect(
          Object.values(properties).every((property) => 'type' in property && property.type === 'string'),
        ).toBe(true);
      }
    }
  });
});

describe('what retrieve_tools says', () => {
  interface Found {
    tools: ScoredTool[];
    usage_instructions: string;
    total: number;
    query: string;
  }
  async function retrieve(args: object): Promise<Found> {
    const answers = await Promise.all(
      CLIENTS.map(async (kind) => (await stage.client(kind)).call('retrieve_tools', { ...args })),
    );
    for (const { content, structuredContent } of answers) {
      expect(content).toHaveLength(1);
      expect(JSON.parse(String(content![0]!.text))).toEqual(structuredContent);
      expect(structuredContent).toEqual(answers[0]!.structuredContent);
    }
    return answers[0]!.structuredContent as Found;
  }
  const entry = async (tool: string) => {
    const { tools } = await retrieve({ query: tool, server: 'up', limit: 50 });
    return tools.find(({ name }) => name === `up:${tool}`)!;
  };

  test('FR-021, FR-022: annotations as the server gives them, empty where it gives none, in both forms', async () => {
    expect((await entry('rich')).annotations).toEqual({ readOnlyHint: true, customHint: 'kept' });
    expect((await entry('writer_destructive')).annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
    });
    expect((await entry('unannotated')).annotations).toEqual({});
    const compact = await retrieve({ query: 'fixture', limit: 50, detail: 'compact' });
    for (const { annotations } of compact.tools) expect(annotations).toBeTypeOf('object');
  });

  test('FR-023: call_with names the variant, call_tool_write where nothing is known', async () => {
    const expected = {
      read_only: 'call_tool_read',
      not_read_only: 'call_tool_write',
      destructive: 'call_tool_destructive',
      read_only_and_destructive: 'call_tool_destructive',
      unannotated: 'call_tool_write',
      delete_everything: 'call_tool_write',
    };
    for (const [tool, variant] of Object.entries(expected)) {
      const { call_with, operation, server, score, inputSchema, description } = await entry(tool);
      expect([tool, call_with]).toEqual([tool, variant]);
      expect(variant).toBe(`call_tool_${operation.verdict}`);
      expect({ server, description }).toEqual({ server: 'up', description: `Fixture tool ${tool}` });
      expect(inputSchema).toMatchObject({ type: 'object', properties: { text: { type: 'string' } } });
      expect(score).toBeGreaterThan(0);
    }
    expect((await entry('delete_everything')).operation).toMatchObject({
      verdict: 'write',
      source: 'default',
      inferred: 'destructive',
    });
  });

  test('FR-024: usage_instructions explain the three variants and what to declare', async () => {
    const { usage_instructions, total, query, tools } = await retrieve({ query: 'fixture', limit: 3 });
    for (const variant of ToolVariant.options) expect(usage_instructions).toContain(variant);
    expect(usage_instructions).toMatch(/call_with/);
    expect(usage_instructions).toMatch(/Intent must match/);
    expect({ query, shown: tools.length, more: total > 3 }).toEqual({
      query: 'fixture',
      shown: 3,
      more: true,
    });
  });

  test('scores are between 0 and 1, falling, and the same every time; equal ones go by name', async () => {
    const first = await retrieve({ query: 'fixture tool destructive', limit: 50 });
    expect(await retrieve({ query: 'fixture tool destructive', limit: 50 })).toEqual(first);
    const ranked = first.tools.map(({ score, name }) => [score, name] as const);
    expect(ranked.every(([score]) => score > 0 && score <= 1)).toBe(true);
    expect(ranked).toEqual([...ranked].sort(([a, x], [b, y]) => b - a || (x < y ? -1 : 1)));
    expect(new Set(ranked.map(([score]) => score)).size).toBeLessThan(ranked.length);
  });
});

describe('a switch of the mode while clients are connected', () => {
  const announcements = () =>
    Promise.all(CLIENTS.map(async (kind) => (await stage.client(kind)).announcements()));

  test('the schema follows, and every client is told, once, that the list has changed', async () => {
    await lists();
    await stage.setIntent({ unannotated: 'infer' }); // changes nothing in the list
    await stage.setIntent({ operation_type: 'inferred' });
    await poll(
      'all clients to be told',
      stage.proxy.stderr,
      async () => (await announcements()).every((count) => count > 0) || undefined,
    );
    for (const list of await lists())
      for (const variant of ToolVariant.options)
        expect(toolOf(list, variant).inputSchema).toMatchObject({ required: ['name'] });
    expect(await announcements()).toEqual(CLIENTS.map(() => 1));
  });
});
