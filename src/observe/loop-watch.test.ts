import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { watchEventLoop } from './loop-watch.ts';

test('a blocked event loop is detected, and shown for a while', async () => {
  const watch = watchEventLoop({ log: createLog('silent') });
  try {
    expect(watch.recent()).toBeUndefined();
    await sleep(10);
    const end = performance.now() + 1600;
    while (performance.now() < end);
    for (let i = 0; i < 100 && watch.count() === 0; i++) await sleep(20);
    expect(watch.count()).toBe(1);
    expect(watch.recent()?.ms).toBeGreaterThanOrEqual(1000);
  } finally {
    watch.stop();
  }
});
