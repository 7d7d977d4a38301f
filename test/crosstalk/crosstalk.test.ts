import { expect, test } from 'vitest';
import { startHere } from '../e2e/start-here.ts';
import { runCrosstalk } from './run-crosstalk.ts';

// `npm run crosstalk` takes 10,000 steps.
test('clients of one server never see what belongs to another, through the doors', async () => {
  const seed = Number(process.env.MCPPROXY_TEST_SEED ?? 17);
  const start = (config: Record<string, unknown>) => startHere({ config });
  const { crossings, failures, taken, records } = await runCrosstalk({ steps: 300, seed, start });
  expect({ crossings, failures }).toEqual({ crossings: [], failures: [] });
  expect(records).toBeGreaterThan(20);
  for (const step of ['roots', 'elicit', 'sample', 'log', 'watch', 'touch'])
    for (const eras of ['older 2025', 'older 2026', 'apart 2025', 'apart 2026', 'newer 2025', 'newer 2026'])
      expect(taken[`${step} ${eras}`], `${step} ${eras}`).toBeGreaterThan(0);
});
