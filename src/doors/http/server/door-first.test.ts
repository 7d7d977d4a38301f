import { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDoorFirst } from './door-first.ts';

/** A door with a clock that stands until it is moved, and what was begun at it. */
function open() {
  let time = 1_000;
  const begun: string[] = [];
  const door = createDoorFirst(() => time);
  const ask = (name: string, socket = new Socket()) => door.begin(socket, () => void begun.push(name));
  return { door, begun, ask, pass: (ms: number) => (time += ms) };
}

/** More than the door waits between two looks. */
const looks = () => pause(30);

test('a request begins at once where nobody connects', () => {
  const { begun, ask } = open();
  ask('one');
  expect(begun).toEqual(['one']);
});

test('while connections come in, their first requests wait; then they begin in order', async () => {
  const { door, begun, ask } = open();
  for (const name of ['one', 'two', 'three']) {
    door.came();
    ask(name);
    expect(begun).toEqual([]);
    await turn();
  }
  await turn();
  await turn();
  expect(begun).toEqual(['one', 'two', 'three']);
});

test('a connection that was served before does not wait', async () => {
  const { door, begun, ask } = open();
  const socket = new Socket();
  ask('one', socket);
  door.came();
  door.left();
  ask('new');
  ask('two', socket);
  expect(begun).toEqual(['one', 'two']);
});

test('after one was turned away the next is waited for, and then everybody is served', async () => {
  const { door, begun, ask, pass } = open();
  door.left();
  ask('one');
  await looks();
  expect(begun).toEqual([]);
  pass(51);
  await looks();
  expect(begun).toEqual(['one']);
});

test('a crowd without an end does not starve those who are in', async () => {
  const { door, begun, ask, pass } = open();
  door.left();
  ask('one');
  pass(1_499);
  door.left();
  await looks();
  expect(begun).toEqual([]);
  pass(2);
  door.left();
  await looks();
  expect(begun).toEqual(['one']);
});
