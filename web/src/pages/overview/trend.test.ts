import { expect, test } from 'vitest';
import { trendOf } from './trend.ts';

test('a change of few is a number, a change of many is a share', () => {
  expect(trendOf([1, 2], [3, 4])).toEqual({ now: 7, isMore: true, text: '▲ 4 more than the day before' });
  expect(trendOf([100, 100], [50, 50])).toEqual({
    now: 100,
    isMore: false,
    text: '▼ 50 % fewer than the day before',
  });
  expect(trendOf([], [5]).text).toBe('▲ 5 more than the day before');
  expect(trendOf([2], [1, 1]).text).toBe('as the day before');
});
