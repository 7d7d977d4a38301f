import { expect, test } from 'vitest';
import { pace, paced } from './pace.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('of many long texts only so much is taken in at a time, and all of them go on', async () => {
  const order: string[] = [];
  const source = (name: string) => ({
    pause: () => order.push(`${name} waits`),
    resume: () => order.push(`${name} goes on`),
  });
  const sources = Array.from({ length: 10 }, (_, i) => source(String(i)));
  for (const each of sources) pace(each, 100 * 1024);
  expect(order).toEqual(['5', '6', '7', '8', '9'].map((name) => `${name} waits`));
  await turn();
  expect(order.slice(5)).toEqual(['5', '6', '7', '8'].map((name) => `${name} goes on`));
  await turn();
  expect(order.slice(9)).toEqual(['9 goes on']);
  await turn();
  expect(paced(1000)).toBeUndefined();
  const wait = paced(1024 * 1024);
  expect(wait).toBeInstanceOf(Promise);
  await wait;
});
