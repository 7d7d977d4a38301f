import { describe, expect, test } from 'vitest';
import { backoffMs, pause } from './backoff.ts';

describe('backoff', () => {
  test('doubles up to a minute, and is random below that', () => {
    const longest = Array.from({ length: 9 }, (_, n) => backoffMs(n + 1, () => 1));
    expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(backoffMs(1000, () => 1)).toBe(60_000);
    expect(backoffMs(5, () => 0)).toBe(0);
    expect(backoffMs(5, () => 0.5)).toBe(8000);
  });

  test('a pause ends with its signal', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort();
    await expect(paused).resolves.toBeUndefined();
  });
});
