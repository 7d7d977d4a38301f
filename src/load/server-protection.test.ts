import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  backoffMs,
  Breaker,
  Bulkhead,
  pause,
  QUEUE_LIMIT,
  RetryBudget,
  retryDelayMs,
  type BulkheadCall,
} from './server-protection.ts';

interface Bench {
  log: string[];
  bulkhead: Bulkhead;
}

function createCall(
  { log, bulkhead }: Bench,
  name: string,
  { limitMs = 1000, client = 'a' } = {},
): BulkheadCall {
  const one: BulkheadCall = {
    deadline: performance.now() + limitMs,
    client,
    start: () => void log.push(`start ${name}`),
    displaced: () => void log.push(`displaced ${name}`),
    expire: () => {
      log.push(`expire ${name}`);
      bulkhead.leave(one);
    },
  };
  return one;
}

describe('bulkhead', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('serves clients round-robin, and displaces a call of the client with most', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const enter = (name: string, client: string) => {
      const one = createCall({ log, bulkhead }, name, { client });
      return { one, entered: bulkhead.enter(one) };
    };
    const first = enter('a0', 'a').one;
    for (let i = 1; i <= QUEUE_LIMIT; i++) expect(enter(`a${i}`, 'a').entered).toBe(true);
    expect(enter('a-more', 'a').entered).toBe(false);
    expect(enter('b1', 'b').entered).toBe(true);
    expect(log).toEqual(['start a0', `displaced a${QUEUE_LIMIT}`]);
    expect(bulkhead.queued).toBe(QUEUE_LIMIT);
    bulkhead.leave(first);
    expect(log.at(-1)).toBe('start a1');
    bulkhead.limit = 3;
    bulkhead.leave(first);
    expect(bulkhead.queued).toBe(QUEUE_LIMIT - 1);
  });

  test('starts what fits, queues the rest in order, rejects what exceeds the queue', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(2);
    const all = Array.from({ length: 2 + QUEUE_LIMIT }, (_, n) => createCall({ log, bulkhead }, String(n)));
    expect(all.every((one) => bulkhead.enter(one))).toBe(true);
    expect(bulkhead.enter(createCall({ log, bulkhead }, 'late'))).toBe(false);
    expect(log).toEqual(['start 0', 'start 1']);
    bulkhead.leave(all[2]!);
    bulkhead.leave(all[0]!);
    expect(log.at(-1)).toBe('start 3');
    expect(bulkhead.inFlight).toBe(2);
  });

  test('ends each at its own deadline, running or waiting', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    for (const [name, limit] of [
      ['a', 300],
      ['b', 100],
      ['c', 5000],
    ] as const)
      bulkhead.enter(createCall({ log, bulkhead }, name, { limitMs: limit }));
    vi.advanceTimersByTime(110);
    expect(log).toEqual(['start a', 'expire b']);
    vi.advanceTimersByTime(200);
    expect(log).toEqual(['start a', 'expire b', 'expire a', 'start c']);
    vi.advanceTimersByTime(10_000);
    expect(log.at(-1)).toBe('expire c');
    expect(bulkhead.inFlight).toBe(0);
  });

  test('one that waited past its deadline is not started, however late the timer is', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const [first, late, next] = [
      ['first', 60_000],
      ['late', 100],
      ['next', 60_000],
    ].map(([name, limit]) => createCall({ log, bulkhead }, name as string, { limitMs: limit as number })) as [
      BulkheadCall,
      BulkheadCall,
      BulkheadCall,
    ];
    for (const one of [first, late, next]) bulkhead.enter(one);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 200);
    bulkhead.leave(first);
    expect(log).toEqual(['start first', 'expire late', 'start next']);
    expect([bulkhead.inFlight, bulkhead.queued]).toEqual([1, 0]);
    vi.restoreAllMocks();
  });

  test('a raised limit takes effect when the next call ends', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => createCall({ log, bulkhead }, name)) as [
      BulkheadCall,
      BulkheadCall,
      BulkheadCall,
    ];
    for (const one of [a, b, c]) bulkhead.enter(one);
    bulkhead.limit = 2;
    bulkhead.leave(a);
    expect(log).toEqual(['start a', 'start b', 'start c']);
  });

  test('after our own process was blocked, answers are read before calls expire', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const sleeper = createCall({ log, bulkhead }, 'sleeper', { limitMs: 100 });
    bulkhead.enter(sleeper);
    // The clock moves on while no timer could fire.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    vi.advanceTimersByTime(100);
    expect(log).toEqual(['start sleeper']);
    now.mockReturnValue(performance.now() + 1_010);
    vi.advanceTimersByTime(1_010);
    expect(log).toEqual(['start sleeper', 'expire sleeper']);
    vi.restoreAllMocks();
  });
});

const FAR = 1e9;

test('opens after failures in a row, lets a single call probe, and closes when that succeeds', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 4; i++) breaker.recordFailure(false);
  breaker.recordSuccess();
  for (let i = 0; i < 4; i++) breaker.recordFailure(false);
  expect(breaker.enter()).toBe(0);
  breaker.recordFailure(false);
  expect(breaker.state).toBe('open');
  expect(breaker.enter()).toBeGreaterThan(0);
  expect(breaker.enter(FAR)).toBe(0);
  expect(breaker.state).toBe('half_open');
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.recordFailure(true, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  expect(breaker.enter(2 * FAR)).toBe(0);
  breaker.recordSuccess();
  expect(breaker.state).toBe('closed');
  expect(breaker.enter()).toBe(0);
});

test('earlier calls do not decide for the probe; after an abandoned probe the next call may try', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 5; i++) breaker.recordFailure(false);
  expect(breaker.enter(FAR)).toBe(0);
  breaker.recordFailure(false, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.abandonProbe();
  expect(breaker.enter(FAR)).toBe(0);
});

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

test('at most one call in five is retried, however many fail', () => {
  const budget = new RetryBudget();
  let retried = 0;
  for (let n = 0; n < 1000; n++) {
    budget.earn();
    if (budget.spend()) retried++;
  }
  expect(retried).toBeGreaterThanOrEqual(200);
  expect(retried).toBeLessThanOrEqual(201);
  expect(budget.spent).toBe(retried);
});

test('unused retries are saved, up to a limit', () => {
  const budget = new RetryBudget();
  for (let n = 0; n < 1000; n++) budget.earn();
  let retried = 0;
  while (budget.spend()) retried++;
  expect(retried).toBe(10);
});

test('the retry delay is random within its bounds', () => {
  expect([0, 0.5, 1].map((value) => retryDelayMs(() => value))).toEqual([100, 300, 500]);
});
