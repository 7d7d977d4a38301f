import { expect, test } from 'vitest';
import { median, slopePerHour } from './trend.ts';

const minutes = (values: number[]) => values.map((value, index) => ({ at: index * 60, value }));

test('a steady growth of one per minute is sixty per hour, whatever one sample says', () => {
  expect(slopePerHour(minutes([1, 2, 3, 4, 5, 6, 7]))).toBeCloseTo(60);
  expect(slopePerHour(minutes([1, 2, 3, 400, 5, 6, 7, 8, 9]))).toBeCloseTo(60);
});

test('what goes up and down around one value does not grow', () => {
  expect(Math.abs(slopePerHour(minutes([5, 6, 5, 6, 5, 6, 5])))).toBeLessThan(1);
});

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
