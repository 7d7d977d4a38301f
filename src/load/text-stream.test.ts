import { PassThrough, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import {
  pace,
  sendText,
  slicesOf,
  TextCollector,
  textStream,
  throttleReads,
  waitForTurn,
} from './text-stream.ts';

const LONG = `${'x'.repeat(999_999)}😀`.repeat(3);

/** Accepts the first piece and nothing after it. */
const stalled = () => new Writable({ write: () => {}, highWaterMark: 1 });

test('pieces make up the text, and no character is split', () => {
  const text = 'ab😀'.repeat(100);
  for (const size of [1, 2, 3, 7]) {
    const slices = [...slicesOf(text, size)];
    expect(slices.join('')).toBe(text);
    expect(slices.map((slice) => Buffer.from(slice).toString()).join('')).toBe(text);
  }
});

test('a reader gets everything, never more than a piece ahead', async () => {
  const out = new PassThrough({ highWaterMark: 1000 });
  const all = textOf(out);
  let most = 0;
  out.on('data', () => (most = Math.max(most, out.writableLength)));
  await sendText(out, LONG);
  out.end();
  expect(await all).toBe(LONG);
  expect(most).toBeLessThan(1_000_000);
});

test('a stalled reader is disconnected', async () => {
  const out = stalled();
  await sendText(out, LONG, 30);
  expect(out.destroyed).toBe(true);
});

test('when too much waits, the reader stalled for longest is disconnected', async () => {
  const half = 'x'.repeat(140 * 1024 * 1024);
  const [first, second] = [stalled(), stalled()];
  const sent = sendText(first, half, 5_000);
  const other = sendText(second, half, 5_000);
  expect([first.destroyed, second.destroyed]).toEqual([true, false]);
  second.destroy();
  await Promise.all([sent, other]);
});

test('a response body carries the same text', async () => {
  expect(await new Response(textStream(LONG)).text()).toBe(LONG);
});

test('characters split between two pieces are whole in the text', () => {
  const text = 'aä€😀'.repeat(50);
  const bytes = Buffer.from(text);
  const collector = new TextCollector();
  for (let size = 1; size < 9; size++) {
    for (let at = 0; at < bytes.length; at += size) collector.add(bytes.subarray(at, at + size));
    expect(collector.take()).toBe(text);
  }
  expect(collector.take()).toBe('');
});

test('a text that ends in the middle of a character shows it', () => {
  const collector = new TextCollector();
  collector.add(Buffer.from('€').subarray(0, 2));
  expect(collector.take()).toBe('\ufffd');
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many long texts share the budget of a turn, and all of them continue', async () => {
  const order: string[] = [];
  const source = (name: string) => ({
    pause: () => order.push(`${name} waits`),
    resume: () => order.push(`${name} resumes`),
  });
  const sources = Array.from({ length: 10 }, (_, i) => source(String(i)));
  for (const each of sources) pace(each, 100 * 1024);
  expect(order).toEqual(['5', '6', '7', '8', '9'].map((name) => `${name} waits`));
  await turn();
  expect(order.slice(5)).toEqual(['5', '6', '7', '8'].map((name) => `${name} resumes`));
  await turn();
  expect(order.slice(9)).toEqual(['9 resumes']);
  await turn();
  expect(waitForTurn(1000)).toBeUndefined();
  const wait = waitForTurn(1024 * 1024);
  expect(wait).toBeInstanceOf(Promise);
  await wait;
});

test('a slow read pauses its source for as long; a quick one does not', () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const source = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
    throttleReads(source, 0.5);
    expect(calls).toEqual([]);
    throttleReads(source, 40);
    vi.advanceTimersByTime(39);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['pause', 'resume']);
  } finally {
    vi.useRealTimers();
  }
});
