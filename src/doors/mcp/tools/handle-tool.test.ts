import { describe, expect, test } from 'vitest';
import { literalActivity } from '../../../../test/fixtures/mcp-harness.ts';
import { createRoad, type GivenParts } from '../../../road/road.ts';
import type { CallResult } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { createLog } from '../../../lib/log.ts';
import { createToolHandler } from './handle-tool.ts';
import type { ToolRequest } from '../calls.ts';
import { listProxyTools } from './tool-list.ts';
import { RpcError } from '../wire.ts';

const TOOL = {
  name: 'files:read',
  server: 'files',
  tool: 'read',
  enabled: true,
  withheld: false,
  offered: true,
  callWith: 'call_tool_read',
  operation: { verdict: 'read', source: 'annotation', inferred: 'read' },
  definition: { name: 'read', inputSchema: { type: 'object' } },
  constraint: { operation: 'read', source: 'annotation' },
};
const caller = {
  source: 'mcp' as const,
  principal: 'operator',
  userId: 'local',
  requestId: 'R1',
  client: 'tester/9',
};
const config = {
  intent_declaration: { operation_type: 'required', strict_server_validation: true },
  tools: { limit: 5, detail: 'full' },
};

/** The real road, with one tool at its end. */
function handlerWith(dispatch: () => Promise<CallResult>) {
  const { records, activity: open } = literalActivity();
  const activity = { ...open, state: () => ({ log: 'ok' }) };
  const log = createLog('silent');
  const catalog = {
    get: (name: string) => (name === TOOL.name ? TOOL : undefined),
    nearest: (name: string) => (name.startsWith('search') ? [] : ['files:read']),
    entry: () => ({ name: TOOL.name }),
    search: () => ({
      tools: [{ name: TOOL.name, score: 1 }],
      total: 1,
      left_out: { by_filter: 0, by_limit: 0 },
    }),
  };
  const settings = { ...config, activity: { when_unavailable: 'refuse' } };
  const parts = { config: () => settings, catalog, activity, log };
  const callTool = createRoad({ ...parts, dispatch } as unknown as GivenParts);
  const handle = createToolHandler({ ...parts, callTool } as unknown as Parameters<
    typeof createToolHandler
  >[0]);
  const call = (name: string, args: unknown, more: Partial<ToolRequest> = {}) =>
    handle({ name, arguments: args, caller, signal: new AbortController().signal, ...more });
  return { call, records };
}

const READ = { name: 'files:read', intent_operation_type: 'read' };
const rpcFailure = (code: number) => () =>
  Promise.reject(
    new ProxyError('UPSTREAM_FAILED', 'Server failed: no', {
      rpc_code: code,
      rpc_message: 'no',
      data: { why: 1 },
    }),
  );

describe('the proxy’s own tools', () => {
  test('a call goes along the road and comes back untouched', async () => {
    const result = { content: [{ type: 'odd', x: 1 }], _meta: { a: 1 } };
    const { call, records } = handlerWith(async () => result);
    expect(await call('call_tool_read', READ)).toBe(result);
    expect(records).toMatchObject([
      { type: 'tool_call', status: 'success', tool_name: 'read', client: 'tester/9' },
    ]);
  });

  test('a refusal is a result that the model reads', async () => {
    const { call } = handlerWith(async () => ({}));
    const result = await call('call_tool_write', READ);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'INTENT_MISMATCH' } },
    });
    expect(result.content![0]!.text).toContain('Intent mismatch');
  });

  test('a protocol error of the server is a result too', async () => {
    const { call } = handlerWith(rpcFailure(-32055));
    const result = await call('call_tool_read', READ, { continuation: { clientCapabilities: {} } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'UPSTREAM_FAILED' } },
    });
  });

  test.each<[string, number, ToolRequest['continuation'], number]>([
    ['a missing capability', -32021, { clientCapabilities: {} }, 400],
    ['an answer to what it asked', -32602, { inputResponses: {} }, 200],
  ])(
    'but what it says about %s goes to the client program',
    async (_case, ...[code, continuation, status]) => {
      const { call, records } = handlerWith(rpcFailure(code));
      const error = await call('call_tool_read', READ, { continuation }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(RpcError);
      expect(error).toMatchObject({ code, message: 'no', data: { why: 1 }, status });
      expect(records).toMatchObject([{ status: 'error', error_code: 'UPSTREAM_FAILED' }]);
    },
  );

  test('and so does a state that we did not give; the server never sees it', async () => {
    let reached = 0;
    const { call, records } = handlerWith(async () => ({ reached: ++reached }));
    const continuation = { requestState: 'forged' };
    const error = await call('call_tool_read', READ, { continuation }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: -32602, status: 200 });
    expect(reached).toBe(0);
    expect(records).toMatchObject([{ status: 'refused', error_code: 'INVALID_STATE' }]);
  });

  test('a client of the older era gets even that as a result', async () => {
    const { call } = handlerWith(rpcFailure(-32021));
    expect(await call('call_tool_read', READ)).toMatchObject({ isError: true });
  });

  test('searches and unknown tools are recorded', async () => {
    const { call, records } = handlerWith(async () => ({}));
    expect(await call('retrieve_tools', { query: 'read a file' })).toMatchObject({
      structuredContent: { total: 1 },
    });
    expect(await call('describe_tool', { names: ['files:read', 'x:y'] })).toMatchObject({
      structuredContent: {
        tools: [{ name: 'files:read' }],
        not_found: [{ name: 'x:y', nearest: ['files:read'] }],
      },
    });
    expect(await call('retrieve_tools', {})).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'INVALID_ARGUMENTS' } },
    });
    for (const name of ['call_tool', 'files:read', '__proto__']) {
      expect(await call(name, {})).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'TOOL_NOT_FOUND' } },
      });
    }
    expect(records.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'discovery success',
      'discovery success',
      ...Array(4).fill('discovery refused'),
    ]);
  });

  test.each([
    ['call_tool_reed', "Tool 'call_tool_reed' not found. Did you mean 'call_tool_read'?"],
    ['files:raed', "Tool 'files:raed' not found. Did you mean 'files:read'?"],
    ['search_everything', "Tool 'search_everything' not found. Use retrieve_tools to find tools."],
  ])('the text about %s, which is all that some clients pass on, names what is near', async (name, text) => {
    const { call } = handlerWith(async () => ({}));
    expect((await call(name, {})).content).toEqual([{ type: 'text', text }]);
  });

  test('the five tools are listed in a fixed order', () => {
    const names = listProxyTools(config as Parameters<typeof listProxyTools>[0]).map((tool) => tool.name);
    expect(names).toEqual([
      'retrieve_tools',
      'describe_tool',
      'call_tool_read',
      'call_tool_write',
      'call_tool_destructive',
    ]);
  });
});
