import { beforeEach, describe, expect, test } from 'vitest';
import { catalogTool } from '../../test/fixtures/catalog-tool.ts';
import type { Outcome, RecordDraft } from '../log/record/record.ts';
import type { ProxyError } from '../contract/errors.ts';
import type { CatalogTool } from '../catalog/catalog-tool.ts';
import { Config } from '../contract/config.ts';
import type { OperationType } from '../contract/operation.ts';
import { createLog } from '../lib/log.ts';
import { createAdmission } from '../load/admission.ts';
import { createRoad, type GivenParts } from './road.ts';

const caller = { source: 'mcp' as const, principal: 'operator', userId: 'ann', requestId: 'R1' };
const schema = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
};

let tools: Map<string, CatalogTool>;
let dispatched: unknown[];
let records: Array<{ draft: RecordDraft; outcome?: Outcome }>;
let config: Config;
/** Runs while the record is written before a change is made. */
let meanwhile: () => void;

const definition = { name: 'get', description: 'Gets it.', inputSchema: schema };
const tool = (more: Partial<CatalogTool> = {}) => catalogTool('srv', 'get', { definition, ...more });

const parts: GivenParts = {
  config: () => config,
  catalog: { get: (name) => tools.get(name), nearest: () => [] },
  activity: {
    state: () => ({ log: 'ok' }),
    open(draft) {
      const record: (typeof records)[number] = { draft };
      records.push(record);
      return {
        id: 'r1',
        durable: async () => meanwhile(),
        close: async (outcome) => void (record.outcome ??= outcome),
      };
    },
  },
  dispatch: async (request) => {
    dispatched.push(request);
    return { content: [] };
  },
  log: createLog('silent'),
};
const callTool = createRoad(parts);
const call = (args: unknown, operation: OperationType = 'write') =>
  callTool({
    operation,
    input: { name: 'srv:get', args, intent_operation_type: operation },
    caller,
    signal: new AbortController().signal,
  });

beforeEach(() => {
  tools = new Map([['srv:get', tool()]]);
  [dispatched, records] = [[], []];
  config = Config.parse({});
  meanwhile = () => {};
});

describe('arguments against the schema of the tool', () => {
  test('that fit are passed on untouched', async () => {
    const args = { id: 'x' };
    await call(args);
    expect(dispatched).toMatchObject([{ server: 'srv', tool: 'get', args }]);
    expect(records[0]!.outcome!.metadata).not.toHaveProperty('warnings');
  });

  test('that do not fit never leave, and the error helps', async () => {
    await expect(call({ id: 5, more: 1 })).rejects.toMatchObject({
      code: 'INVALID_TOOL_ARGUMENTS',
      status: 400,
      message:
        'The arguments do not match the schema of \'srv:get\': arguments must not have the property "more"; /id must be string. It takes (id: string)',
      details: {
        tool: 'srv:get',
        problems: ['arguments must not have the property "more"', '/id must be string'],
        inputSchema: schema,
      },
    });
    expect(dispatched).toEqual([]);
    expect(records[0]!.outcome).toMatchObject({ status: 'refused', error_code: 'INVALID_TOOL_ARGUMENTS' });
  });

  test('are not checked when validate_arguments is false', async () => {
    config = Config.parse({ validate_arguments: false });
    await call({ anything: 1 });
    expect(dispatched).toMatchObject([{ args: { anything: 1 } }]);
  });

  test('that cannot be checked pass with a warning in the record', async () => {
    tools.set('srv:get', tool({ definition: { name: 'get', inputSchema: { type: 'nonsense' } } }));
    await call({ anything: 1 });
    expect(dispatched).toHaveLength(1);
    expect(records[0]!.outcome!.metadata!.warnings).toEqual([
      'the arguments were not validated: its schema is malformed',
    ]);
  });

  test('a very large schema is not repeated', async () => {
    const large = { ...schema, description: 'x'.repeat(20_000) };
    tools.set('srv:get', tool({ definition: { name: 'get', inputSchema: large } }));
    await expect(call({})).rejects.toMatchObject({
      details: { hint: expect.stringContaining('describe_tool') },
    });
  });

  test('of the built-in server are checked with the user filled in', async () => {
    const inputSchema = {
      type: 'object',
      properties: { user_id: { type: 'string' } },
      required: ['user_id'],
    };
    tools.set('srv:get', tool({ builtin: true, definition: { name: 'get', inputSchema } }));
    await call({});
    expect(dispatched).toMatchObject([{ args: { user_id: 'ann' } }]);
  });
});

