import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { KEY, startHttp, type Running } from '../../test/fixtures/http-server.ts';
import { activityRecord, fakeParts } from '../../test/fixtures/rest-parts.ts';
import { createRest } from './rest.ts';
import { eventRoutes } from './routes/events.ts';

interface ServerEvent {
  id?: string | undefined;
  event?: string | undefined;
  data?: string | undefined;
}

const cleanup: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end();
});

async function start(prepare: (fake: ReturnType<typeof fakeParts>) => void = () => undefined) {
  const fake = fakeParts();
  prepare(fake);
  const http = await startHttp({ rest: createRest(fake.parts) });
  cleanup.push(() => http.close());
  return { ...fake, http };
}

/** Reads events one by one from a real connection. */
async function listen(http: Running, lastEventId?: string) {
  const abort = new AbortController();
  const headers = { 'x-api-key': KEY, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${http.url}/api/v1/events`, { headers, signal: abort.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  async function next(): Promise<ServerEvent> {
    while (!buffer.includes('\n\n')) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the stream ended');
      buffer += value;
    }
    const end = buffer.indexOf('\n\n');
    const fields = Object.fromEntries(
      buffer
        .slice(0, end)
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    buffer = buffer.slice(end + 2);
    return fields;
  }
  const stop = () => abort.abort();
  cleanup.push(stop);
  return { response, next, stop };
}

test('events come in order with rising ids; a closed record comes along, an opened one does not', async () => {
  const { http, parts, records } = await start();
  const stream = await listen(http);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  const first = await stream.next();
  records.set('01A', activityRecord('01A', { error_message: 'line one\nline two' }));
  parts.events.emit('activity', { id: '01A', type: 'tool_call', status: 'success', phase: 'closed' });
  parts.events.emit('activity', { id: '01A', type: 'tool_call', status: 'success', phase: 'opened' });
  parts.events.emit('server', { name: 'github', state: 'failed' });
  const [one, two, three] = [await stream.next(), await stream.next(), await stream.next()];
  expect([one.event, two.event, three.event]).toEqual(['activity', 'activity', 'server']);
  expect(JSON.parse(one.data!)).toEqual({
    id: '01A',
    type: 'tool_call',
    status: 'success',
    phase: 'closed',
    record: records.get('01A'),
  });
  expect(JSON.parse(two.data!)).toEqual({
    id: '01A',
    type: 'tool_call',
    status: 'success',
    phase: 'opened',
  });
  expect([one, two, three].map(({ id }) => Number(id) - Number(first.id))).toEqual([1, 2, 3]);
});

test('a large record comes without its payloads', async () => {
  const { http, parts, records } = await start();
  records.set('01B', activityRecord('01B', { response: 'x'.repeat(100_000) }));
  const stream = await listen(http);
  await stream.next();
  parts.events.emit('activity', { id: '01B', type: 'tool_call', status: 'success', phase: 'closed' });
  const data = JSON.parse((await stream.next()).data!) as {
    truncated: boolean;
    record: Record<string, unknown>;
  };
  expect([data.truncated, data.record.id, 'response' in data.record]).toEqual([true, '01B', false]);
});

test('a reader that comes back gets what it missed', async () => {
  const { http, parts } = await start();
  const stream = await listen(http);
  await stream.next();
  parts.events.emit('config', { ok: true, message: 'one' });
  const seen = (await stream.next()).id!;
  stream.stop();
  parts.events.emit('config', { ok: true, message: 'two' });
  parts.events.emit('config', { ok: true, message: 'three' });
  const again = await listen(http, seen);
  await again.next();
  expect([
    JSON.parse((await again.next()).data!).message,
    JSON.parse((await again.next()).data!).message,
  ]).toEqual(['two', 'three']);
});

test.each<[string, (first: number) => string]>([
  ['longer away than the log reaches', (first) => String(first + 1)],
  ['from an earlier run', (first) => String(first - 5000)],
  ['from a clock ahead of ours', (first) => String(first + 1_000_000)],
  ['with a made-up id', () => 'abc'],
])('a reader that was %s is told to start over', async (_name, idFor) => {
  const { http, parts } = await start();
  const first = Number((await (await listen(http)).next()).id);
  for (let i = 0; i < 1100; i++) parts.events.emit('tools', { server: 's', total: i });
  const again = await listen(http, idFor(first));
  const reset = await again.next();
  expect([reset.event, Number(reset.id) - first]).toEqual(['reset', 1100]);
  parts.events.emit('tools', { server: 's', total: 9999 });
  expect(JSON.parse((await again.next()).data!)).toEqual({ server: 's', total: 9999 });
});

test('the oldest event that is kept can be resumed from', async () => {
  const { http, parts } = await start();
  const first = Number((await (await listen(http)).next()).id);
  for (let i = 1; i <= 1100; i++) parts.events.emit('tools', { server: 's', total: i });
  const again = await listen(http, String(first + 100));
  expect((await again.next()).event).toBeUndefined();
  expect(JSON.parse((await again.next()).data!)).toEqual({ server: 's', total: 101 });
});

test('a reader that stops reading is cut, while another goes on', async () => {
  const { http, parts, records } = await start();
  records.set('01C', activityRecord('01C', { response: 'x'.repeat(60_000) }));
  const slow: Socket = connect(http.port, '127.0.0.1');
  slow.on('error', () => undefined);
  cleanup.push(() => slow.destroy());
  slow.write(`GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nX-API-Key: ${KEY}\r\n\r\n`);
  await new Promise((resolve) => slow.once('data', resolve));
  slow.pause();
  const healthy = await listen(http);
  await healthy.next();
  for (let i = 0; i < 1500; i++) {
    parts.events.emit('activity', { id: '01C', type: 'tool_call', status: 'success', phase: 'closed' });
    await healthy.next();
  }
  const closed = new Promise((resolve) => slow.once('close', resolve));
  slow.resume();
  await closed;
});

test('a quiet stream shows that it lives; one that nobody reads is cut', async () => {
  const { parts } = fakeParts();
  const { events } = eventRoutes(parts, 20);
  const open = async () => {
    const caller = { source: 'api' as const, principal: 'operator', userId: 'local', requestId: 'r' };
    const response = await events(
      { params: undefined, query: undefined, body: undefined },
      { caller, signal: new AbortController().signal, headers: new Headers() },
    );
    return response.body!.getReader();
  };
  const reader = await open();
  await reader.read();
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^: .*\n\n$/);
  await reader.cancel();
  const idle = await open();
  await expect(idle.closed).rejects.toThrow('stopped reading');
});

test('there is a limit to open streams; closing one makes room', async () => {
  const { http } = await start();
  const streams = await Promise.all(Array.from({ length: 64 }, () => listen(http)));
  const refused = await fetch(`${http.url}/api/v1/events`, { headers: { 'x-api-key': KEY } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  streams[0]!.stop();
  await expect.poll(async () => (await listen(http)).response.status).toBe(200);
});

test('stopping ends every stream, so that the server closes at once', async () => {
  const stopping = new AbortController();
  const { http } = await start(({ parts }) => (parts.stopping = stopping.signal));
  const stream = await listen(http);
  await stream.next();
  stopping.abort();
  await expect(stream.next()).rejects.toThrow('ended');
  await http.server.close(60_000);
});
