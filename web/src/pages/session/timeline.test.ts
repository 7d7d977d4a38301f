import { expect, test } from 'vitest';
import { durationText, timelineOf } from './timeline.ts';

test('spans are placed in order, within the line, and keep their proportions', () => {
  const { placeOf, gaps } = timelineOf([
    { start: 0, end: 100 },
    { start: 100, end: 300 },
  ]);
  expect(gaps).toEqual([]);
  expect(placeOf({ start: 0, end: 100 })).toEqual({ left: 0, width: expect.closeTo(1 / 3) as number });
  expect(placeOf({ start: 100, end: 300 })).toEqual({
    left: expect.closeTo(1 / 3) as number,
    width: expect.closeTo(2 / 3) as number,
  });
});

test('a pause of hours is short and says how long it was', () => {
  const { placeOf, gaps } = timelineOf([
    { start: 0, end: 10_000 },
    { start: 7_210_000, end: 7_220_000 },
  ]);
  expect(gaps).toEqual([
    { left: expect.closeTo(10 / 21.6, 2) as number, width: expect.any(Number) as number, ms: 7_200_000 },
  ]);
  expect(gaps[0]!.width).toBeLessThan(0.1);
  const last = placeOf({ start: 7_210_000, end: 7_220_000 });
  expect(last.left + last.width).toBeCloseTo(1);
  expect(durationText(gaps[0]!.ms)).toBe('2.0 h');
});

test('no span and spans without a length have a place too', () => {
  expect(timelineOf([]).placeOf({ start: 1, end: 2 })).toEqual({ left: 0, width: 0 });
  const { placeOf } = timelineOf([{ start: 5, end: 5 }]);
  expect(placeOf({ start: 5, end: 5 }).left).toBe(0);
});
