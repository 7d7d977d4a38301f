import { expect, test } from 'vitest';
import type { Log } from '../../../lib/log.ts';
import { createDenialLines } from './denial-lines.ts';

function lines() {
  const written: Array<[Record<string, unknown>, string]> = [];
  const clock = { time: 0, now: () => clock.time };
  const warn = (fields: Record<string, unknown>, text: string) => void written.push([fields, text]);
  const all = createDenialLines({ warn } as unknown as Log, clock);
  return {
    written,
    clock,
    flush: () => all.flush(),
    add: (source: string) => all.add(source, () => ({ source })),
  };
}

test('wrong keys write a bounded number of lines per address and minute, and their exact number', () => {
  const log = lines();
  for (let i = 0; i < 1000; i++) log.add('a');
  expect(log.written).toHaveLength(10);
  log.add('b');
  expect(log.written.at(-1)).toEqual([{ source: 'b' }, 'wrong key or token']);
  log.clock.time += 60_000;
  log.add('a');
  expect(log.written.slice(-2)).toEqual([
    [{ count: 990 }, 'further requests with a wrong key or token, in one minute'],
    [{ source: 'a' }, 'wrong key or token'],
  ]);
});

test('wrong keys of many addresses write a bounded number of lines together', () => {
  const log = lines();
  for (let i = 0; i < 5000; i++) log.add(`address ${i}`);
  log.flush();
  expect(log.written).toHaveLength(101);
  expect(log.written.at(-1)![0]).toEqual({ count: 4900 });
  log.flush();
  expect(log.written).toHaveLength(101);
});
