import { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAcceptScheduler } from './accept-scheduler.ts';

/** A scheduler with a manual clock, and the requests that it started. */
function open() {
  let time = 1_000;
  const started: string[] = [];
  const scheduler = createAcceptScheduler(() => time);
  const ask = (name: string, socket = new Socket()) =>
    scheduler.schedule(socket, () => void started.push(name));
  return { scheduler, started, ask, pass: (ms: number) => (time += ms) };
}

/** More than the time between two polls. */
const polls = () => pause(30);

test('a request starts immediately where nobody connects', () => {
  const { started, ask } = open();
  ask('one');
  expect(started).toEqual(['one']);
});

test('while connections come in, their first requests wait; then they start in order', async () => {
  const { scheduler, started, ask } = open();
  for (const name of ['one', 'two', 'three']) {
    scheduler.accepted();
    ask(name);
    expect(started).toEqual([]);
    await turn();
  }
  await turn();
  await turn();
  expect(started).toEqual(['one', 'two', 'three']);
});

test('a connection that was served before does not wait', async () => {
  const { scheduler, started, ask } = open();
  const socket = new Socket();
  ask('one', socket);
  scheduler.accepted();
  scheduler.rejected();
  ask('new');
  ask('two', socket);
  expect(started).toEqual(['one', 'two']);
});

test('after a rejected connection more are expected; then all requests are served', async () => {
  const { scheduler, started, ask, pass } = open();
  scheduler.rejected();
  ask('one');
  await polls();
  expect(started).toEqual([]);
  pass(51);
  await polls();
  expect(started).toEqual(['one']);
});

test('endless new connections do not starve those that were accepted', async () => {
  const { scheduler, started, ask, pass } = open();
  scheduler.rejected();
  ask('one');
  pass(1_499);
  scheduler.rejected();
  await polls();
  expect(started).toEqual([]);
  pass(2);
  scheduler.rejected();
  await polls();
  expect(started).toEqual(['one']);
});
