import { expect, test } from 'vitest';
import { readEvents, type ServerEvent } from './events.ts';

async function eventsOf(...chunks: Array<string | Uint8Array>): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const event of readEvents(
    ReadableStream.from(
      chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)),
    ),
  ))
    found.push(event);
  return found;
}

test('events with id, name and data', async () => {
  expect(await eventsOf('id: 7\nevent: activity\ndata: {"a":1}\n\n')).toEqual([
    { id: '7', event: 'activity', data: '{"a":1}' },
  ]);
});

test('cut anywhere, also within a character and within CRLF', async () => {
  const bytes = new TextEncoder().encode(
    'id: 1\r\nevent: activity\r\ndata: ü\r\n\r\n: keep-alive\r\n\r\ndata: two\r\ndata: lines\r\n\r\n',
  );
  const whole = await eventsOf(bytes);
  expect(whole).toEqual([
    { id: '1', event: 'activity', data: 'ü' },
    { event: 'message', data: 'two\nlines' },
  ]);
  for (let cut = 1; cut < bytes.length; cut++)
    expect(await eventsOf(bytes.slice(0, cut), bytes.slice(cut))).toEqual(whole);
});

test('an event that never ends is cut off', async () => {
  await expect(eventsOf('data: ', 'x'.repeat(2_000_000))).rejects.toThrow('exceeds the size limit');
});

test('what was not finished when the stream ended is dropped', async () => {
  expect(await eventsOf('data: a\n\ndata: b')).toEqual([{ event: 'message', data: 'a' }]);
});
