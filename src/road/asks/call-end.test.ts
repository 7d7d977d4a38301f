import { expect, test } from 'vitest';
import { CallEnd } from './call-end.ts';

test('A signal ends with the call, also one that is asked for afterwards.', () => {
  const end = new CallEnd();
  const early = end.signal;
  expect([early.aborted, end.isOver]).toEqual([false, false]);
  end.end();
  expect([early.aborted, end.isOver]).toEqual([true, true]);
  const late = new CallEnd();
  late.end();
  expect(late.signal.aborted).toBe(true);
});
