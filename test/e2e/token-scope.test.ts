import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import { openTokenStage, WAYS, type TokenStage } from './token-stage.ts';

let stage: TokenStage;
beforeAll(async () => {
  stage = await openTokenStage();
});
afterAll(() => stage.dispose());

/** What each tool counts as for a token, and by which variants it may be called at all. */
const TOOLS = {
  read_only: { counts: 'read', variants: ['read', 'write', 'destructive'] },
  not_read_only: { counts: 'write', variants: ['write', 'destructive'] },
  destructive: { counts: 'destructive', variants: ['destructive'] },
  // Says nothing and looks like a read: trusted on any variant, but for a token it is what it is held to.
  get_things: { counts: 'write', variants: ['read', 'write', 'destructive'] },
  // Says nothing and looks destructive.
  delete_everything: { counts: 'destructive', variants: ['read', 'write', 'destructive'] },
  // Says nothing; the operator says "read".
  only_title: { counts: 'read', variants: ['read', 'write', 'destructive'] },
} as const;

const SCOPES: OperationType[][] = [
  ['read'],
  ['write'],
  ['destructive'],
  ['read', 'write'],
  ['read', 'destructive'],
  ['write', 'destructive'],
  ['read', 'write', 'destructive'],
];

describe('every set of operations × every verdict × every variant, through every kind of client', () => {
  test.each(SCOPES.map((operations, index) => ({ operations, way: WAYS[index % WAYS.length]! })))(
    '$operations by $way',
    async ({ operations, way }) => {
      const name = `ops-${operations.join('-')}`;
      const { token, id } = await stage.token({ name, operations });
      const client = await stage.client(way, token);
      for (const [tool, { counts, variants }] of Object.entries(TOOLS)) {
        for (const operation of OperationType.options) {
          const before = stage.executions();
          const result = await client.call(variantFor(operation), {
            name: `up:${tool}`,
            args: { text: 'x' },
            intent_operation_type: operation,
          });
          const inScope = operations.includes(counts);
          const allowed = inScope && (variants as readonly string[]).includes(operation);
          const what = `${name}: ${tool} by ${operation}`;
          expect(result.isError === true, what).toBe(!allowed);
          expect(stage.executions() - before, what).toBe(allowed ? 1 : 0);
          const error = (result.structuredContent as { error?: { code: string } } | undefined)?.error;
          expect(error?.code, what).toBe(allowed ? undefined : inScope ? 'SERVER_MISMATCH' : 'OUT_OF_SCOPE');
        }
      }
      const records = await stage.records({ type: 'tool_call', server: 'up' });
      const own = records.filter(({ metadata }) => metadata.principal === `token:${name}`);
      expect(own).toHaveLength(18);
      expect(own.every(({ metadata }) => metadata.token_id === id)).toBe(true);
      for (const { status, error_code: code, metadata } of own)
        if (code === 'OUT_OF_SCOPE')
          expect([status, metadata.operation]).toEqual(['refused', expect.anything()]);
    },
  );

  test('non-strict validation does not loosen a token', async () => {
    const loose = await openTokenStage({ intent_declaration: { strict_server_validation: false } });
    const { token } = await loose.token({ name: 'reader', operations: ['read'] });
    const client = await loose.client('2026-07-28', token);
    const args = { name: 'up:destructive', args: {}, intent_operation_type: 'read' };
    const refused = await client.call('call_tool_read', args);
    expect(refused.structuredContent).toMatchObject({ error: { code: 'OUT_OF_SCOPE' } });
    expect(loose.executions()).toBe(0);
    await loose.dispose();
  });
});

