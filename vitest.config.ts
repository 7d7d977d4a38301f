import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** For a machine that cannot have a browser. Said aloud, so that nobody takes the rest for everything. */
const withoutBrowser = process.env.MCPPROXY_SKIP_BROWSER === '1';
if (withoutBrowser)
  process.stderr.write('\n*** MCPPROXY_SKIP_BROWSER=1: the web UI is NOT tested in this run ***\n\n');

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: withoutBrowser ? ['test/web/**'] : [],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for real processes; one at a time would leave a small machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/fixtures/postgres-desk.ts'],
  },
});
