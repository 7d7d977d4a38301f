import { describe, expect, test } from 'vitest';
import { LogRing } from './log-ring.ts';

function ringAt(start = 1_000_000) {
  const clock = { time: start, now: () => clock.time };
  return { ring: new LogRing(clock), clock };
}
const texts = (ring: LogRing, count = 1000) => ring.tail(count).lines.map(({ text }) => text);

describe('log ring', () => {
  test('keeps lines across chunks, with an unfinished one at the end', () => {
    const { ring } = ringAt();
    for (const part of ['on', 'e\r\ntwo\nth', 'ree']) ring.push(Buffer.from(part));
    expect(texts(ring)).toEqual(['one', 'two', 'three']);
    expect(ring.tail(2).lines.map(({ text }) => text)).toEqual(['two', 'three']);
    expect(ring.tail(1).lines[0]?.time).toBe(new Date(1_000_000).toISOString());
  });

  test('keeps the newest thousand and counts the others', () => {
    const { ring } = ringAt();
    for (let i = 0; i < 5000; i++) ring.push(Buffer.from(`line ${i}\n`));
    expect(ring.tail(10_000)).toMatchObject({ dropped: 4000 });
    expect(texts(ring)).toHaveLength(1000);
    expect(texts(ring).at(-1)).toBe('line 4999');
  });

  test('a flood of tiny lines costs no more than one of long ones', () => {
    // Every line that is looked at asks for the time.
    let looks = 0;
    const ring = new LogRing({ now: () => 1_000_000 + looks++ / 1000 });
    const chunk = Buffer.from('y\n'.repeat(32_768));
    for (let i = 0; i < 320; i++) ring.push(chunk);
    expect(looks).toBeLessThan(40_000);
    expect(texts(ring)).toHaveLength(1000);
    expect(ring.tail(1).dropped).toBeGreaterThan(10_000_000);
  });

  test('cuts long lines', () => {
    const { ring } = ringAt();
    ring.push(Buffer.from(`${'x'.repeat(20_000)}\nshort\n`));
    expect(texts(ring)).toEqual([`${'x'.repeat(8192)}…`, 'short']);
  });

  test('of a flood it keeps the newest, whole lines only, and the next second is normal again', () => {
    const { ring, clock } = ringAt();
    for (let i = 0; i < 100_000; i++) ring.push(Buffer.from(`flood line number ${i} ${'x'.repeat(50)}\n`));
    ring.push(Buffer.from('last '));
    ring.push(Buffer.from('words\n'));
    expect(texts(ring).at(-1)).toBe('last words');
    expect(texts(ring).filter((text) => !/^flood line number \d+ x{50}$|^last words$/.test(text))).toEqual(
      [],
    );
    expect(ring.tail(1).dropped).toBeGreaterThan(80_000);
    clock.time += 1000;
    ring.push(Buffer.from('calm\n'));
    expect(texts(ring).at(-1)).toBe('calm');
  });

  test('explains a failure by the telling lines of the present process', () => {
    const { ring } = ringAt();
    expect(ring.explanation()).toBe('');
    ring.push(Buffer.from('starting\nTypeError: boom\n    at x\n\nNode.js v20.19.0\n'));
    expect(ring.explanation()).toBe('TypeError: boom');
    ring.beginRun();
    expect(ring.explanation()).toBe('');
    ring.note('[stdout, not a message] usage: server --port N');
    expect(ring.explanation()).toBe('usage: server --port N');
  });

  test('finds the lines of the present process after many others', () => {
    const { ring, clock } = ringAt();
    for (let i = 0; i < 5; i++) {
      clock.time += 1000;
      ring.push(Buffer.from('Error: of the one before\n'.repeat(900)));
    }
    ring.beginRun();
    ring.push(Buffer.from('ready soon\n'));
    expect(ring.explanation()).toBe('ready soon');
  });
});
