import { parseArgs } from 'node:util';
import { startProxy } from '../test/e2e/start-proxy.ts';
import { runCrosstalk } from '../test/crosstalk/run-crosstalk.ts';

const USAGE = `Clients of both protocol eras use two servers of both eras through the built proxy, in random order and many steps at a time.
No client may see the roots, log level, log messages, progress, subscriptions, sampling or elicitations of another.

  npm run crosstalk                              10,000 steps
  npm run crosstalk -- --steps 1000 --seed 7

Exit code 0: nothing was crossed and every step worked, 1: not so, 2: wrong usage.`;

const { steps, seed } = readOptions();
const start = Date.now();
const { crossings, failures, taken, records } = await runCrosstalk({
  steps,
  seed,
  start: (config) => startProxy({ config }),
});
for (const step of Object.keys(taken).toSorted()) console.log(`${step.padEnd(24)} ${taken[step]}`);
const all = Object.values(taken).reduce((sum, times) => sum + times, 0);
console.log(
  `${all} steps, ${records} records compared, seed ${seed}, ${Math.round((Date.now() - start) / 1000)} s`,
);
for (const [title, lines] of Object.entries({ crossings, failures })) {
  console.log(`${lines.length} ${title}`);
  for (const line of lines.slice(0, 20)) console.log(`  ${line}`);
}
process.exit(crossings.length + failures.length === 0 ? 0 : 1);

function readOptions(): { steps: number; seed: number } {
  try {
    const options = {
      steps: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '17' },
      help: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(USAGE);
      return process.exit(0);
    }
    const [wantedSteps, wantedSeed] = [Number(values.steps), Number(values.seed)];
    if (!Number.isInteger(wantedSteps) || wantedSteps < 1 || !Number.isInteger(wantedSeed))
      throw new Error('--steps and --seed must be whole numbers.');
    return { steps: wantedSteps, seed: wantedSeed };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(2);
  }
}
