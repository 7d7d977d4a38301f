import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf, JSON_TYPE, restClient } from '../../../test/fixtures/rest-client.ts';
import { fakeParts } from '../../../test/fixtures/rest-parts.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
beforeEach(() => {
  fake = fakeParts();
  door = restClient(fake.parts);
});

describe('bodies', () => {
  const call = '/api/v1/tools/call';
  const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

  test.each<[string, string | undefined, Record<string, string>, number, string]>([
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a lookalike', '{}', { 'content-type': 'application/jsonp' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['half JSON', '{"tool_variant":', JSON_TYPE, 400, 'INVALID_JSON'],
    ['an empty body', '', JSON_TYPE, 400, 'INVALID_JSON'],
    ['no body', undefined, JSON_TYPE, 400, 'INVALID_JSON'],
    ['an array', '[]', JSON_TYPE, 400, 'INVALID_REQUEST'],
    ['null', 'null', JSON_TYPE, 400, 'INVALID_REQUEST'],
    ['65 levels', deep(65), JSON_TYPE, 400, 'TOO_DEEP'],
    ['a million levels', '['.repeat(1_000_000), JSON_TYPE, 400, 'TOO_DEEP'],
    ['too many keys', `{${'"a":1,'.repeat(100_001)}"b":1}`, JSON_TYPE, 413, 'PAYLOAD_TOO_LARGE'],
    ['too many values', `[${'1,'.repeat(1_000_001)}1]`, JSON_TYPE, 413, 'PAYLOAD_TOO_LARGE'],
    ['too much', `"${'x'.repeat(16 * 1024 * 1024)}"`, JSON_TYPE, 413, 'PAYLOAD_TOO_LARGE'],
    ['an unknown variant', '{"tool_variant":"call_tool"}', JSON_TYPE, 400, 'INVALID_REQUEST'],
    [
      'a timeout without unit',
      '{"tool_variant":"call_tool_read","name":"a:b","timeout":"5"}',
      JSON_TYPE,
      400,
      'INVALID_REQUEST',
    ],
    [
      'no time at all',
      '{"tool_variant":"call_tool_read","name":"a:b","timeout":"0s"}',
      JSON_TYPE,
      400,
      'INVALID_REQUEST',
    ],
  ])(
    '%s is refused, recorded, and never reaches the road',
    async (_name, ...[body, headers, status, code]) => {
      const response = await door.sendWith('POST', call, { body, headers });
      expect(await errorOf(response)).toEqual([status, code]);
      expect(fake.calls).toEqual([]);
      expect(fake.recorded).toEqual([
        {
          draft: expect.objectContaining({ type: 'bad_request', request_id: 'req-1' }),
          outcome: expect.objectContaining({ status: 'refused', error_code: code }),
        },
      ]);
    },
  );

  test('bytes that are not UTF-8 are refused, not repaired', async () => {
    const request = new Request(`http://127.0.0.1${call}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(await errorOf(await door.rest(request))).toEqual([400, 'INVALID_JSON']);
  });

  test('what the parser says of a broken body does not repeat the body', async () => {
    const response = await door.send('POST', call, '{"args": sekrit-token-123}');
    expect(await response.text()).not.toContain('sekrit');
  });

  test.each([
    ['POST', '/tools/github%3Alist_issues/approve', 'hash, keep_operation'],
    ['POST', '/tools/github%3Alist_issues/reject', 'hash'],
    ['POST', '/servers/github/restart', undefined],
    ['DELETE', '/tools/github%3Alist_issues/operation', undefined],
  ])('%s %s takes no body: what stands in one is refused, not ignored', async (method, path, parameters) => {
    for (const body of ['{"hash":"old"}', '[]', 'null', 'x', `{"a":"${'x'.repeat(100_000)}"}`]) {
      const response = await door.send(method, `/api/v1${path}`, body);
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe('INVALID_REQUEST');
      expect(error.message).toContain('takes no body');
      if (parameters) expect(error.message).toContain(`pass ${parameters} as query parameters`);
    }
    for (const body of [undefined, '', '{}', ' { }\n'])
      expect((await door.send(method, `/api/v1${path}`, body)).status).toBe(200);
  });

  test('a form body is refused even where no body is read', async () => {
    expect(
      (
        await door.sendWith('POST', '/api/v1/servers/github/restart', {
          body: 'x=1',
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
    expect(fake.servers.get('github')?.restarts).toBe(0);
  });

  test('a charset is fine', async () => {
    const body = JSON.stringify({ tool_variant: 'call_tool_read', name: 'github:list_issues' });
    expect(
      (
        await door.sendWith('POST', call, {
          body,
          headers: { 'content-type': 'Application/JSON; charset=utf-8' },
        })
      ).status,
    ).toBe(200);
  });
});
