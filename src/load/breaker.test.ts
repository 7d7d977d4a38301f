import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

const FAR = 1e9;

test('opens after failures in a row, lets a single call try, and closes when it works', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 4; i++) breaker.failed(false);
  breaker.worked();
  for (let i = 0; i < 4; i++) breaker.failed(false);
  expect(breaker.enter()).toBe(0);
  breaker.failed(false);
  expect(breaker.state).toBe('open');
  expect(breaker.enter()).toBeGreaterThan(0);
  expect(breaker.enter(FAR)).toBe(0);
  expect(breaker.state).toBe('half_open');
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.failed(true, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  expect(breaker.enter(2 * FAR)).toBe(0);
  breaker.worked();
  expect(breaker.state).toBe('closed');
  expect(breaker.enter()).toBe(0);
});

test('calls from before do not decide for the probe; one that tells nothing lets the next one try', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 5; i++) breaker.failed(false);
  expect(breaker.enter(FAR)).toBe(0);
  breaker.failed(false, FAR);
  expect(breaker.enter(FAR)).toBeGreaterThan(0);
  breaker.abandoned();
  expect(breaker.enter(FAR)).toBe(0);
});
