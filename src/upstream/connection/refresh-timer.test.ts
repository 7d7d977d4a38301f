import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefreshTimer } from './server-listing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts the refreshes while an announcement comes every 50 ms for a minute. */
async function refreshesInAMinute(refreshMs: number): Promise<number> {
  let count = 0;
  const timer = new RefreshTimer(async () => {
    count++;
    await new Promise((done) => setTimeout(done, refreshMs));
    return true;
  });
  for (let ms = 0; ms < 60_000; ms += 50) {
    timer.soon();
    await vi.advanceTimersByTimeAsync(50);
  }
  timer.stop();
  return count;
}

test('a server that announces list_changed every 50 ms is re-listed within seconds, and not at every announcement', async () => {
  const count = await refreshesInAMinute(10);
  expect(count).toBeGreaterThanOrEqual(20);
  expect(count).toBeLessThanOrEqual(60);
});

test('a refresh that takes long is repeated less often: announcements cost at most a fifth of the time', async () => {
  const count = await refreshesInAMinute(2000);
  expect(count).toBeGreaterThanOrEqual(5);
  expect(count * 2000).toBeLessThanOrEqual(60_000 / 5 + 2000);
});

test('one announcement after a quiet time is followed at once', async () => {
  const refresh = vi.fn(async () => true);
  const timer = new RefreshTimer(refresh);
  await vi.advanceTimersByTimeAsync(10_000);
  timer.soon();
  await vi.advanceTimersByTimeAsync(150);
  expect(refresh).toHaveBeenCalledTimes(1);
  timer.stop();
});
