import { existsSync, readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { openRawMcp, type RawMcp } from './raw-mcp.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// Whatever is wrong with a message: an answer that says what and what to do, a record, and no call of the server.

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bad-'));
const executions = join(dir, 'executions.jsonl');
const MEGABYTE = 1024 * 1024;
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

let proxy: RunningProxy;
let mcp: RawMcp;
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: { up: fixture('annotated.mjs', '--log', executions) } } });
  mcp = await openRawMcp(proxy);
});
afterAll(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

function executed(): string[] {
  return existsSync(executions) ? readFileSync(executions, 'utf8').trim().split('\n') : [];
}

async function newest(filter: {
  type?: ActivityRecord['type'];
  status?: ActivityRecord['status'];
}): Promise<ActivityRecord> {
  return poll(
    'the record',
    () => proxy.stderr(),
    async () => {
      return (await proxy.rest.request('listActivity', { ...filter, limit: 1 })).records[0];
    },
  );
}

/** Nothing ran, and the newest record of the kind is a new one. */
async function refusedWith(
  act: () => Promise<unknown>,
  filter: { type: ActivityRecord['type'] },
  code: string,
): Promise<ActivityRecord> {
  const [ran, { total }] = [
    executed().length,
    await proxy.rest.request('listActivity', { ...filter, limit: 1 }),
  ];
  await act();
  const record = await poll(
    'a new record',
    () => proxy.stderr(),
    async () => {
      const page = await proxy.rest.request('listActivity', { ...filter, limit: 1 });
      return page.total === total + 1 && page.records[0]?.status !== 'pending' ? page.records[0] : undefined;
    },
  );
  expect(record).toMatchObject({ status: 'refused', error_code: code });
  expect(executed()).toHaveLength(ran);
  return record;
}

describe('malformed JSON-RPC', () => {
  test.each<[string, string | Uint8Array, number, string, RegExp]>([
    ['no JSON', '{"jsonrpc":"2.0","id":1,', -32700, 'INVALID_JSON', /not valid JSON/],
    ['nothing', '', -32700, 'INVALID_JSON', /empty/],
    ['no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), -32700, 'INVALID_JSON', /UTF-8/],
    ['no object', '"tools/call"', -32600, 'INVALID_REQUEST', /must be a JSON object/],
    [
      'another version',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      -32600,
      'INVALID_REQUEST',
      /"jsonrpc" must be "2.0"/,
    ],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600, 'INVALID_REQUEST', /"method" is missing/],
    [
      'a method that is a number',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      -32600,
      'INVALID_REQUEST',
      /"method" must be/,
    ],
    [
      'params as a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}',
      -32600,
      'INVALID_REQUEST',
      /"params" must be/,
    ],
    [
      'an id that is an object',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      -32600,
      'INVALID_REQUEST',
      /"id" must be/,
    ],
    [
      '10,000 levels',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":${deep(10_000)}}}`,
      -32600,
      'TOO_DEEP',
      /deeper than 64/,
    ],
  ])('%s', async (...[, body, rpcCode, code, says]) => {
    let answer: Awaited<ReturnType<RawMcp['send']>> | undefined;
    const record = await refusedWith(
      async () => (answer = await mcp.send(body)),
      { type: 'bad_request' },
      code,
    );
    expect(answer).toMatchObject({
      status: 400,
      json: { jsonrpc: '2.0', error: { code: rpcCode, message: expect.stringMatching(says) as string } },
    });
    expect(record.error_message).toMatch(says);
  });

  test('the wrong Content-Type is 415, too many bytes are 413', async () => {
    const type = { 'content-type': 'text/plain' };
    await refusedWith(
      async () => expect((await mcp.send('{}', type)).status).toBe(415),
      { type: 'bad_request' },
      'INVALID_REQUEST',
    );
    const body = `{"x":"${'x'.repeat(17 * MEGABYTE)}"}`;
    await refusedWith(
      async () => expect(await statusOfFlood(body)).toBe(413),
      { type: 'bad_request' },
      'PAYLOAD_TOO_LARGE',
    );
  });
});

/** The answer may come, and the connection end, before everything is sent. */
function statusOfFlood(body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': proxy.key,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const req = httpRequest(`${proxy.url}/mcp`, { method: 'POST', headers }, (res) => {
      resolve(res.statusCode!);
      res.resume();
      req.destroy();
    });
    req.on('error', reject);
    req.end(body);
  });
}

const READ = '"intent_operation_type":"read"';

