import { afterEach, describe, expect, test } from 'vitest';
import { byteSize, localTime, longDuration, pointInTime, shortDuration } from './time.ts';

const NOW = Date.parse('2025-01-15T12:00:00Z');

describe('localTime', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test.each([
    ['UTC', '2025-01-15 12:00:00Z'],
    ['Asia/Kolkata', '2025-01-15 17:30:00+05:30'],
    ['America/New_York', '2025-01-15 07:00:00-05:00'],
  ])('a time in %s tells its offset', (name, shown) => {
    process.env.TZ = name;
    expect(localTime('2025-01-15T12:00:00Z')).toBe(shown);
    expect(new Date(localTime('2025-01-15T12:00:00Z').replace(' ', 'T')).getTime()).toBe(NOW);
  });
});

describe('pointInTime', () => {
  test.each([
    ['2h', '2025-01-15T10:00:00.000Z'],
    ['7d', '2025-01-08T12:00:00.000Z'],
    ['90s', '2025-01-15T11:58:30.000Z'],
    ['2025-01-14T08:30:00Z', '2025-01-14T08:30:00.000Z'],
    ['2025-01-14T08:30:00+02:00', '2025-01-14T06:30:00.000Z'],
  ])('%s', (text, expected) => expect(pointInTime(text, NOW)).toBe(expected));

  test('without a zone it is local', () => {
    expect(pointInTime('2025-01-14', NOW)).toBe(new Date(2025, 0, 14).toISOString());
    expect(pointInTime('2025-01-14 08:30', NOW)).toBe(new Date(2025, 0, 14, 8, 30).toISOString());
  });

  test('the words of people are local days and weeks', () => {
    expect(pointInTime('today', NOW)).toBe(new Date(new Date(NOW).setHours(0, 0, 0, 0)).toISOString());
    expect(pointInTime('1w', NOW)).toBe('2025-01-08T12:00:00.000Z');
    const day = new Date(NOW);
    const at = (days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
    expect(pointInTime('yesterday', NOW)).toBe(at(-1).toISOString());
    expect(pointInTime('yesterday', NOW, 'end')).toBe(new Date(at(0).getTime() - 1).toISOString());
    expect(pointInTime('last week', NOW)).toBe(at(-((day.getDay() + 6) % 7) - 7).toISOString());
  });

  test.each(['tomorrow', '2x', '', '-2h', '2025-13-45', '12', '99999999999999d'])(
    '%j is refused with examples',
    (text) => {
      expect(() => pointInTime(text, NOW)).toThrow(/is not a valid time\. Use 2h, 7d, 1w, today, yesterday/);
    },
  );
});

test('durations and sizes read at a glance', () => {
  expect([0.4, 245, 1500, 190_000].map(shortDuration)).toEqual(['0ms', '245ms', '1.5s', '3m 10s']);
  expect(shortDuration(undefined)).toBeUndefined();
  expect([59, 3599, 7500, 349_200].map(longDuration)).toEqual(['59s', '59m 59s', '2h 5m', '4d 1h']);
  expect([999, 12_345, 5_000_000].map(byteSize)).toEqual(['999 B', '12.3 kB', '5.0 MB']);
});
