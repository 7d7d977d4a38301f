import { afterEach, expect, test } from 'vitest';
import { afterwards, cleanUp, startFakeRest } from '../../../../test/fixtures/fake-rest.ts';
import { KEY, type Running } from '../../../../test/fixtures/http-server.ts';
import type { FactLog } from '../../../../test/fixtures/fact-log.ts';
import { logLines } from '../../../../test/fixtures/log-lines.ts';
import { activityRecord, fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { eventRoutes } from '../routes/events.ts';

afterEach(cleanUp);

interface ServerEvent {
  id?: string | undefined;
  event?: string | undefined;
  data?: string | undefined;
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
  afterwards(stop);
  return { response, next, stop };
}

test('activity comes from the log, each event with an id of its own; a closed record comes along', async () => {
  const { http, parts, facts, records } = await startFakeRest();
  const stream = await listen(http);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  const first = await stream.next();
  records.set('01A', activityRecord('01A', { error_message: 'line one\nline two' }));
  facts.add({ id: '01A', kind: 'opened', status: 'pending' });
  facts.add({ id: '01A' });
  facts.add({ id: '01A', kind: 'redacted' });
  const told = [await stream.next(), await stream.next(), await stream.next()];
  const about = { id: '01A', type: 'tool_call' };
  expect(told.map(({ event, data }) => [event, JSON.parse(data!)])).toEqual([
    ['activity', { ...about, status: 'pending', phase: 'opened' }],
    ['activity', { ...about, status: 'success', phase: 'closed', record: records.get('01A') }],
    ['activity', { ...about, status: 'success', phase: 'redacted' }],
  ]);
  parts.events.emit('server', { name: 'github', state: 'failed' });
  const server = await stream.next();
  expect([server.event, JSON.parse(server.data!)]).toEqual(['server', { name: 'github', state: 'failed' }]);
  expect(new Set([first, ...told, server].map(({ id }) => id)).size).toBe(5);
});

test('a record that cannot be read is told of with the request of the reader', async () => {
  const { log, lines } = logLines();
  const { http, facts } = await startFakeRest(({ parts }) => {
    parts.log = log;
    parts.activity.get = () => Promise.reject(new Error('the disk is gone'));
  });
  const stream = await listen(http);
  await stream.next();
  facts.add({ id: '01A' });
  expect(JSON.parse((await stream.next()).data!)).toMatchObject({ id: '01A', phase: 'closed' });
  expect(lines).toMatchObject([
    {
      record: '01A',
      request_id: stream.response.headers.get('x-request-id'),
      err: { message: 'the disk is gone' },
    },
  ]);
});

test('a large record comes without its payloads', async () => {
  const { http, facts, records } = await startFakeRest();
  records.set('01B', activityRecord('01B', { response: 'x'.repeat(100_000) }));
  const stream = await listen(http);
  await stream.next();
  facts.add({ id: '01B' });
  const data = JSON.parse((await stream.next()).data!) as {
    truncated: boolean;
    record: Record<string, unknown>;
  };
  expect([data.truncated, data.record.id, 'response' in data.record]).toEqual([true, '01B', false]);
});

test('a reader that comes back gets what it missed, of the activity and of everything else', async () => {
  const { http, parts, facts } = await startFakeRest();
  const stream = await listen(http);
  await stream.next();
  parts.events.emit('config', { ok: true, message: 'one' });
  const seen = (await stream.next()).id!;
  stream.stop();
  parts.events.emit('config', { ok: true, message: 'two' });
  facts.add({ id: 'missed' });
  parts.events.emit('config', { ok: true, message: 'three' });
  const again = await listen(http, seen);
  expect((await again.next()).event).toBeUndefined();
  const told = [await again.next(), await again.next(), await again.next()].map(({ data }) =>
    JSON.parse(data!),
  );
  expect(told).toMatchObject([{ message: 'two' }, { message: 'three' }, { id: 'missed' }]);
});

test('another proxy, or the same after a restart, goes on with the activity and says what else was missed', async () => {
  const one = await startFakeRest();
  const stream = await listen(one.http);
  await stream.next();
  one.facts.add({ id: 'seen' });
  const seen = (await stream.next()).id!;
  one.facts.add({ id: 'first', log: 'A' });
  one.facts.add({ id: 'second', log: 'B' });
  const two = await startFakeRest(({ parts }) => Object.assign(parts.activity, { facts: one.facts }));
  const again = await listen(two.http, seen);
  const reset = await again.next();
  expect([reset.event, JSON.parse(reset.data!).lost]).toEqual(['reset', 'state']);
  expect([(await again.next()).data, (await again.next()).data].map((data) => JSON.parse(data!).id)).toEqual([
    'first',
    'second',
  ]);
  one.facts.add({ id: 'third', log: 'B' });
  expect(JSON.parse((await again.next()).data!).id).toBe('third');
});

test.each<[string, (facts: FactLog, id: string) => string]>([
  [
    'longer away than is told again',
    (facts, id) => {
      for (let i = 0; i <= 10_000; i++) facts.add({ id: `x${i}` });
      return id;
    },
  ],
  [
    'away until retention took what it missed',
    (facts, id) => {
      for (let i = 0; i < 5; i++) facts.add({ id: `x${i}` });
      facts.drop('A', 4);
      return id;
    },
  ],
  ['at another database', (_facts, id) => id.replace('.A:', '.Z:')],
  ['ahead of the log, which was put back', (_facts, id) => id.replace(/\.A:.*/, '.A:zz')],
  ['there with an id of an earlier version', () => '1763250000000001'],
  ['there with a made-up id', () => 'abc'],
])('a reader that was %s is told to start over', async (_name, idFor) => {
  const { http, facts } = await startFakeRest();
  facts.add({ id: 'before' });
  const { id } = await (await listen(http)).next();
  const again = await listen(http, idFor(facts, id!));
  const next = await again.next();
  // One that was away too long is told so a moment after it begins.
  const reset = next.event === undefined ? await again.next() : next;
  expect([reset.event, JSON.parse(reset.data!).lost]).toEqual(['reset', 'all']);
  facts.add({ id: 'after' });
  expect(JSON.parse((await again.next()).data!).id).toBe('after');
});

test('of events that are not kept, a reader is told that it missed some', async () => {
  const { http, parts } = await startFakeRest();
  const first = (await (await listen(http)).next()).id!;
  for (let i = 1; i <= 1000; i++) parts.events.emit('tools', { server: 's', total: i });
  const just = await listen(http, first);
  expect((await just.next()).event).toBeUndefined();
  expect(JSON.parse((await just.next()).data!)).toEqual({ server: 's', total: 1 });
  parts.events.emit('tools', { server: 's', total: 1001 });
  const late = await listen(http, first);
  expect(JSON.parse((await late.next()).data!).lost).toBe('state');
});

test('a slow reader misses nothing and holds nobody up', async () => {
  const { http, facts, records } = await startFakeRest();
  records.set('01C', activityRecord('01C', { response: 'x'.repeat(6_000) }));
  const slow = await listen(http);
  await slow.next();
  const quick = await listen(http);
  await quick.next();
  for (let i = 0; i < 3000; i++) facts.add({ id: '01C', status: i % 2 === 0 ? 'success' : 'error' });
  for (let i = 0; i < 3000; i++) await quick.next();
  // More than the feed keeps: it reads on from the log.
  const statuses: string[] = [];
  for (let i = 0; i < 3000; i++) statuses.push(JSON.parse((await slow.next()).data!).status);
  expect(statuses.every((status, i) => status === (i % 2 === 0 ? 'success' : 'error'))).toBe(true);
});

test('a log that was quiet for long and wakes up is read from where it slept', async () => {
  const { http, facts } = await startFakeRest();
  const old = Date.now() - 3 * 86_400_000;
  for (let i = 0; i < 200; i++) facts.add({ id: `old${i}`, log: 'OLD', time: old + i });
  facts.add({ id: 'young', log: 'A' });
  const { id } = await (await listen(http)).next();
  expect(id).not.toContain('OLD');
  for (let i = 0; i < 70; i++) facts.add({ id: `new${i}`, log: 'OLD' });
  const again = await listen(http, id);
  await again.next();
  const told: string[] = [];
  for (let i = 0; i < 70; i++) told.push(JSON.parse((await again.next()).data!).id);
  expect(told).toEqual(Array.from({ length: 70 }, (_, i) => `new${i}`));
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
  const { http } = await startFakeRest();
  const streams = await Promise.all(Array.from({ length: 64 }, () => listen(http)));
  const refused = await fetch(`${http.url}/api/v1/events`, { headers: { 'x-api-key': KEY } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  streams[0]!.stop();
  await expect.poll(async () => (await listen(http)).response.status).toBe(200);
});

test('stopping ends every stream, so that the server closes at once', async () => {
  const stopping = new AbortController();
  const { http } = await startFakeRest(({ parts }) => (parts.stopping = stopping.signal));
  const stream = await listen(http);
  await stream.next();
  stopping.abort();
  await expect(stream.next()).rejects.toThrow('ended');
  await http.server.close(60_000);
});
