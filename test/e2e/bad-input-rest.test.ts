import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../src/contract/error-body.ts';
import { sendRaw } from '../fixtures/http-server.ts';
import { fixture } from '../fixtures/start.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bad-'));
const executions = join(dir, 'executions.jsonl');
let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: { up: fixture('annotated.mjs', '--log', executions) } } });
});
afterAll(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

interface Sent {
  method?: string;
  headers?: Record<string, string | null>;
  body?: string;
}

async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const all = { 'x-api-key': proxy.key, 'content-type': 'application/json', ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const response = await fetch(proxy.url + path, {
    method,
    headers: given,
    ...(body !== undefined && { body }),
  });
  const { error } = ErrorBody.parse(await response.json());
  return { status: response.status, headers: response.headers, ...error };
}

const CALL = '/api/v1/tools/call';
const post = (body: string, headers: Sent['headers'] = {}): Sent => ({ method: 'POST', body, headers });
const GOOD = '{"tool_variant":"call_tool_read","name":"up:read_only","intent":{"operation_type":"read"}}';

describe('every refusal names what was wrong, and nothing runs', () => {
  test.each<[number, string, string, string, Sent, RegExp]>([
    [400, 'INVALID_JSON', 'no JSON', CALL, post('{"tool_variant":'), /not valid JSON/],
    [400, 'INVALID_JSON', 'no body', CALL, { method: 'POST' }, /empty/],
    [
      400,
      'TOO_DEEP',
      '10,000 levels',
      CALL,
      post(`{"args":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
      /deeper than 64/,
    ],
    [
      400,
      'INVALID_REQUEST',
      'an unknown variant',
      CALL,
      post('{"tool_variant":"call_tool","name":"up:read_only"}'),
      /call_tool_read/,
    ],
    [
      400,
      'INVALID_ARGUMENTS',
      'both args and args_json',
      CALL,
      post(GOOD.replace('}}', '},"args":{},"args_json":"{}"}')),
      /not both/,
    ],
    [
      404,
      'TOOL_NOT_FOUND',
      'an unknown tool',
      CALL,
      post(GOOD.replace('read_only', 'raed_only')),
      /Did you mean 'up:read_only'/,
    ],
    [
      403,
      'SERVER_MISMATCH',
      'a refusal',
      CALL,
      post(GOOD.replace('read_only', 'destructive')),
      /use call_tool_destructive/,
    ],
    [
      403,
      'MISSING_INTENT',
      'no intent',
      CALL,
      post('{"tool_variant":"call_tool_read","name":"up:read_only"}'),
      /./,
    ],
    [
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'a form',
      CALL,
      post('a=b', { 'content-type': 'text/plain' }),
      /application\/json/,
    ],
    [
      413,
      'PAYLOAD_TOO_LARGE',
      '17 MB',
      CALL,
      post(`{"x":"${'x'.repeat(17 * 1024 * 1024)}"}`),
      /larger than 16777216/,
    ],
    [401, 'UNAUTHORIZED', 'no key', CALL, post(GOOD, { 'x-api-key': null }), /X-API-Key/],
    [401, 'UNAUTHORIZED', 'a wrong key', CALL, post(GOOD, { 'x-api-key': 'wrong-key-0123456789' }), /wrong/],
    [
      403,
      'FORBIDDEN_HOST',
      'a page of another site',
      CALL,
      post(GOOD, { origin: 'http://evil.example' }),
      /Origin/,
    ],
    [404, 'NOT_FOUND', 'no such route', '/api/v1/toolz', {}, /./],
    [404, 'NOT_FOUND', 'nothing there', '/index.php', {}, /\/api\/v1/],
    [404, 'NOT_FOUND', 'an unknown server', '/api/v1/servers/upp', {}, /Did you mean 'up'/],
    [404, 'NOT_FOUND', 'an unknown record', '/api/v1/activity/01ARZ3NDEKTSV4RRFFQ69G5FAV', {}, /no record/],
    [405, 'METHOD_NOT_ALLOWED', 'DELETE on a listing', '/api/v1/tools', { method: 'DELETE' }, /GET/],
    [400, 'INVALID_REQUEST', 'a bad filter', '/api/v1/activity?status=bad', {}, /success.*refused/],
    [400, 'INVALID_REQUEST', 'an unknown filter', '/api/v1/activity?sttus=error', {}, /sttus.*status/],
    [400, 'INVALID_REQUEST', 'a limit out of range', '/api/v1/activity?limit=1000', {}, /100/],
    [400, 'INVALID_REQUEST', 'a cursor of another world', '/api/v1/activity?cursor=zzz', {}, /cursor/],
  ])('%i %s: %s', async (...[status, code, , path, sent, says]) => {
    const answer = await send(path, sent);
    expect(answer).toMatchObject({ status, code, message: expect.stringMatching(says) as string });
    expect(answer.headers.get('x-request-id')).toBe(answer.request_id);
    expect(existsSync(executions)).toBe(false);
  });

  test('405 says which methods there are', async () => {
    const { headers } = await send('/api/v1/tools', { method: 'DELETE' });
    expect(headers.get('allow')).toContain('GET');
  });

  test('those that were meant as a call are in the log', async () => {
    const { records } = await proxy.rest.request('listActivity', { status: 'refused', limit: 100 });
    const codes = records.map(({ error_code }) => error_code);
    for (const code of [
      'INVALID_JSON',
      'TOO_DEEP',
      'INVALID_REQUEST',
      'INVALID_ARGUMENTS',
      'TOOL_NOT_FOUND',
      'SERVER_MISMATCH',
      'MISSING_INTENT',
      'UNSUPPORTED_MEDIA_TYPE',
      'PAYLOAD_TOO_LARGE',
    ]) {
      expect(codes).toContain(code);
    }
  });
});

test('bytes that are no HTTP get an answer or a closed connection, and the proxy goes on', async () => {
  const port = Number(new URL(proxy.url).port);
  const answers = await Promise.all([
    sendRaw(port, ['\u0016\u0003\u0001 no http']),
    sendRaw(port, ['GET /healthz HTTP/9.9']),
    sendRaw(port, [
      'GET /api/v1/status HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `X-Long: ${'x'.repeat(70_000)}`,
    ]),
    sendRaw(port, [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
    ]),
  ]);
  for (const { status } of answers)
    expect(status === 0 || (status >= 400 && status < 500), String(status)).toBe(true);
  expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
});

test('__proto__ in a body reaches the server as a plain key', async () => {
  const body = GOOD.replace('}}', '},"args":{"__proto__":{"polluted":1}}}');
  const headers = { 'x-api-key': proxy.key, 'content-type': 'application/json' };
  const response = await fetch(proxy.url + CALL, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  expect(readFileSync(executions, 'utf8').trim()).toBe(
    '{"tool":"read_only","args":{"__proto__":{"polluted":1}}}',
  );
});
