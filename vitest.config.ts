import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Tests start dozens of real processes; on a shared machine one of them may stall. A second try is reported as such.
    retry: process.env.CI ? 1 : 0,
  },
});
