import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that start a process or need PostgreSQL. A file that is missing here fails: `no-processes.ts` refuses every start. */
const WITH_PROCESSES = [
  'src/approval/notify',
  'src/config/{config,daemon/data-dir}',
  'src/catalog/known/known-tools',
  'src/db/postgres/*',
  'src/doors/cli/{io,commands/completion,commands/upstream/upstream-care}',
  'src/doors/http/real-parts',
  'src/doors/mcp/relay/*',
  'src/log/export/sealed',
  'src/log/postgres/*',
  'src/log/verify/*',
  'src/observe/tracing',
  'src/start/db-migrate',
  'src/start/stop-daemon',
  'src/tasks/tasks',
  'src/upstream/upstreams',
  'src/upstream/connection/{negotiate-stdio,server-memory,try-server}',
  'src/upstream/dispatch/*',
  'src/upstream/process/*',
  'src/upstream/sessions/cross-talk',
  'src/upstream/shared/*',
  'src/upstream/transport/{http,stdio-transport}',
];

/** `npm run test:unit`: no browser, no PostgreSQL, no child process. Suites for both database engines run on SQLite only. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
    exclude: WITH_PROCESSES.map((path) => `${path}.test.ts`),
    // As in vitest.config.ts: only against what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    isolate: false,
    setupFiles: ['test/fixtures/same-cases.ts', 'test/fixtures/no-processes.ts'],
    provide: { postgresDesk: '' },
  },
});
