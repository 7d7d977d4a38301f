import { describe, expect, test, vi } from 'vitest';
import { createAdmission } from './admission.ts';

const signal = () => new AbortController().signal;
const admission = (limits: Partial<{ calls: number; calls_per_client: number; queue: number }> = {}) =>
  createAdmission(() => ({ calls: 1, calls_per_client: 100, queue: 2, ...limits }));

test('calls are admitted, then queued, then rejected with a time to retry', async () => {
  const door = admission();
  expect(door.enter('a', signal())).toBeUndefined();
  const second = door.enter('a', signal());
  const third = door.enter('a', signal());
  expect(() => door.enter('a', signal())).toThrow(
    expect.objectContaining({
      code: 'OVERLOADED',
      status: 429,
      details: expect.objectContaining({ retry_after_s: 1, sent: false }),
    }),
  );
  expect(door.state()).toEqual({ running: 1, waiting: 2, shed: 1 });
  door.leave('a');
  await second;
  door.leave('a');
  await third;
  door.leave('a');
  expect(door.state()).toEqual({ running: 0, waiting: 0, shed: 1 });
});

test('a client with many calls makes room for others, and waits behind its own calls', async () => {
  const door = admission();
  void door.enter('crowd', signal());
  const order: string[] = [];
  const crowd = [1, 2].map((n) => door.enter('crowd', signal())!.then(() => order.push(`crowd${n}`)));
  const one = door.enter('one', signal())!.then(() => order.push('one'));
  await expect(crowd[1]).rejects.toMatchObject({ code: 'OVERLOADED' });
  for (let i = 0; i < 3; i++) door.leave('crowd');
  await Promise.all([crowd[0], one]);
  expect(order).toEqual(['crowd1', 'one']);
});

test('one client has no more than its limit', () => {
  const door = admission({ calls: 10, calls_per_client: 1 });
  void door.enter('a', signal());
  expect(() => door.enter('a', signal())).toThrow(/this client has 1 calls in progress/);
  expect(door.enter('b', signal())).toBeUndefined();
});

test('a waiting call can be cancelled, and does not wait forever', async () => {
  vi.useFakeTimers();
  try {
    const door = admission();
    void door.enter('a', signal());
    const caller = new AbortController();
    const left = door.enter('a', caller.signal);
    caller.abort();
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED', details: { sent: false } });
    const late = door.enter('a', signal(), () => 50);
    vi.advanceTimersByTime(50);
    await expect(late).rejects.toThrow(/no slot was free within 50 ms/);
    expect(door.state()).toMatchObject({ running: 1, waiting: 0 });
  } finally {
    vi.useRealTimers();
  }
});

test('a call that was cancelled before does not wait', () => {
  const door = admission();
  void door.enter('a', signal());
  expect(() => door.enter('b', AbortSignal.abort())).toThrow(expect.objectContaining({ code: 'CANCELLED' }));
  expect(door.state()).toMatchObject({ running: 1, waiting: 0 });
});

describe('a rejection that is known beforehand', () => {
  test('is given while all slots are taken, but not to a client that others make room for', async () => {
    const door = admission({ calls: 1, queue: 2 });
    const signal = new AbortController().signal;
    expect(door.rejection('a')).toBeUndefined();
    void door.enter('a', signal);
    expect(door.rejection('a')).toBeUndefined();
    const waiting = [door.enter('a', signal), door.enter('a', signal)];
    expect(door.rejection('a')).toMatchObject({ code: 'OVERLOADED' });
    expect(door.rejection('a')!.message).toContain('Rejected before it was read');
    expect(door.rejection('b')).toBeUndefined();
    for (let n = 0; n < 3; n++) door.leave('a');
    for (const each of waiting) await each;
    expect(door.rejection('a')).toBeUndefined();
    expect(door.state().shed).toBe(2);
  });

  test('is given to a client at its limit', () => {
    const door = admission({ calls: 10, calls_per_client: 1 });
    void door.enter('a', new AbortController().signal);
    expect(door.rejection('a')!.message).toContain('this client has 1 calls in progress');
  });
});
