import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import {
  JSON_HEADERS,
  literalActivity,
  raw,
  startHarness,
  type Harness,
} from '../../../test/fixtures/mcp-harness.ts';
import { ENVELOPE, modernHeaders, modernRpc, openSession, rpc } from '../../../test/fixtures/mcp-messages.ts';
import { createLog } from '../../lib/log.ts';
import { createBadRequests } from '../../log/record/bad-requests.ts';
import { RpcError } from './wire.ts';

let harness: Harness;
let session: Record<string, string>;
beforeAll(async () => {
  harness = await startHarness({ limits: { badRequestsPerMinute: 1_000_000 } });
  session = await openSession(harness);
});
afterAll(() => harness.stop());

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('malformed messages are refused, recorded, and reach no tool', () => {
  test.each<[string, string | Buffer, number, string, unknown?]>([
    ['no JSON', '{oops', -32700, 'INVALID_JSON'],
    ['nothing', '', -32700, 'INVALID_JSON'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), -32700, 'INVALID_JSON'],
    ['a number', '5', -32600, 'INVALID_REQUEST'],
    ['null', 'null', -32600, 'INVALID_REQUEST'],
    ['another protocol', '{"hello":1}', -32600, 'INVALID_REQUEST'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 'INVALID_REQUEST', 1],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600, 'INVALID_REQUEST'],
    ['method no string', '{"jsonrpc":"2.0","id":"a","method":5}', -32600, 'INVALID_REQUEST', 'a'],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, 'INVALID_REQUEST'],
    ['id an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, 'INVALID_REQUEST'],
    ['id a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 'INVALID_REQUEST'],
    [
      'id beyond what can be echoed',
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
      -32600,
      'INVALID_REQUEST',
    ],
    [
      'id without end',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(1025)}","method":"ping"}`,
      -32600,
      'INVALID_REQUEST',
    ],
    ['params an array', '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', -32600, 'INVALID_REQUEST', 3],
    [
      'too deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep(64)}}}`,
      -32600,
      'TOO_DEEP',
    ],
    ['far too deep', deep(10_000), -32600, 'TOO_DEEP'],
  ])('%s', async (_case, ...[body, code, recorded, id = null]) => {
    const [calls, records] = [harness.calls.length, harness.records.length];
    const { status, json } = await raw(harness.port, { headers: session, body });
    expect([status, json.error.code, json.id]).toEqual([400, code, id]);
    expect(harness.calls.length).toBe(calls);
    expect(harness.records.slice(records)).toEqual([
      expect.objectContaining({
        type: 'bad_request',
        source: 'mcp',
        status: 'refused',
        error_code: recorded,
        session_id: session['mcp-session-id'],
        metadata: { principal: 'operator' },
      }),
    ]);
    const { excerpt } = harness.records.at(-1)!.arguments as { excerpt: string };
    expect(excerpt.length).toBeLessThanOrEqual(500);
    if (typeof body === 'string') expect(body.startsWith(excerpt)).toBe(true);
  });

  test('a message with too many keys is refused and recorded', async () => {
    const args = `{${'"a":1,'.repeat(100_001)}"b":1}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args}}}`;
    const { status, json } = await raw(harness.port, { headers: session, body });
    expect([status, json.error.code, json.error.data]).toEqual([
      413,
      -32600,
      { depth: 64, keys: 100_000, items: 1_000_000 },
    ]);
    expect(harness.records.at(-1)).toMatchObject({ status: 'refused', error_code: 'PAYLOAD_TOO_LARGE' });
  });

  test('64 levels are not too deep', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep(62)}}}`;
    expect((await raw(harness.port, { headers: session, body })).json.result.content[0].text).toBe(deep(62));
  });

  test.each([
    ['header mismatch', modernHeaders('tools/call'), modernRpc('tools/list')],
    ['unknown session', { ...JSON_HEADERS, 'mcp-session-id': 'gone' }, rpc('ping')],
    ['no session', JSON_HEADERS, rpc('ping')],
    [
      'broken envelope',
      modernHeaders('tools/list'),
      rpc('tools/list', { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': 5 } }),
    ],
    ['tool without name', modernHeaders('tools/call'), modernRpc('tools/call', {})],
    [
      'progress token without end',
      modernHeaders('tools/call', 'echo'),
      modernRpc('tools/call', { name: 'echo', _meta: { ...ENVELOPE, progressToken: 'x'.repeat(1025) } }),
    ],
  ])('%s is recorded too', async (_case, headers, body) => {
    const before = harness.records.length;
    await raw(harness.port, { headers, body });
    expect(harness.records.slice(before).map(({ error_code }) => error_code)).toEqual(['INVALID_REQUEST']);
  });

  test.each([
    ['unknown method', modernHeaders('prompts/list'), modernRpc('prompts/list')],
    [
      'a revision to negotiate',
      { ...modernHeaders('x'), 'mcp-protocol-version': 'v9' },
      modernRpc('x', { _meta: { 'io.modelcontextprotocol/protocolVersion': 'v9' } }),
    ],
  ])('%s is no malformed message', async (_case, headers, body) => {
    const before = harness.records.length;
    expect((await raw(harness.port, { headers, body })).status).toBeGreaterThanOrEqual(400);
    expect(harness.records.length).toBe(before);
  });
});

describe('size', () => {
  test('a body over the limit is refused, whether it says so or not', async () => {
    const small = await startHarness({ limits: { bodyBytes: 1_000 } });
    const body = JSON.stringify(modernRpc('tools/call', { name: 'echo', arguments: 'x'.repeat(2_000) }));
    for (const chunked of [false, true]) {
      const headers = {
        ...modernHeaders('tools/call', 'echo'),
        ...(chunked && { 'transfer-encoding': 'chunked' }),
      };
      const { status, json } = await raw(small.port, { headers, body });
      expect([status, json.error.data]).toEqual([413, { limit: 1_000 }]);
    }
    expect(small.calls).toEqual([]);
    expect(small.records.map(({ error_code }) => error_code)).toEqual([
      'PAYLOAD_TOO_LARGE',
      'PAYLOAD_TOO_LARGE',
    ]);
    await small.stop();
  });

  test('10 MB of arguments pass', async () => {
    const body = modernRpc('tools/call', { name: 'echo', arguments: 'x'.repeat(10_000_000) });
    const { json } = await raw(harness.port, { headers: modernHeaders('tools/call', 'echo'), body });
    expect(json.result.content[0].text).toHaveLength(10_000_002);
  });

  test('17 MB do not', async () => {
    const body = modernRpc('tools/call', { name: 'echo', arguments: 'x'.repeat(17_000_000) });
    const { status } = await raw(harness.port, { headers: modernHeaders('tools/call', 'echo'), body });
    expect(status).toBe(413);
  });
});

describe('a flood of malformed messages', () => {
  test('is recorded one by one up to the limit, then as a number', () => {
    let now = 0;
    const { records, activity } = literalActivity();
    const bad = createBadRequests({
      activity,
      log: createLog('silent'),
      clock: { now: () => now },
      perMinute: 100,
    });
    const error = new RpcError(-32600, 'wrong', { record: 'INVALID_REQUEST' });
    const from = { principal: 'p', requestId: 'r', excerpt: () => '{' };
    for (let i = 0; i < 250; i++) void bad.add(error, from);
    expect(records).toHaveLength(100);
    bad.flush();
    expect(records).toHaveLength(100);
    now += 60_000;
    bad.flush();
    expect(records).toHaveLength(101);
    expect(records.at(-1)).toMatchObject({
      type: 'bad_request',
      status: 'refused',
      metadata: { left_out: 150 },
    });
    void bad.add(error, from);
    expect(records).toHaveLength(102);
  });
});

describe('whatever comes in', () => {
  const anyHeaders = fc.record(
    {
      'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
      accept: fc.constantFrom('application/json, text/event-stream', '*/*', 'text/html'),
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '2025-03-26', 'v999', '1999-01-01'),
      'mcp-method': fc.constantFrom('tools/list', 'tools/call', 'ping', 'initialize', 'nonsense'),
      'mcp-name': fc.constantFrom('echo', '=?base64?%%?=', 'x'),
      'mcp-session-id': fc.constantFrom('nope', '', 'SESSION'),
    },
    { requiredKeys: [] },
  );
  const method = fc.oneof(
    fc.constantFrom(
      'tools/list',
      'server/discover',
      'ping',
      'subscriptions/listen',
      '__proto__',
      'constructor',
    ),
    fc.string(),
  );
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { name: fc.jsonValue(), _meta: fc.jsonValue(), arguments: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  // Never a good tools/call: the name is missing or of the wrong type.
  const badCall = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.integer(),
    method: fc.constant('tools/call'),
    params: fc.oneof(
      fc.record({ name: fc.integer() }),
      fc.jsonValue().filter((value) => typeof (value as { name?: unknown } | null)?.name !== 'string'),
    ),
  });
  const message = fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.jsonValue(), method, params },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    message.map((value) => JSON.stringify(value)),
    badCall.map((value) => JSON.stringify(value)),
    fc.array(fc.oneof(message, badCall), { maxLength: 3 }).map((value) => JSON.stringify(value)),
    message.map((value) => JSON.stringify(value).slice(0, -1)),
  );

  test('is never an internal error, never a call, always a protocol answer', async () => {
    const before = harness.calls.length;
    await fc.assert(
      fc.asyncProperty(anyHeaders, body, async (headers, text) => {
        const sent =
          headers['mcp-session-id'] === 'SESSION'
            ? { ...headers, 'mcp-session-id': session['mcp-session-id']! }
            : headers;
        const {
          status,
          json,
          text: answer,
        } = await raw(harness.port, {
          headers: sent,
          body: text,
          onData: () => true,
        });
        expect(status).toBeLessThan(500);
        if (json !== undefined)
          for (const one of [json].flat()) expect(one).toMatchObject({ jsonrpc: '2.0' });
        else expect(answer === '' || answer.startsWith('event: message')).toBe(true);
      }),
      { numRuns: cases(1_500) },
    );
    expect(harness.calls.length).toBe(before);
    expect((await raw(harness.port, { headers: session, body: rpc('ping') })).json.result).toEqual({});
  });
});
