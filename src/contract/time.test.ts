import { expect, test } from 'vitest';
import { TimeText, timeOf, withTimes, type Edge } from './time.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-11-18T15:30:00Z');
const at = (text: string, edge: Edge = 'start') => {
  const time = timeOf(text, { now: NOW, edge, zone: 'utc' });
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each([
  ['now', '2026-11-18T15:30:00.000Z'],
  ['2h', '2026-11-18T13:30:00.000Z'],
  ['7d', '2026-11-11T15:30:00.000Z'],
  ['1w', '2026-11-11T15:30:00.000Z'],
  ['3d ago', '2026-11-15T15:30:00.000Z'],
  ['today', '2026-11-18T00:00:00.000Z'],
  ['Yesterday', '2026-11-17T00:00:00.000Z'],
  ['this week', '2026-11-16T00:00:00.000Z'],
  [' last  week ', '2026-11-09T00:00:00.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01 10:30', '2026-11-01T10:30:00.000Z'],
  ['2026-11-01T10:30:00+02:00', '2026-11-01T08:30:00.000Z'],
  ['2026-11-01T10:30:00.123Z', '2026-11-01T10:30:00.123Z'],
])('a time filter takes %j', (text, start) => {
  expect(at(text)).toBe(start);
  expect(TimeText.safeParse(text).success).toBe(true);
});

test('the end of a range is the last moment of the named day or week', () => {
  expect(at('today', 'end')).toBe('2026-11-18T23:59:59.999Z');
  expect(at('yesterday', 'end')).toBe('2026-11-17T23:59:59.999Z');
  expect(at('last week', 'end')).toBe('2026-11-15T23:59:59.999Z');
  expect(at('2026-11-01', 'end')).toBe('2026-11-01T23:59:59.999Z');
  expect(at('2026-11-01T10:30:00Z', 'end')).toBe('2026-11-01T10:30:00.000Z');
  expect(at('2h', 'end')).toBe('2026-11-18T13:30:00.000Z');
});

test('a Sunday belongs to the week that began on the Monday before', () => {
  const sunday = Date.parse('2026-11-15T12:00:00Z');
  const start = timeOf('this week', { now: sunday, edge: 'start', zone: 'utc' })!;
  expect(new Date(start).toISOString()).toBe('2026-11-09T00:00:00.000Z');
});

test('days are local where the reader is', () => {
  const start = new Date(timeOf('yesterday', { now: NOW, edge: 'start', zone: 'local' })!);
  expect([start.getHours(), start.getMinutes()]).toEqual([0, 0]);
  const expected = new Date(NOW);
  expect(start.getDate()).toBe(
    new Date(expected.getFullYear(), expected.getMonth(), expected.getDate() - 1).getDate(),
  );
});

test.each([
  '',
  'tomorrow',
  'last',
  '7',
  '7 parsecs',
  '2026-02-31',
  '2026-13-01',
  '11/01/2026',
  '2026-11-01T25:00:00Z',
  '__proto__',
  'constructor',
  '999999999999w',
  `${'9'.repeat(400)}d`,
])('what is no time is rejected with examples: %j', (text) => {
  const parsed = TimeText.safeParse(text);
  expect(parsed.success).toBe(false);
  if (text.length <= 64) expect(parsed.error!.issues[0]!.message).toContain('today, yesterday');
});

test('both ends of a filter become ISO 8601; other values stay', () => {
  expect(withTimes({ start_time: 'yesterday', end_time: 'yesterday', q: 'x' }, NOW)).toEqual({
    start_time: '2026-11-17T00:00:00.000Z',
    end_time: '2026-11-17T23:59:59.999Z',
    q: 'x',
  });
  expect(withTimes({ buckets: 3, start_time: undefined }, NOW)).toEqual({ buckets: 3 });
});
