import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Bulkhead, QUEUE_LIMIT, type Passenger } from './bulkhead.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function passenger(
  log: string[],
  name: string,
  limitMs: number,
  bulkhead: Bulkhead,
  client = 'a',
): Passenger {
  const one: Passenger = {
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
  test('serves clients in turn, and a crowd makes room for who has less', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const enter = (name: string, client: string) => {
      const one = passenger(log, name, 1000, bulkhead, client);
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

  test('lets in what fits, queues the rest in order, turns away what exceeds the queue', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(2);
    const all = Array.from({ length: 2 + QUEUE_LIMIT }, (_, n) => passenger(log, String(n), 1000, bulkhead));
    expect(all.every((one) => bulkhead.enter(one))).toBe(true);
    expect(bulkhead.enter(passenger(log, 'late', 1000, bulkhead))).toBe(false);
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
      bulkhead.enter(passenger(log, name, limit, bulkhead));
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
    ].map(([name, limit]) => passenger(log, name as string, limit as number, bulkhead)) as [
      Passenger,
      Passenger,
      Passenger,
    ];
    for (const one of [first, late, next]) bulkhead.enter(one);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 200);
    bulkhead.leave(first);
    expect(log).toEqual(['start first', 'expire late', 'start next']);
    expect([bulkhead.inFlight, bulkhead.queued]).toEqual([1, 0]);
    vi.restoreAllMocks();
  });

  test('a raised limit takes effect with the next place', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => passenger(log, name, 1000, bulkhead)) as [
      Passenger,
      Passenger,
      Passenger,
    ];
    for (const one of [a, b, c]) bulkhead.enter(one);
    bulkhead.limit = 2;
    bulkhead.leave(a);
    expect(log).toEqual(['start a', 'start b', 'start c']);
  });

  test('after a standstill of our own, what has arrived is read before anything is given up', () => {
    const log: string[] = [];
    const bulkhead = new Bulkhead(1);
    const sleeper = passenger(log, 'sleeper', 100, bulkhead);
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