describe('a call that cannot be made', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'an unknown tool',
      `{"name":"up:raed_only",${READ}}`,
      'TOOL_NOT_FOUND',
      /'up:raed_only' not found\. Did you mean 'up:read_only'/,
    ],
    [
      'an unknown server',
      `{"name":"upp:read_only",${READ}}`,
      'TOOL_NOT_FOUND',
      /Did you mean 'up:read_only'/,
    ],
    ['no name', `{${READ}}`, 'INVALID_ARGUMENTS', /name is required, as "server:tool"/],
    ['a name without a server', `{"name":"read_only",${READ}}`, 'INVALID_ARGUMENTS', /must be "server:tool"/],
    [
      'a name with control characters',
      `{"name":"up:read\\u001b[31m_only",${READ}}`,
      'INVALID_ARGUMENTS',
      /control characters/,
    ],
    [
      'a name with a line break',
      `{"name":"up:read_only\\n",${READ}}`,
      'INVALID_ARGUMENTS',
      /control characters/,
    ],
    [
      'args_json that is a list',
      `{"name":"up:read_only","args_json":"[1]",${READ}}`,
      'INVALID_ARGUMENTS',
      /args_json must hold a JSON object, got an array/,
    ],
    [
      'args_json that is no JSON',
      `{"name":"up:read_only","args_json":"{text: 1}",${READ}}`,
      'INVALID_ARGUMENTS',
      /args_json is not valid JSON/,
    ],
    [
      'args that are text',
      `{"name":"up:read_only","args":"{}",${READ}}`,
      'INVALID_ARGUMENTS',
      /args must be an object, got a string/,
    ],
    [
      'both args and args_json',
      `{"name":"up:read_only","args":{},"args_json":"{}",${READ}}`,
      'INVALID_ARGUMENTS',
      /either args or args_json, not both/,
    ],
    [
      'args_json 10,000 deep',
      `{"name":"up:read_only","args_json":"{\\"x\\":${deep(10_000)}}",${READ}}`,
      'TOO_DEEP',
      /deeper than 64 levels/,
    ],
    [
      'a name only in the prototype',
      `{"__proto__":{"name":"up:read_only"},${READ}}`,
      'INVALID_ARGUMENTS',
      /name is required/,
    ],
  ])('%s', async (...[, args, code, says]) => {
    let answer: Awaited<ReturnType<RawMcp['send']>> | undefined;
    const record = await refusedWith(
      async () => (answer = await mcp.call('call_tool_read', args)),
      { type: 'tool_call' },
      code,
    );
    const { result } = answer!.json;
    expect(answer!.status).toBe(200);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code } } });
    expect(result.content[0].text).toMatch(says);
    expect(record.error_message).toMatch(says);
    expect(record.metadata.tool_variant).toBe('call_tool_read');
  });

  test('a tool of the proxy that does not exist is named, and recorded', async () => {
    let answer: Awaited<ReturnType<RawMcp['send']>> | undefined;
    await refusedWith(
      async () => (answer = await mcp.call('call_tool_delete', '{"name":"up:read_only"}')),
      { type: 'discovery' },
      'TOOL_NOT_FOUND',
    );
    expect(answer!.json.result).toMatchObject({ isError: true });
    expect(answer!.json.result.content[0].text).toContain('call_tool_delete');
  });
});

describe('unusual, but allowed', () => {
  test.each([
    ['args', (json: string) => `"args":${json}`],
    ['args_json', (json: string) => `"args_json":${JSON.stringify(json)}`],
  ])(
    '__proto__ and constructor in %s reach the server as plain keys, and change nothing here',
    async (_, form) => {
      const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"text":"t"}';
      const answer = await mcp.call('call_tool_read', `{"name":"up:read_only",${form(json)},${READ}}`);
      expect(answer.json.result.content[0].text).toBe(json);
      expect(executed().at(-1)).toBe(`{"tool":"read_only","args":${json}}`);
      const entry = await proxy.rest.request('getTool', { name: 'up:read_only' });
      expect((entry as Record<string, unknown>).polluted).toBeUndefined();
      expect(JSON.stringify((await newest({ type: 'tool_call' })).arguments)).toContain('__proto__');
    },
  );

  test('10 MB of arguments pass whole; the record keeps what its limit allows', async () => {
    const text = 'y'.repeat(10 * MEGABYTE);
    const answer = await mcp.call(
      'call_tool_read',
      `{"name":"up:read_only","args":{"text":"${text}"},${READ}}`,
    );
    expect(answer.json.result.content[0].text.length).toBe(text.length + '{"text":""}'.length);
    expect(executed().at(-1)!.length).toBeGreaterThan(text.length);
    const record = await newest({ type: 'tool_call' });
    expect(record).toMatchObject({ tool_name: 'read_only', status: 'success', response_truncated: true });
    expect(JSON.stringify(record).length).toBeLessThan(2 * MEGABYTE);
  });

  test('after all this the proxy answers as before', async () => {
    const answer = await mcp.call('call_tool_read', `{"name":"up:read_only","args":{"text":"well"},${READ}}`);
    expect(answer.json.result.content[0].text).toBe('{"text":"well"}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
