import { PassThrough, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { sendText, slicesOf, textStream } from './send-text.ts';

const LONG = `${'x'.repeat(999_999)}😀`.repeat(3);

/** Takes the first piece and nothing after it. */
const standing = () => new Writable({ write: () => {}, highWaterMark: 1 });

test('pieces make up the text, and no character is cut', () => {
  const text = 'ab😀'.repeat(100);
  for (const size of [1, 2, 3, 7]) {
    const slices = [...slicesOf(text, size)];
    expect(slices.join('')).toBe(text);
    expect(slices.map((slice) => Buffer.from(slice).toString()).join('')).toBe(text);
  }
});

test('a reader that reads gets everything, never more than a piece ahead', async () => {
  const out = new PassThrough({ highWaterMark: 1000 });
  const all = textOf(out);
  let most = 0;
  out.on('data', () => (most = Math.max(most, out.writableLength)));
  await sendText(out, LONG);
  out.end();
  expect(await all).toBe(LONG);
  expect(most).toBeLessThan(1_000_000);
});

test('a reader that stands still is cut off, and nobody waits for it', async () => {
  const out = standing();
  await sendText(out, LONG, 30);
  expect(out.destroyed).toBe(true);
});

test('when too much waits, whoever took nothing for the longest time makes room', async () => {
  const half = 'x'.repeat(140 * 1024 * 1024);
  const [first, second] = [standing(), standing()];
  const sent = sendText(first, half, 5_000);
  const other = sendText(second, half, 5_000);
  expect([first.destroyed, second.destroyed]).toEqual([true, false]);
  second.destroy();
  await Promise.all([sent, other]);
});

test('as the body of a response it is the same text', async () => {
  expect(await new Response(textStream(LONG)).text()).toBe(LONG);
});
