import { expect, test } from 'vitest';
import { declaredWaitMs } from './arrival.ts';

const arrival = (prefer: string | undefined) => ({
  requestId: 'r',
  identity: { principal: 'p', userId: 'u' },
  req: { headers: { ...(prefer !== undefined && { prefer }) } },
});

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ['wait=5', 4_500],
  ['respond-async, wait=10', 9_500],
  ['Wait=1; x', 500],
  ['wait=0', 0],
  ['wait=-1', undefined],
  ['wait=1e9', undefined],
  ['wait=99999', undefined],
  ['await=5', undefined],
  [`wait=5${' '.repeat(500)}`, undefined],
])('Prefer: %s', (prefer, ms) => {
  expect(declaredWaitMs(arrival(prefer))).toBe(ms);
});
