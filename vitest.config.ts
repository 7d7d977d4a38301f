import { availableParallelism } from 'node:os';
import { defaultExclude, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/fixtures/longest-first.ts';
import { Slowest } from './test/fixtures/slowest.ts';

/** For a machine that cannot have a browser. Said aloud, so that nobody takes the rest for everything. */
const withoutBrowser = process.env.MCPPROXY_SKIP_BROWSER === '1';
if (withoutBrowser)
  process.stderr.write('\n*** MCPPROXY_SKIP_BROWSER=1: the web UI is NOT tested in this run ***\n\n');

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    exclude: withoutBrowser ? [...defaultExclude, 'test/web/**'] : defaultExclude,
    // Only against what hangs: a machine that does much else may take ten times as long for everything.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // Tests make much garbage that is short-lived: with room for it, a worker collects less often, and copies less each time.
    execArgv: ['--max-semi-space-size=64'],
    // Most tests wait for real processes: with only one worker per core, a small machine would be idle half of the time.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    // Loading the same modules again for each of hundreds of files took longer than most of these files do.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new Slowest()],
    setupFiles: ['test/fixtures/same-cases.ts'],
    globalSetup: [
      'test/fixtures/postgres-desk.ts',
      ...(withoutBrowser ? [] : ['test/fixtures/provide-browsers.ts']),
    ],
  },
});
