import { expect, test } from 'vitest';
import { createClientShares } from './client-shares.ts';

const MB = 1_048_576;

function shares() {
  const clock = { time: 1_000_000, now: () => clock.time };
  const limits = { requests_per_second: 10, log_mb_per_hour: 36 };
  return { clock, limits, ...createClientShares(() => limits, clock) };
}

const taken = (all: ReturnType<typeof shares>, client: string, times: number) =>
  Array.from({ length: times }, () => all.takeRequest(client)).filter((each) => each === undefined).length;

test('each client has its own share of requests, with a burst, and it fills up again', () => {
  const all = shares();
  expect(taken(all, 'a', 100)).toBe(20);
  expect(taken(all, 'b', 5)).toBe(5);
  all.clock.time += 1000;
  expect(taken(all, 'a', 100)).toBe(10);
  all.clock.time += 3_600_000;
  expect(taken(all, 'a', 100)).toBe(20);
  expect(all.takeRequest('a')).toMatchObject({
    of: 'rate',
    error: { code: 'OVERLOADED', details: { requests_per_second: 10, retry_after_s: 1, sent: false } },
  });
});

test('the operator has a share of its own, which is larger', () => {
  const all = shares();
  expect(taken(all, 'token', 100)).toBe(20);
  expect(taken(all, 'operator', 1000)).toBe(200);
});

test('a client that has used its share of the log makes no calls until it fills up again', () => {
  const all = shares();
  all.addLogged('a', 36 * MB - 1);
  expect(all.checkLog('a')).toBeUndefined();
  all.addLogged('a', 36 * MB);
  expect(all.checkLog('a')).toMatchObject({
    of: 'log',
    error: { code: 'OVERLOADED', details: { log_mb_per_hour: 36, retry_after_s: 3600 } },
  });
  expect(all.checkLog('b')).toBeUndefined();
  all.clock.time += 3_601_000;
  expect(all.checkLog('a')).toBeUndefined();
});

test('a changed limit holds at once', () => {
  const all = shares();
  all.limits.requests_per_second = 1;
  expect(taken(all, 'a', 100)).toBe(2);
  all.limits.requests_per_second = 100;
  all.clock.time += 1000;
  expect(taken(all, 'a', 1000)).toBe(100);
  all.addLogged('a', 40 * MB);
  expect(all.checkLog('a')).toBeDefined();
  all.limits.log_mb_per_hour = 36_000;
  all.clock.time += 1000;
  expect(all.checkLog('a')).toBeUndefined();
});

test('the number of shares is bounded: further clients share one until others are forgotten', () => {
  const all = shares();
  for (let i = 0; i < 1024; i++) all.takeRequest(`a${i}`);
  expect(taken(all, 'b', 15) + taken(all, 'c', 15)).toBe(20);
  expect(taken(all, 'a0', 100)).toBe(19);
  all.clock.time += 3_601_000;
  expect(taken(all, 'b', 15) + taken(all, 'c', 15)).toBe(30);
});

test('the messages of a batch count as requests', () => {
  const all = shares();
  all.takeRequest('a');
  all.addRequests('a', 49);
  expect(taken(all, 'a', 1)).toBe(0);
  all.clock.time += 3_100;
  expect(taken(all, 'a', 1)).toBe(1);
});
