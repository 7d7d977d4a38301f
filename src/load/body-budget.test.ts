import { expect, test } from 'vitest';
import { createBodyBudget, type BodyBudgetLimits, type Reservation } from './body-budget.ts';

const LIMITS: BodyBudgetLimits = { activeBytes: 100, queuedBytes: 100, waitMs: 60_000, slowMs: 60_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The state of each reservation by now. */
async function known(bodies: readonly Reservation[]): Promise<Array<boolean | '-'>> {
  await turn();
  return Promise.all(bodies.map(({ granted }) => Promise.race([granted, Promise.resolve('-' as const)])));
}

test('bodies within the budget are read; the others wait until bytes are released', async () => {
  const reserve = createBodyBudget(LIMITS);
  const bodies = [40, 40, 40, 10].map((bytes) => reserve('a', bytes));
  // The last would fit, but it came later.
  expect(await known(bodies)).toEqual([true, true, '-', '-']);
  bodies[0]!.release();
  expect(await bodies[2]!.granted).toBe(true);
  expect(await bodies[3]!.granted).toBe(true);
});

test('a body longer than the budget is read alone, also where its length was not announced', async () => {
  const reserve = createBodyBudget({ ...LIMITS, queuedBytes: 200 });
  const bodies = [1000, 1, Infinity].map((bytes) => reserve('a', bytes));
  expect(await known(bodies)).toEqual([true, '-', '-']);
  bodies[0]!.release();
  await bodies[1]!.granted;
  expect(await known(bodies)).toEqual([true, true, '-']);
  bodies[1]!.release();
  expect(await bodies[2]!.granted).toBe(true);
});

test('the client that sends most is rejected, and the others are served round-robin', async () => {
  const reserve = createBodyBudget(LIMITS);
  const flood = Array.from({ length: 5 }, () => reserve('flood', 50));
  expect(await known(flood)).toEqual([true, true, '-', '-', false]);
  const honest = reserve('honest', 50);
  // The newest of the longest queue was displaced.
  expect(await known([...flood, honest])).toEqual([true, true, '-', false, false, '-']);
  flood[0]!.release();
  await flood[2]!.granted;
  const late = reserve('flood', 50);
  flood[1]!.release();
  expect(await honest.granted).toBe(true);
  expect(await known([late])).toEqual(['-']);
});

test('no body waits forever, and one that is given up makes room', async () => {
  const reserve = createBodyBudget({ ...LIMITS, waitMs: 100, slowMs: 10 });
  const [first, second] = [reserve('a', 100), reserve('a', 100)];
  first.arrived();
  expect(await second.granted).toBe(false);
  const gone = reserve('a', 100);
  gone.release();
  gone.release();
  expect(await gone.granted).toBe(false);
  first.release();
  expect(await reserve('a', 100).granted).toBe(true);
});

test('a slow sender keeps nobody waiting; a body that has arrived keeps its bytes until it is read', async () => {
  const reserve = createBodyBudget({ ...LIMITS, slowMs: 10 });
  reserve('slow', 100);
  const next = reserve('a', 100);
  expect(await next.granted).toBe(true);
  next.arrived();
  const last = reserve('b', 100);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await known([last])).toEqual(['-']);
  next.release();
  expect(await last.granted).toBe(true);
});