describe('tools that agents may not have', () => {
  test('withheld: refused by the name that was asked for, and nothing else', async () => {
    const definition = { name: 'get', description: 'CANARY', inputSchema: { CANARY: 1 } };
    tools.set('srv:get', tool({ withheld: true, offered: false, definition }));
    const error = await call({}).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'TOOL_WITHHELD',
      status: 403,
      message: "Tool 'srv:get' is withheld until the operator approves it",
      details: { tool: 'srv:get' },
    });
    expect(JSON.stringify(error)).not.toContain('CANARY');
    expect(dispatched).toEqual([]);
  });
  test('switched off', async () => {
    tools.set('srv:get', tool({ enabled: false, offered: false }));
    await expect(call({})).rejects.toMatchObject({ code: 'TOOL_DISABLED' });
  });
});

describe('a tool that nobody lists', () => {
  test.each<['connecting' | 'failed' | 'ready' | 'disabled', number, string]>([
    ['connecting', 0, 'SERVER_UNAVAILABLE'],
    ['failed', 0, 'SERVER_UNAVAILABLE'],
    ['failed', 3, 'TOOL_NOT_FOUND'],
    ['ready', 0, 'TOOL_NOT_FOUND'],
    ['disabled', 0, 'TOOL_NOT_FOUND'],
  ])('its server is %s with %i tools: %s', async (state, tool_count, code) => {
    tools.clear();
    const view = { state, tool_count, ...(state === 'failed' && { last_error: 'in its own words' }) };
    const road = createRoad({
      ...parts,
      servers: { view: (name) => (name === 'srv' ? view : undefined) },
    });
    const signal = new AbortController().signal;
    const ask = (name: string) => road({ operation: 'read', input: { name }, caller, signal });
    const refused = await ask('srv:get').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code });
    const { message, details } = refused as ProxyError;
    expect(JSON.stringify([message, details])).not.toContain('in its own words');
    await expect(ask('other:get')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Tool 'other:get' not found. There is no server 'other'. Use retrieve_tools to find tools.",
    });
  });
});

describe('a tool that becomes another one while the record is written', () => {
  test.each<[string, Partial<CatalogTool> | undefined, string]>([
    ['withheld', { withheld: true, offered: false }, 'TOOL_WITHHELD'],
    ['switched off', { enabled: false, offered: false }, 'TOOL_DISABLED'],
    ['more severe', { constraint: { operation: 'destructive', source: 'annotation' } }, 'SERVER_MISMATCH'],
    [
      'with another schema',
      { definition: { name: 'get', inputSchema: { required: ['other'] } } },
      'INVALID_TOOL_ARGUMENTS',
    ],
    ['gone', undefined, 'TOOL_NOT_FOUND'],
  ])('%s: is judged as it is then', async (_, change, code) => {
    meanwhile = () => void (change ? tools.set('srv:get', tool(change)) : tools.delete('srv:get'));
    await expect(call({ id: 'x' })).rejects.toMatchObject({ code });
    expect([dispatched, records[0]!.outcome!.status]).toEqual([[], 'refused']);
  });

  test('but still fits: the call is made', async () => {
    meanwhile = () => void tools.set('srv:get', tool());
    await call({ id: 'x' });
    expect(dispatched).toHaveLength(1);
  });
});

