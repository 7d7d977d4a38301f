import { expect, it } from 'vitest';
import { merge } from './exact.ts';

it('gives a copy with the members of both, the second winning', () => {
  const first = { a: 1, b: 2 };
  expect(merge(first, { b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 });
  expect(Object.keys(merge(first, { c: 4 }))).toEqual(['a', 'b', 'c']);
  expect(first).toEqual({ a: 1, b: 2 });
  expect(merge(first, undefined)).toEqual(first);
});

it('copies a member named __proto__ like any other', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true}}') as object;
  const copy = merge(hostile, { a: 1 });
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.hasOwn(copy, '__proto__')).toBe(true);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"a":1}');
});
