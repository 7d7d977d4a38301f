import { expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { watchEventLoop } from './loop-watch.ts';

const log = createLog('silent');

test('a blocked event loop is detected, and shown for a while', async () => {
  const watch = watchEventLoop({ log });
  try {
    expect(watch.recent()).toBeUndefined();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1600);
    await expect.poll(() => watch.count()).toBeGreaterThan(0);
    expect(watch.recent()?.ms).toBeGreaterThanOrEqual(1000);
  } finally {
    watch.stop();
  }
});

test('a block is counted once, and is no longer shown after a minute', async () => {
  let time = 0;
  let asked = 0;
  const watch = watchEventLoop({ log, now: () => (asked++, time) });
  try {
    time = 1850;
    await expect.poll(() => watch.count()).toBe(1);
    const before = asked;
    await expect.poll(() => asked).toBeGreaterThan(before + 4);
    expect([watch.count(), watch.recent()?.ms]).toEqual([1, 1600]);
    time += 60_000;
    expect(watch.recent()).toBeUndefined();
  } finally {
    watch.stop();
  }
});
