import { expect, test, vi } from 'vitest';
import { leaveRoom } from './throttle-reads.ts';

test('who takes long to read waits for as long; who does not, not at all', () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const source = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
    leaveRoom(source, 0.5);
    expect(calls).toEqual([]);
    leaveRoom(source, 40);
    vi.advanceTimersByTime(39);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['pause', 'resume']);
  } finally {
    vi.useRealTimers();
  }
});
