import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Attack } from '../attacks/attack.ts';
import { killCycles } from './kill-cycles.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MOST_MS = 300_000;

/** Runs a program of its own that tries the fault; exit code 2 of ours means that this machine cannot. */
function program(threat: string, title: string, args: string[]): Attack {
  return {
    threat,
    title,
    async run(tally) {
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: MOST_MS,
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      const said = text.trim().split('\n');
      if (code === 2) return tally.notHere(said.at(-1) ?? '');
      tally.held(code === 0, said.slice(-15).join('\n       '));
      tally.figure(args.at(-1)!);
    },
  };
}

const script = (threat: string, title: string, file: string) =>
  program(threat, title, ['--import', 'tsx', file]);
const suite = (threat: string, title: string, file: string) =>
  program(threat, title, ['node_modules/vitest/vitest.mjs', 'run', file]);

const killed: Attack = {
  threat: 'F01',
  title: 'the proxy is killed under load',
  async run(tally, scale) {
    const result = await killCycles(scale === 'full' ? 100 : 5);
    for (const what of ['lost', 'traceless', 'twice'] as const)
      tally.held(result[what].length === 0, `${result[what].length} ${what}`);
    tally.held(result.verdict === 'intact', result.verdict);
    tally.figure(
      `${result.cycles} kills, ${result.acknowledged} acknowledged, ${result.unknown} unknown, ready in ${Math.max(...result.readyMs)} ms at most`,
    );
  },
};

/** Rows that have a test or a script of their own. */
export const elsewhere: readonly Attack[] = [
  killed,
  script('F02', 'an answer before its record is on disk', 'scripts/ack-order.ts'),
  script('F04', 'the disk fails to sync', 'scripts/faults-fsync.ts'),
  suite('F05', 'the disk is full', 'test/faults/disk-full.test.ts'),
  suite('F06', 'the log is changed, cut, forged or rolled back (and F07)', 'src/activity/verify.test.ts'),
  suite('F23', 'killed at each step of an approval', 'test/faults/approval-kill.test.ts'),
];
