import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/**
 * `npm run fuzz -- [--cases N] [--seed N] [--path P] [DOOR…]`: the same properties as in the suite, with more cases and others. A failure
 * prints seed and path; with both, exactly that case is tried again.
 */
const { values, positionals } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
  allowPositionals: true,
});
const seed = values.seed ?? String(randomInt(2 ** 31));
process.stdout.write(`${values.cases} cases, seed ${seed}\n`);
const files = positionals.length > 0 ? positionals.map((door) => `test/fuzz/${door}`) : ['test/fuzz'];
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--reporter=verbose', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_CASES: values.cases,
      FUZZ_SEED: seed,
      ...(values.path !== undefined && { FUZZ_PATH: values.path }),
    },
  },
);
process.exit(status ?? 1);