describe('servers and tools', () => {
  test.each(WAYS)('only what was named, by %s; the refusal says what that is', async (way) => {
    const name = `named-${WAYS.indexOf(way)}`;
    const { token } = await stage.token({ name, servers: ['up', 'nowhere'], tools: ['*:read_*', 'up:slow'] });
    const client = await stage.client(way, token);
    const call = (tool: string) =>
      client.call('call_tool_read', { name: tool, args: { ms: 1 }, intent_operation_type: 'read' });
    expect((await call('up:read_only')).isError).toBeFalsy();
    expect((await call('up:slow')).isError).toBeFalsy();
    const before = stage.executions();
    for (const tool of [
      'other:read_only',
      'other:slow',
      'up:rich',
      'tasks:list_tasks',
      'no:such',
      'up:slower',
    ]) {
      const { structuredContent } = await call(tool);
      expect(structuredContent, tool).toMatchObject({
        error: {
          code: 'OUT_OF_SCOPE',
          details: {
            tool,
            token: name,
            may_call: { servers: ['up', 'nowhere'], tools: ['*:read_*', 'up:slow'] },
          },
        },
      });
    }
    // Within the scope a missing tool is simply missing, and only names of the scope are suggested.
    const { structuredContent } = await call('up:read_onyl');
    const { code, details } = (
      structuredContent as { error: { code: string; details: { nearest: string[] } } }
    ).error;
    expect([code, details.nearest]).toEqual(['TOOL_NOT_FOUND', ['up:read_only']]);
    expect(stage.executions()).toBe(before);
  });

  test('searches and descriptions show what may be called, and say that the scope limits them', async () => {
    const { token } = await stage.token({
      name: 'looker',
      operations: ['read'],
      servers: ['other'],
    });
    const client = await stage.client('2025 (legacy)', token);
    const search = async (input: Record<string, unknown>) =>
      (await client.call('retrieve_tools', { limit: 50, ...input })).structuredContent as {
        tools: Array<{ name: string; operation: { verdict: string } }>;
        total: number;
        left_out: { out_of_scope: boolean };
      };
    const found = await search({ query: 'fixture tool' });
    expect(found.tools.length).toBeGreaterThan(0);
    expect(found.tools.every(({ name }) => name.startsWith('other:'))).toBe(true);
    expect(found.tools.every(({ operation }) => operation.verdict === 'read')).toBe(true);
    expect(found.left_out.out_of_scope).toBe(true);
    expect(
      (await search({ query: 'delete everything', limit: 1 })).tools.map(({ name }) => name),
    ).not.toContain('up:delete_everything');
    const described = await client.call('describe_tool', {
      names: ['other:read_only', 'other:destructive', 'up:read_only', 'up:nothing'],
    });
    expect(described.structuredContent).toMatchObject({
      tools: [{ name: 'other:read_only' }],
      not_found: [
        { name: 'other:destructive', out_of_scope: true },
        { name: 'up:read_only', out_of_scope: true },
        { name: 'up:nothing', out_of_scope: true },
      ],
    });
    // Naming an upstream tool as if it were ours tells no more than a search would.
    expect((await client.call('up:read_only', {})).content).toEqual([
      { type: 'text', text: "Tool 'up:read_only' not found. Did you mean 'other:read_only'?" },
    ]);
    // The same as for a tool that exists nowhere.
    expect((await client.call('ub:read_only', {})).content).toEqual([
      { type: 'text', text: "Tool 'ub:read_only' not found. Did you mean 'other:read_only'?" },
    ]);
  });
});

test('tasks belong to the user of the token; without one, all local agents share them', async () => {
  const [a, b, c] = await Promise.all([
    stage.token({ name: 'user-a' }),
    stage.token({ name: 'user-b' }),
    stage.token({ name: 'user-c', user: 'carol' }),
  ]);
  const task = async (
    token: string,
    variant: 'read' | 'write',
    [tool, args]: [tool: string, args: Record<string, unknown>],
  ) => {
    const client = await stage.client('2026-07-28', token);
    return client.call(`call_tool_${variant}`, {
      name: `tasks:${tool}`,
      args,
      intent_operation_type: variant,
    });
  };
  await task(a.token, 'write', ['add_task', { description: 'of the local user' }]);
  // What a call claims about its user is replaced.
  await task(c.token, 'write', ['add_task', { description: 'of carol', user_id: 'local' }]);
  const lists = await Promise.all([a, b, c].map(({ token }) => task(token, 'read', ['list_tasks', {}])));
  const texts = lists.map(({ structuredContent }) => JSON.stringify(structuredContent));
  expect(texts.map((text) => text.includes('of the local user'))).toEqual([true, true, false]);
  expect(texts.map((text) => text.includes('of carol'))).toEqual([false, false, true]);
});
