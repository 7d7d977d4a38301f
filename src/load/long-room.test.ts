import { expect, test } from 'vitest';
import { createLongRoom, type Place, type RoomSizes } from './long-room.ts';

const SIZES: RoomSizes = { atOnce: 100, waiting: 100, waitMs: 60_000, slowMs: 60_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What has become of each place by now. */
async function known(places: readonly Place[]): Promise<Array<boolean | '-'>> {
  await turn();
  return Promise.all(places.map(({ ready }) => Promise.race([ready, Promise.resolve('-' as const)])));
}

test('so much is taken in at once; the others wait, and go on as room is given back', async () => {
  const ask = createLongRoom(SIZES);
  const places = [40, 40, 40, 10].map((bytes) => ask('a', bytes));
  // The last would fit, but it came later.
  expect(await known(places)).toEqual([true, true, '-', '-']);
  places[0]!.leave();
  expect(await places[2]!.ready).toBe(true);
  expect(await places[3]!.ready).toBe(true);
});

test('what is longer than the room is taken in alone, also where nobody said how long it is', async () => {
  const ask = createLongRoom({ ...SIZES, waiting: 200 });
  const places = [1000, 1, Infinity].map((bytes) => ask('a', bytes));
  expect(await known(places)).toEqual([true, '-', '-']);
  places[0]!.leave();
  await places[1]!.ready;
  expect(await known(places)).toEqual([true, true, '-']);
  places[1]!.leave();
  expect(await places[2]!.ready).toBe(true);
});

test('who sends the most is told to come again, and the others are served in turn', async () => {
  const ask = createLongRoom(SIZES);
  const flood = Array.from({ length: 5 }, () => ask('flood', 50));
  expect(await known(flood)).toEqual([true, true, '-', '-', false]);
  const honest = ask('honest', 50);
  // The newest of the longest line has made room to wait.
  expect(await known([...flood, honest])).toEqual([true, true, '-', false, false, '-']);
  flood[0]!.leave();
  await flood[2]!.ready;
  const late = ask('flood', 50);
  flood[1]!.leave();
  expect(await honest.ready).toBe(true);
  expect(await known([late])).toEqual(['-']);
});

test('nobody waits for ever, and who goes away makes room', async () => {
  const ask = createLongRoom({ ...SIZES, waitMs: 100, slowMs: 10 });
  const [first, second] = [ask('a', 100), ask('a', 100)];
  first.arrived();
  expect(await second.ready).toBe(false);
  const gone = ask('a', 100);
  gone.leave();
  gone.leave();
  expect(await gone.ready).toBe(false);
  first.leave();
  expect(await ask('a', 100).ready).toBe(true);
});

test('who is slow to send keeps nobody waiting; what has arrived keeps its room until it is read', async () => {
  const ask = createLongRoom({ ...SIZES, slowMs: 10 });
  ask('slow', 100);
  const next = ask('a', 100);
  expect(await next.ready).toBe(true);
  next.arrived();
  const last = ask('b', 100);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await known([last])).toEqual(['-']);
  next.leave();
  expect(await last.ready).toBe(true);
});
