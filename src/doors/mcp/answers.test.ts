import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { clientName } from './answers.ts';

test('a client is known by the beginning of its name', () => {
  expect(clientName({ name: 'x', version: '1' })).toBe('x/1');
  expect(clientName({ name: 'x'.repeat(300), version: '1' })).toBe('x'.repeat(200));
  expect(clientName({ version: '1' })).toBeUndefined();
});

test('the name of a client keeps nothing else in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const names = Array.from({ length: 50 }, (_, i) => {
    const name = Buffer.alloc(1_000_000, String(i).padStart(2, '0')).toString();
    return clientName({ name, version: '1' });
  });
  expect(used() - before).toBeLessThan(10_000_000);
  expect(names).toHaveLength(50);
});
