import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  JSON_HEADERS,
  raw,
  startHarness,
  type Harness,
  type Json,
} from '../../../test/fixtures/mcp-harness.ts';
import {
  ENVELOPE,
  modern,
  sendModern,
  modernHeaders,
  modernRpc,
  rpc,
} from '../../../test/fixtures/mcp-messages.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SERVER = 'io.modelcontextprotocol/serverInfo';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe('revision 2026-07-28 over HTTP: answers', () => {
  test('server/discover says what we are', async () => {
    const { status, json } = await modern(harness, 'server/discover');
    expect(status).toBe(200);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true }, logging: {} },
        instructions: 'Search, then call.',
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { [SERVER]: { name: 'mcpproxy', version: '1.2.3' } },
      },
    });
  });

  test('tools/list, with any cursor, gives the whole list and how long it may be kept', async () => {
    const { json } = await modern(harness, 'tools/list', { cursor: 'anything' });
    expect(json.result.tools.map((tool: Json) => tool.name)).toEqual(
      harness.listTools().tools.map((tool) => tool.name),
    );
    expect(json.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    expect(json.result).not.toHaveProperty('nextCursor');
  });

  test('tools/call passes the arguments raw and names the caller', async () => {
    const { json, headers } = await modern(harness, 'tools/call', {
      name: 'echo',
      arguments: { a: [1.5, null, 'é'] },
    });
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(json.result.content[0].text)).toEqual({ a: [1.5, null, 'é'] });
    expect(json.result.resultType).toBe('complete');
    const { caller, onProgress, continuation } = harness.calls.at(-1)!;
    expect(caller).toMatchObject({
      source: 'mcp',
      principal: 'operator',
      userId: 'user of operator',
      client: 'tester/9',
    });
    expect(caller.requestId).toMatch(/^[0-9A-Z]{26}$/);
    expect(caller).not.toHaveProperty('sessionId');
    expect(onProgress).toBeUndefined();
    expect(continuation).toEqual({ clientCapabilities: { elicitation: { form: {} } } });
  });

  test('a client name is cut to 200 characters, and may be missing', async () => {
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'n'.repeat(500), version: '1' } };
    await modern(harness, 'tools/call', { name: 'echo', _meta: info });
    expect(harness.calls.at(-1)!.caller.client).toBe('n'.repeat(200));
    const bare = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} };
    const body = rpc('tools/call', { name: 'echo', _meta: bare });
    expect((await raw(harness.port, { headers: modernHeaders('tools/call', 'echo'), body })).status).toBe(
      200,
    );
    expect(harness.calls.at(-1)!.caller).not.toHaveProperty('client');
  });

  test('unknown content blocks, _meta and odd fields pass untouched', async () => {
    const { json } = await modern(harness, 'tools/call', { name: 'odd' });
    expect(json.result).toEqual({
      content: [{ type: 'hologram', depth: 1.5 }],
      'x-extra': null,
      structuredContent: [1],
      resultType: 'complete',
      _meta: { [SERVER]: { name: 'mcpproxy', version: '1.2.3' }, 'example.com/x': [1] },
    });
  });

  test.each([['p7'], [7], [''], [0]])(
    'progress comes before the result, with exactly the token %j',
    async (token) => {
      const { headers, events } = await modern(harness, 'tools/call', {
        name: 'slow',
        _meta: { progressToken: token },
      });
      expect(headers['content-type']).toBe('text/event-stream');
      expect(events.map((event) => event.method ?? 'result')).toEqual([
        ...Array(3).fill('notifications/progress'),
        'result',
      ]);
      expect(events.slice(0, 3).map((event) => event.params)).toEqual(
        [1, 2, 3].map((step) => ({
          progress: step,
          total: 3,
          message: `step ${step}`,
          progressToken: token,
        })),
      );
      expect(events[3]).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    },
  );

  test('input_required goes out as it is, and the next round comes in as it is', async () => {
    const { json } = await modern(harness, 'tools/call', { name: 'ask' });
    expect(json.result).toMatchObject({
      resultType: 'input_required',
      requestState: 'opaque',
      inputRequests: { q: {} },
    });
    const inputResponses = { q: { action: 'accept', content: { n: 'x' } } };
    const next = await sendModern(harness, {
      method: 'tools/call',
      params: { name: 'ask', inputResponses, requestState: 'opaque' },
      id: 2,
    });
    expect(JSON.parse(next.json.result.content[0].text)).toEqual({
      clientCapabilities: { elicitation: { form: {} } },
      inputResponses,
      requestState: 'opaque',
    });
  });

  test('a string id comes back as a string', async () => {
    expect((await sendModern(harness, { method: 'tools/list', id: '1' })).json.id).toBe('1');
  });

  test('a name that reads as encoded is told apart from what it encodes', async () => {
    const name = `=?base64?${Buffer.from('echo').toString('base64')}?=`;
    const send = (header: string) =>
      raw(harness.port, {
        headers: modernHeaders('tools/call', header),
        body: modernRpc('tools/call', { name }),
      });
    expect((await send(name)).json.error.code).toBe(-32020);
    expect((await send(`=?base64?${Buffer.from(name).toString('base64')}?=`)).status).toBe(200);
  });

  test('a base64 name header is decoded', async () => {
    const headers = modernHeaders('tools/call', `=?base64?${Buffer.from('ünknown').toString('base64')}?=`);
    const { json } = await raw(harness.port, { headers, body: modernRpc('tools/call', { name: 'ünknown' }) });
    expect(json.result.isError).toBe(true);
  });
});

