import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JSON_HEADERS, raw, startHarness, type Harness } from '../../../test/fixtures/mcp-harness.ts';
import { INITIALIZE, modernRpc, openSession, rpc } from '../../../test/fixtures/mcp-messages.ts';

let harness: Harness;
let session: Record<string, string>;
beforeAll(async () => {
  harness = await startHarness();
  session = await openSession(harness);
});
afterAll(() => harness.stop());

const send = (body: unknown, headers: Record<string, string> = session) =>
  raw(harness.port, { headers, body });
const call = (name: string, params: object = {}, id: unknown = 1) =>
  send(rpc('tools/call', { name, ...params }, id));

describe('the 2025 revisions over HTTP: answers', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'initialize in %s opens a session',
    async (protocolVersion) => {
      const answer = await send(rpc('initialize', { ...INITIALIZE, protocolVersion }), JSON_HEADERS);
      expect(answer.status).toBe(200);
      expect(answer.headers['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/);
      expect(answer.json.result).toEqual({
        protocolVersion,
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'mcpproxy', version: '1.2.3' },
        instructions: 'Search, then call.',
      });
    },
  );

  test('a revision that we do not know is answered with our newest', async () => {
    const answer = await send(
      rpc('initialize', { ...INITIALIZE, protocolVersion: '1999-01-01' }),
      JSON_HEADERS,
    );
    expect(answer.json.result.protocolVersion).toBe('2025-11-25');
  });

  test('the version header may be there at initialize', async () => {
    const answer = await send(rpc('initialize', INITIALIZE), {
      ...JSON_HEADERS,
      'mcp-protocol-version': '2025-11-25',
    });
    expect(answer.status).toBe(200);
  });

  test('ping is answered with nothing at all', async () => {
    expect((await send(rpc('ping'))).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('tools/list has nothing of the newer era in it', async () => {
    const { json } = await send(rpc('tools/list', { cursor: 'x' }));
    expect(json.result).toEqual(harness.listTools());
  });

  test('tools/call names the caller and its session', async () => {
    const { json } = await call('echo', { arguments: { a: 1 } });
    expect(json.result).toEqual({ content: [{ type: 'text', text: '{"a":1}' }] });
    const request = harness.calls.at(-1)!;
    expect(request.caller).toMatchObject({
      source: 'mcp',
      client: 'tester/9',
      sessionId: session['mcp-session-id'],
    });
    expect(request.continuation).toBeUndefined();
  });

  test('results pass untouched', async () => {
    expect((await call('odd')).json.result).toEqual({
      content: [{ type: 'hologram', depth: 1.5 }],
      _meta: { 'example.com/x': [1] },
      'x-extra': null,
      structuredContent: [1],
    });
  });

  test.each([['t'], [5]])('progress comes before the result, with exactly the token %j', async (token) => {
    const { headers, events } = await call('slow', { _meta: { progressToken: token } }, 'a');
    expect(headers['content-type']).toBe('text/event-stream');
    expect(events.map((event) => event.params?.progressToken ?? event.id)).toEqual([
      token,
      token,
      token,
      'a',
    ]);
  });

  test('a result that asks back becomes an error that says why', async () => {
    const { json } = await call('ask');
    expect(json.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'UPSTREAM_FAILED' } },
    });
    expect(json.result.content[0].text).toMatch(/interactive input.*2026-07-28/s);
    expect(json.result).not.toHaveProperty('resultType');
  });

  test.each([
    ['ready', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['cancel of nothing', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }],
    ['answer to nothing', { jsonrpc: '2.0', id: 5, result: {} }],
  ])('taken without an answer: %s', async (_case, body) => {
    const answer = await send(body, { ...session, 'mcp-method': 'notifications/initialized' });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});

describe('the 2025 revisions over HTTP: refusals', () => {
  const without = (name: string) =>
    Object.fromEntries(Object.entries(session).filter(([key]) => key !== name));
  const list = rpc('tools/list');

  test.each<[string, () => Record<string, string>, unknown, number, number, unknown?]>([
    ['no session id', () => JSON_HEADERS, list, 400, -32000],
    ['unknown session', () => ({ ...JSON_HEADERS, 'mcp-session-id': 'nope' }), list, 404, -32001],
    ['bad version header', () => ({ ...session, 'mcp-protocol-version': '1999-01-01' }), list, 400, -32000],
    ['Accept without events', () => ({ ...session, accept: 'application/json' }), list, 406, -32000],
    ['no Accept', () => without('accept'), list, 406, -32000],
    ['second initialize', () => session, rpc('initialize', INITIALIZE), 400, -32600],
    ['initialize without version', () => JSON_HEADERS, rpc('initialize', {}), 200, -32602],
    ['unknown method', () => session, rpc('foo/bar'), 200, -32601],
    ['server/discover', () => session, rpc('server/discover', {}), 200, -32601],
    ['subscriptions/listen', () => session, rpc('subscriptions/listen', {}), 200, -32601],
    ['tool name no string', () => session, rpc('tools/call', { name: null }), 200, -32602],
    ['_meta no object', () => session, rpc('tools/call', { name: 'echo', _meta: 5 }), 200, -32602],
    ['batch', () => session, [list], 400, -32600, null],
  ])('%s', async (_case, ...[headers, body, status, code, id = 1]) => {
    const before = harness.calls.length;
    const answer = await send(body, headers());
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, id]);
    expect(harness.calls.length).toBe(before);
  });

  test('not JSON by type', async () => {
    const answer = await send(list, { ...session, 'content-type': 'text/plain' });
    expect([answer.status, answer.json.error.code]).toEqual([415, -32000]);
    expect((await send(list, { ...session, 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(
      200,
    );
  });

  test('any other verb', async () => {
    const answer = await raw(harness.port, { method: 'PUT', headers: session, body: '{}' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, DELETE']);
  });

  test('GET that does not accept events', async () => {
    const { accept: _accept, ...headers } = session;
    expect((await raw(harness.port, { method: 'GET', headers })).status).toBe(406);
  });

  test('an id that is in flight already', async () => {
    const first = call('steps', {}, 'same');
    await expect.poll(() => harness.calls.at(-1)?.name).toBe('steps');
    const second = await call('echo', {}, 'same');
    expect([second.status, second.json.error.code]).toEqual([400, -32600]);
    await call('go', {}, 'other');
    expect((await first).json.result.content[0].text).toBe('done');
  });
});

describe('batches', () => {
  let batching: Record<string, string>;
  beforeAll(async () => {
    batching = await openSession(harness, '2025-03-26');
  });

  test('answers leave together', async () => {
    const body = [
      rpc('ping', undefined, 20),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      rpc('tools/call', { name: 'wait', arguments: { ms: 20 } }, 21),
      rpc('nope', {}, 22),
    ];
    const { status, json } = await send(body, batching);
    expect(status).toBe(200);
    expect(json.map((answer: { id: number }) => answer.id).sort()).toEqual([20, 21, 22]);
  });

  test('a batch can cancel what it asks for', async () => {
    const cancel = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 31, reason: 'enough' },
    };
    const answer = await send([cancel, rpc('tools/call', { name: 'hang' }, 31)], batching);
    expect([answer.status, answer.events]).toEqual([200, []]);
    expect(harness.aborted).toContain('enough');
  });

  test('notifications alone are taken', async () => {
    expect((await send([{ jsonrpc: '2.0', method: 'notifications/x' }], batching)).status).toBe(202);
  });

  test.each<[string, unknown[]]>([
    ['empty', []],
    ['too long', Array.from({ length: 51 }, (_, id) => rpc('ping', undefined, id))],
    ['with initialize', [rpc('initialize', INITIALIZE)]],
    ['with a 2026 request', [modernRpc('tools/list')]],
    ['with something else', [rpc('ping'), 5]],
    ['nested', [[rpc('ping')]]],
  ])('%s: refused as a whole', async (_case, body) => {
    const { status, json } = await send(body, batching);
    expect([status, json.error.code, json.id]).toEqual([400, -32600, null]);
  });
});
