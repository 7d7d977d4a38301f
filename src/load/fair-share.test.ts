import { describe, expect, test } from 'vitest';
import { hasFairShare } from './fair-share.ts';

/** Takes places for each client in turn until nobody may take more. */
function fill(clients: number, limit: number): number[] {
  const held = Array.from({ length: clients }, () => 0);
  const taken = () => held.reduce((sum, own) => sum + own, 0);
  for (let before = -1; before !== taken();) {
    before = taken();
    for (const i of held.keys()) if (hasFairShare(held[i]!, taken(), limit)) held[i]!++;
  }
  return held;
}

describe('the share of one client', () => {
  test('is four fifths where it is alone', () => {
    expect(fill(1, 1000)).toEqual([800]);
    expect(fill(1, 1)).toEqual([1]);
  });

  test('leaves room for one more client, however many take all they can', () => {
    for (const clients of [1, 2, 10, 100]) {
      const held = fill(clients, 1000);
      const taken = held.reduce((sum, own) => sum + own, 0);
      expect(hasFairShare(0, taken, 1000)).toBe(true);
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
    }
  });

  test('is nothing where nothing is left', () => {
    expect(hasFairShare(0, 5, 5)).toBe(false);
  });
});