describe('a tool that becomes another one while the call waits for its turn', () => {
  /** As a busy server takes a call: later. */
  const callLater = (change: () => void) => {
    const dispatch: GivenParts['dispatch'] = async (request) => {
      change();
      request.onTurn!();
      dispatched.push(request);
      return { content: [] };
    };
    return createRoad({ ...parts, dispatch })({
      operation: 'write',
      input: { name: 'srv:get', args: { id: 'x' }, intent_operation_type: 'write' },
      caller,
      signal: new AbortController().signal,
    });
  };

  test.each<[string, Partial<CatalogTool> | undefined, string]>([
    ['withheld', { withheld: true, offered: false }, 'TOOL_WITHHELD'],
    ['switched off', { enabled: false, offered: false }, 'TOOL_DISABLED'],
    ['gone', undefined, 'TOOL_NOT_FOUND'],
    ['with another description', { definition: { ...definition, description: 'Other.' } }, 'CONFLICT'],
    [
      'held to another operation',
      { operation: { verdict: 'read', source: 'operator', inferred: 'read' } },
      'CONFLICT',
    ],
  ])('%s: is not sent', async (_, change, code) => {
    const changing = () => void (change ? tools.set('srv:get', tool(change)) : tools.delete('srv:get'));
    await expect(callLater(changing)).rejects.toMatchObject({ code, details: { sent: false } });
    expect([dispatched, records[0]!.outcome!.status]).toEqual([[], 'refused']);
  });

  test('as its server is started otherwise: is not sent', async () => {
    config = Config.parse({ mcpServers: { srv: { command: 'one' } } });
    const moving = () => {
      config = Config.parse({ mcpServers: { srv: { command: 'two' } } });
      tools.set('srv:get', tool());
    };
    await expect(callLater(moving)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(dispatched).toEqual([]);
  });

  test('a new verdict with the same result: the call is sent', async () => {
    await callLater(() => void tools.set('srv:get', tool({ definition: { ...definition } })));
    expect(dispatched).toHaveLength(1);
  });
});

describe('the wait for room', () => {
  const calling = (limits: { calls: number; calls_per_client: number; queue: number }) => {
    const admission = createAdmission(() => limits);
    const road = createRoad({ ...parts, admission });
    const io = { operation: 'write' as const, caller, signal: new AbortController().signal };
    const input = { name: 'srv:get', args: { id: 'a' }, intent_operation_type: 'write' };
    return { admission, call: () => road({ ...io, input }) };
  };

  test('is part of the time that the call has', async () => {
    const { admission, call: callNow } = calling({ calls: 1, calls_per_client: 10, queue: 10 });
    void admission.enter('other', new AbortController().signal);
    const before = performance.now();
    const waiting = callNow();
    await expect.poll(() => admission.state().waiting).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    admission.leave('other');
    await waiting;
    const [{ since }] = dispatched as [{ since: number }];
    expect(since).toBeGreaterThanOrEqual(before);
    expect(performance.now() - since).toBeGreaterThanOrEqual(19);
  });

  test.each([
    { call_timeout: '20ms', timeout: undefined },
    { call_timeout: '60s', timeout: '20ms' },
  ])('ends with the limit of the call ($call_timeout, $timeout)', async ({ call_timeout, timeout }) => {
    const server = { command: 'x', ...(timeout && { timeout }) };
    config = Config.parse({ call_timeout, mcpServers: { srv: server } });
    const { admission, call: callNow } = calling({ calls: 1, calls_per_client: 10, queue: 10 });
    void admission.enter('other', new AbortController().signal);
    await expect(callNow()).rejects.toMatchObject({
      code: 'OVERLOADED',
      message: expect.stringContaining('no slot was free within 20 ms'),
    });
    expect(dispatched).toEqual([]);
  });
});

test('a call that shares the result of another one is sent and scanned by that one alone', async () => {
  const scanned: unknown[] = [];
  const shared = Promise.resolve({ content: [] });
  const ruling = { action: 'ask' as const, rule: null, reason: 'it is destructive' };
  const policy = { rules: 1, version: 'v1', judge: () => ruling };
  const none = async () => {};
  const road = createRoad({
    ...parts,
    approvals: {
      policy: () => policy,
      ttlMs: () => 1000,
      waitMs: () => 1000,
      obtainPermit: async () => ({ trail: {}, shared, release: none, settle: none }),
    },
    scanResult: (answered) => scanned.push(answered),
  });
  const input = { name: 'srv:get', args: { id: 'x' }, intent_operation_type: 'destructive' };
  const signal = new AbortController().signal;
  expect(await road({ operation: 'destructive', input, caller, signal })).toEqual({ content: [] });
  expect([dispatched, scanned]).toEqual([[], []]);
  expect(records[0]!.outcome).toMatchObject({ status: 'success' });
});
