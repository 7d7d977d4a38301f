import { parseArgs } from 'node:util';
import { hasNetwork, runInNetwork } from '../test/cluster/network.ts';
import { runOnce, type RunOutcome } from '../test/cluster/run.ts';

const MOST_SHOWN = 5;

/** Runs with one seed after the other. The exit code is 0 where every history is as it must be. */
export async function runClusters(args: string[]): Promise<number> {
  const number = (otherwise: string) => ({ type: 'string', default: otherwise }) as const;
  const { values } = parseArgs({
    args,
    options: { cluster: { type: 'boolean' }, runs: number('100'), seconds: number('8'), seed: number('1') },
  });
  const [runs, seconds, first] = [Number(values.runs), Number(values.seconds), Number(values.seed)];
  if (!hasNetwork()) {
    const code = await runInNetwork();
    if (code !== undefined) return code;
    console.log('No packets are lost: that needs root, unshare, ip and nft.');
  }
  const outcomes: RunOutcome[] = [];
  for (let seed = first; seed < first + runs; seed++) {
    const outcome = await runOnce({ seed, seconds, hasDisk: true });
    outcomes.push(outcome);
    print(outcome);
  }
  const sum = (of: (outcome: RunOutcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const bad = outcomes.filter(({ breaches }) => breaches.length > 0);
  console.log(
    `${outcomes.length} runs, ${sum(({ faults }) => faults.length)} faults, ${sum(({ calls }) => calls.done)} calls acknowledged, ` +
      `${sum(({ calls }) => calls.refused)} refused, ${sum(({ calls }) => calls.unclear)} unclear; ` +
      `${outcomes.filter(({ missing }) => missing !== undefined).length} runs lost entries and said so; ${bad.length} runs NOT HELD`,
  );
  return bad.length === 0 ? 0 : 1;
}

function print({ seed, mode, faults, calls, missing, breaches }: RunOutcome): void {
  const held = breaches.length === 0 ? 'held' : `${breaches.length} NOT HELD`;
  const lost = missing === undefined ? '' : '; lost entries, and says so';
  console.log(
    `seed ${seed}  ${mode}  ${held}  ${calls.done} done, ${calls.refused} refused, ${calls.unclear} unclear${lost}  [${faults.join(', ')}]`,
  );
  for (const breach of breaches.slice(0, MOST_SHOWN)) console.log(`     ! ${breach}`);
}
