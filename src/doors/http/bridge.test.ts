import type { Cancellation } from '../../contract/call.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, startFakeRest } from '../../../test/fixtures/fake-rest.ts';
import { KEY, sendText } from '../../../test/fixtures/http-server.ts';
import { activityRecord } from '../../../test/fixtures/rest-parts.ts';

afterEach(cleanUp);

test('an export flows only as fast as it is read, and ends when the reader leaves', async () => {
  let made = 0;
  let ended = false;
  const { http } = await startFakeRest(({ parts }) => {
    parts.activity.export = async function* () {
      try {
        for (;;) yield activityRecord(`0${made++}`, { response: 'x'.repeat(10_000) });
      } finally {
        ended = true;
      }
    };
  });
  const abort = new AbortController();
  const response = await fetch(`${http.url}/api/v1/activity/export`, {
    headers: { 'x-api-key': KEY },
    signal: abort.signal,
  });
  await response.body!.getReader().read();
  const settled = async () => {
    const before = made;
    await sleep(100);
    return made === before;
  };
  await expect.poll(settled).toBe(true);
  abort.abort();
  await expect.poll(() => ended).toBe(true);
});

test('an export that breaks half-way is cut, not ended as if it were whole', async () => {
  const { http } = await startFakeRest(({ parts }) => {
    parts.activity.export = async function* () {
      for (let i = 0; i < 20; i++) yield activityRecord(`0${i}`, { response: 'x'.repeat(10_000) });
      throw new Error('disk');
    };
  });
  const response = await fetch(`${http.url}/api/v1/activity/export`, { headers: { 'x-api-key': KEY } });
  await expect(response.text()).rejects.toThrow();
});

test('the signal of a call is aborted when the client leaves', async () => {
  let signal: Cancellation | undefined;
  const { http } = await startFakeRest(({ parts }) => {
    parts.callTool = (request) => {
      signal = request.signal;
      return new Promise(() => undefined);
    };
  });
  const abort = new AbortController();
  const request = fetch(`${http.url}/api/v1/tools/call`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: '{"tool_variant":"call_tool_read"}',
    signal: abort.signal,
  });
  await expect.poll(() => signal !== undefined).toBe(true);
  expect(signal!.aborted).toBe(false);
  abort.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => signal!.aborted).toBe(true);
});

test('a body above the limit is refused over the wire too, announced or not', async () => {
  const { http, calls } = await startFakeRest();
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const announced = await fetch(`${http.url}/api/v1/tools/call`, {
    method: 'POST',
    headers,
    body: Buffer.alloc(17 * 1024 * 1024, 0x20),
  });
  expect(announced.status).toBe(413);
  const chunk = new Uint8Array(1024 * 1024).fill(0x20);
  let left = 20;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
  });
  const streamed = await fetch(`${http.url}/api/v1/tools/call`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  });
  expect(streamed.status).toBe(413);
  expect(calls).toEqual([]);
});

test('a body that is refused unread does not spoil the connection', async () => {
  const { http } = await startFakeRest();
  const head = (line: string, ...more: string[]) =>
    [line, `Host: 127.0.0.1:${http.port}`, `X-API-Key: ${KEY}`, ...more, '', ''].join('\r\n');
  const refused = `${head('POST /api/v1/tools/call HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 1000000')}${'x'.repeat(1_000_000)}`;
  const { body, status } = await sendText(
    http.port,
    refused + head('GET /healthz HTTP/1.1', 'Connection: close'),
  );
  expect([status, body]).toEqual([415, expect.stringContaining('HTTP/1.1 200 OK')]);
});