describe('revision 2026-07-28 over HTTP: refusals', () => {
  const list = modernRpc('tools/list');
  const call = modernRpc('tools/call', { name: 'echo' });
  const without = (key: string) =>
    rpc('tools/list', { _meta: Object.fromEntries(Object.entries(ENVELOPE).filter(([k]) => k !== key)) });
  const withMeta = (meta: object) => modernRpc('tools/list', { _meta: meta });
  const version = (value: string) => ({ ...modernHeaders('tools/list'), 'mcp-protocol-version': value });

  test.each<[string, Record<string, string>, unknown, number, number, object?]>([
    ['unknown method', modernHeaders('foo/bar'), modernRpc('foo/bar'), 404, -32601],
    ['ping', modernHeaders('ping'), modernRpc('ping'), 404, -32601],
    ['initialize', modernHeaders('initialize'), modernRpc('initialize'), 404, -32601],
    ['logging/setLevel', modernHeaders('logging/setLevel'), modernRpc('logging/setLevel'), 404, -32601],
    [
      'resources/subscribe',
      modernHeaders('resources/subscribe'),
      modernRpc('resources/subscribe'),
      404,
      -32601,
    ],
    ['prompts/list', modernHeaders('prompts/list'), modernRpc('prompts/list'), 404, -32601],
    ['no version header', { ...JSON_HEADERS, 'mcp-method': 'tools/list' }, list, 400, -32020],
    ['no method header', { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28' }, list, 400, -32020],
    ['another method header', modernHeaders('tools/call'), list, 400, -32020],
    ['method header in capitals', modernHeaders('TOOLS/LIST'), list, 400, -32020],
    ['no name header', modernHeaders('tools/call'), call, 400, -32020],
    ['another name header', modernHeaders('tools/call', 'other'), call, 400, -32020],
    ['broken base64 name header', modernHeaders('tools/call', '=?base64?%%?='), call, 400, -32020],
    ['header says 2025, body 2026', version('2025-11-25'), list, 400, -32020],
    [
      'header 2026, body unknown revision',
      modernHeaders('tools/list'),
      withMeta({ [VERSION]: 'v999.0.0' }),
      400,
      -32020,
    ],
    ['initialize without envelope', modernHeaders('initialize'), rpc('initialize'), 400, -32020],
    [
      'unknown revision',
      version('v999.0.0'),
      withMeta({ [VERSION]: 'v999.0.0' }),
      400,
      -32022,
      { supported: ['2026-07-28'], requested: 'v999.0.0' },
    ],
    [
      'no envelope',
      modernHeaders('tools/list'),
      rpc('tools/list', {}),
      400,
      -32602,
      { envelope: { missing: ['_meta'] } },
    ],
    ['no params', modernHeaders('tools/list'), rpc('tools/list'), 400, -32602],
    ['envelope without revision', modernHeaders('tools/list'), without(VERSION), 400, -32602],
    ['envelope without capabilities', modernHeaders('tools/list'), without(CAPABILITIES), 400, -32602],
    ['capabilities no object', modernHeaders('tools/list'), withMeta({ [CAPABILITIES]: [] }), 400, -32602],
    ['revision no string', modernHeaders('tools/list'), withMeta({ [VERSION]: 20260728 }), 400, -32602],
    [
      'clientInfo without name',
      modernHeaders('tools/list'),
      withMeta({ 'io.modelcontextprotocol/clientInfo': {} }),
      400,
      -32602,
    ],
    ['tool name no string', modernHeaders('tools/call'), modernRpc('tools/call', { name: 5 }), 200, -32602],
    ['tool name missing', modernHeaders('tools/call'), modernRpc('tools/call'), 200, -32602],
    [
      'progress token no token',
      modernHeaders('tools/call', 'echo'),
      modernRpc('tools/call', { name: 'echo', _meta: { progressToken: {} } }),
      200,
      -32602,
    ],
    [
      'listen without filter',
      modernHeaders('subscriptions/listen'),
      modernRpc('subscriptions/listen'),
      200,
      -32602,
    ],
  ])('%s', async (_case, ...[headers, body, status, code, data]) => {
    const before = harness.calls.length;
    const answer = await raw(harness.port, { headers, body });
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, 1]);
    if (data) expect(answer.json.error.data).toEqual(data);
    expect(harness.calls.length).toBe(before);
  });

  test('what the server says to the client program is an error with its data', async () => {
    const missing = await modern(harness, 'tools/call', { name: 'capability' });
    expect([missing.status, missing.json.error.code, missing.json.id]).toEqual([400, -32021, 1]);
    expect(missing.json.error.data).toEqual({ requiredCapabilities: { sampling: {} } });
    const tampered = await modern(harness, 'tools/call', { name: 'tampered' });
    expect([tampered.status, tampered.json.error]).toEqual([
      200,
      { code: -32602, message: 'bad state', data: { a: 1 } },
    ]);
  });

  test('a handler that breaks says nothing of its inside', async () => {
    const { status, json, text } = await modern(harness, 'tools/call', { name: 'broken' });
    expect([status, json.error]).toEqual([200, { code: -32603, message: 'Internal error' }]);
    expect(text).not.toContain('secret');
  });

  test('a refusal that the model should read is a result', async () => {
    const { status, json } = await modern(harness, 'tools/call', { name: 'refused' });
    expect([status, json.result.isError]).toEqual([200, true]);
  });

  test('an Accept header without event streams is no fault here', async () => {
    expect(
      (await sendModern(harness, { method: 'tools/list', headers: { accept: 'application/json' } })).status,
    ).toBe(200);
  });

  test('notifications are taken and mean nothing', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: ENVELOPE } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]) {
      const headers = modernHeaders('notifications/cancelled');
      const answer = await raw(harness.port, { headers, body });
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  test('a batch may not hold a 2026 request', async () => {
    const { status, json } = await raw(harness.port, { headers: JSON_HEADERS, body: [list] });
    expect([status, json.error.code, json.id]).toEqual([400, -32600, null]);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s is not allowed', async (method) => {
    const headers = { 'mcp-protocol-version': '2026-07-28', accept: 'text/event-stream' };
    const answer = await raw(harness.port, { method, headers });
    expect([answer.status, answer.headers.allow, answer.json.error.code]).toEqual([405, 'POST', -32000]);
  });

  test('a closed response cancels the call', async () => {
    const stop = new AbortController();
    const hung = sendModern(harness, {
      method: 'tools/call',
      params: { name: 'hang' },
      signal: stop.signal,
    });
    const before = harness.calls.length;
    await expect.poll(() => harness.calls.length).toBe(before + 1);
    stop.abort();
    await expect(hung).rejects.toThrow();
    await expect.poll(() => harness.aborted).toContain('the client closed the response');
  });
});

