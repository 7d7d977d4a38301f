import { expect, test } from 'vitest';
import { ResourceWatches } from './resource-watches.ts';

const by = (client: string) => ({ client, session: undefined });

test('one client cannot take all resources that may be watched, in however many sessions', async () => {
  const watches = new ResourceWatches({ server: 's', connection: () => undefined, limitMs: () => 1000 });
  const watcher = () => ({ updated: () => undefined });
  const sessions = [watcher(), watcher(), watcher()];
  const watch = (i: number) => watches.add(`r://${i}`, sessions[i % 3]!, by('a'));
  const outcomes = await Promise.allSettled(Array.from({ length: 1100 }, (_, i) => watch(i)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(800);
  await watches.add('r://other', watcher(), by('b'));
  await watches.release('r://0', sessions[0]!);
  await expect(watch(0)).resolves.toBeUndefined();
});
