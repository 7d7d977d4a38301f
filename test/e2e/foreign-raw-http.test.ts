import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../fixtures/mcp-harness.ts';
import { ENVELOPE, INITIALIZE, modernHeaders, modernRpc, rpc } from '../fixtures/mcp-messages.ts';
import { fixture } from '../fixtures/start.ts';
import { openForeignStage, OWN_TOOLS, reading, type ForeignStage } from './foreign-stage.ts';

let stage: ForeignStage;
beforeAll(async () => {
  stage = await openForeignStage();
});
afterAll(() => stage?.dispose());

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

async function post(headers: Record<string, string>, body: unknown): Promise<Response> {
  return fetch(`${stage.proxy.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.proxy.key}`, ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(250_000),
  });
}

/** A request that says by itself who sends it. */
async function modern(method: string, params: Record<string, unknown> = {}): Promise<Json> {
  const name = typeof params.name === 'string' ? params.name : undefined;
  const answer = await post(modernHeaders(method, name), modernRpc(method, params));
  expect(answer.status).toBe(200);
  return answer.json();
}

/** What a server on a pipe answers to one line, without anything in between. */
async function askDirectly(request: object, ...args: string[]): Promise<Json> {
  const { command, args: given } = fixture('annotated.mjs', ...args);
  const child = spawn(command!, given!, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
    throw new Error('the server ended without an answer');
  } finally {
    child.kill();
  }
}

describe('2026-07-28 by hand', () => {
  test('is told who is there and which tools', async () => {
    const { result } = await modern('server/discover');
    expect(result.supportedVersions).toEqual(['2026-07-28']);
    expect((await modern('tools/list')).result.tools.map(({ name }: Json) => name)).toEqual(OWN_TOOLS);
  });

  test('gets what the server said, also what no client knows', async () => {
    const direct = await askDirectly(modernRpc('tools/call', { name: 'rich', arguments: {} }));
    const { result } = await modern('tools/call', { name: 'call_tool_read', arguments: reading('up:rich') });
    const { resultType, _meta: meta, ...rest } = result;
    const { _meta: directMeta, ...directRest } = direct.result;
    expect(rest).toEqual(directRest);
    expect(resultType).toBe('complete');
    expect(meta).toMatchObject(directMeta);
  });

  test('each round of a call that asks back is a call with a record', async () => {
    const arguments_ = reading('2026-07-28:test_input_required_result_elicitation');
    const call = { name: 'call_tool_read', arguments: arguments_ };
    const asked = await modern('tools/call', call);
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { user_name: { method: 'elicitation/create' } },
    });
    const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } } };
    const answered = await modern('tools/call', { ...call, inputResponses });
    expect(answered.result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    const tool = 'test_input_required_result_elicitation';
    const { records } = await stage.proxy.rest.request('listActivity', {
      tool,
      type: 'tool_call',
      limit: 10,
    });
    expect(records.map(({ status, operation_type: operation }) => [status, operation])).toEqual([
      ['success', 'read'],
      ['success', 'read'],
    ]);
  });
});

describe('2025-11-25 by hand', () => {
  test('shakes hands, lists, calls and says goodbye', async () => {
    const hello = await post(JSON_HEADERS, rpc('initialize', INITIALIZE));
    const session = {
      ...JSON_HEADERS,
      'mcp-session-id': hello.headers.get('mcp-session-id')!,
      'mcp-protocol-version': '2025-11-25',
    };
    expect(((await hello.json()) as Json).result.protocolVersion).toBe('2025-11-25');
    const initialized = await post(session, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(initialized.status).toBe(202);
    const list = (await (await post(session, rpc('tools/list'))).json()) as Json;
    expect(list.result.tools.map(({ name }: Json) => name)).toEqual(OWN_TOOLS);

    const direct = await askDirectly(rpc('tools/call', { name: 'rich', arguments: {} }), '--legacy');
    const call = rpc('tools/call', { name: 'call_tool_read', arguments: reading('up:rich') });
    expect(((await (await post(session, call)).json()) as Json).result).toEqual(direct.result);

    const bye = { method: 'DELETE', headers: { ...session, 'x-api-key': stage.proxy.key } };
    expect((await fetch(`${stage.proxy.url}/mcp`, bye)).status).toBe(200);
    expect((await post(session, rpc('tools/list'))).status).toBe(404);
  });
});

test('without the key nobody gets in, in either era', async () => {
  const wrong = { authorization: 'Bearer wrong' };
  const older = await post({ ...JSON_HEADERS, ...wrong }, rpc('initialize', INITIALIZE));
  const newer = await post(
    { ...modernHeaders('tools/list'), ...wrong },
    rpc('tools/list', { _meta: ENVELOPE }),
  );
  expect([older.status, newer.status]).toEqual([401, 401]);
});