describe('revision 2026-07-28 over HTTP: subscriptions', () => {
  const listen = (notifications: object, onData?: (text: string) => boolean | void) =>
    sendModern(harness, {
      method: 'subscriptions/listen',
      params: { notifications },
      id: 'sub-1',
      ...(onData && { onData }),
    });

  test('acknowledged first, then told of changes, each with the id of the subscription', async () => {
    const { headers, events } = await listen({ toolsListChanged: true, promptsListChanged: true }, (text) => {
      if (text.includes('list_changed')) return true;
      if (text.includes('acknowledged')) harness.endpoint.listChanged('tools');
      return false;
    });
    expect(headers['content-type']).toBe('text/event-stream');
    const mark = { [SUBSCRIPTION]: 'sub-1' };
    expect(events).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: mark },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: mark } },
    ]);
  });

  test('with nothing to tell it ends at once', async () => {
    const { events } = await listen({ promptsListChanged: true });
    expect(events.map((event) => event.method ?? event.result.resultType)).toEqual([
      'notifications/subscriptions/acknowledged',
      'complete',
    ]);
  });

  test('of one client leave room for those of another', async () => {
    const crowded = await startHarness({ limits: { subscriptions: 4 } });
    const subscribe = (user: string) => {
      const heard = { acknowledged: false, ended: false };
      void raw(crowded.port, {
        headers: { ...modernHeaders('subscriptions/listen'), 'x-user': user },
        body: modernRpc('subscriptions/listen', { notifications: { toolsListChanged: true } }, user),
        onData: (text) => void (heard.acknowledged = text.includes('acknowledged')),
      }).then(
        () => (heard.ended = true),
        () => undefined,
      );
      return heard;
    };
    const many: Array<ReturnType<typeof subscribe>> = [];
    // One after the other: the oldest is the first.
    for (const _ of [1, 2, 3, 4]) {
      many.push(subscribe('bob'));
      await expect.poll(() => many.at(-1)!.acknowledged).toBe(true);
    }
    const [further, other] = [subscribe('bob'), subscribe('alice')];
    await expect.poll(() => [further.ended, other.acknowledged, many[0]!.ended]).toEqual([true, true, true]);
    expect([further.acknowledged, other.ended, many[1]!.ended]).toEqual([false, false, false]);
    await crowded.stop();
  });

  test('when the proxy stops, a subscription gets its result', async () => {
    const other = await startHarness();
    const subscription = sendModern(other, {
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
      id: 'sub-9',
      onData: (text) => void (text.includes('acknowledged') && other.stop()),
    });
    const { events } = await subscription;
    expect(events.at(-1)).toMatchObject({
      id: 'sub-9',
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'sub-9' } },
    });
  });
});
