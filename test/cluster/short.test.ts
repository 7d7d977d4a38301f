import { expect, test } from 'vitest';
import { hasPostgres } from '../fixtures/engines.ts';
import { runOnce } from './run.ts';

/** The short form of `npm run faults -- --cluster`: one run, with a failover that loses commits. */
test.skipIf(!hasPostgres())('three proxies, a failover and other faults: the history holds', async () => {
  const { breaches, calls } = await runOnce({ seed: 6, seconds: 3, clients: 1 });
  expect(breaches).toEqual([]);
  expect(calls.done).toBeGreaterThan(0);
});
