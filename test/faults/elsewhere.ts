import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Attack } from '../attacks/attack.ts';
import { approvalKills } from './approval-kills.ts';
import { killCycles } from './kill-cycles.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MOST_MS = 300_000;

/** A script of its own that tries the fault with strace; exit code 2 means that this machine does not let it. */
function traced(threat: string, title: string, args: (full: boolean) => string[]): Attack {
  return {
    threat,
    title,
    async run(tally, scale) {
      if (spawnSync('strace', ['-V']).status !== 0) return tally.notHere('strace is missing');
      const child = spawn(process.execPath, ['--import', 'tsx', ...args(scale === 'full')], {
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
      tally.figure(
        said.length === 1
          ? said[0]!
          : `${said.filter((line) => line.startsWith('yes')).length} of ${said.length} conditions: ${said.map((line) => line.slice(5)).join(', ')}`,
      );
    },
  };
}

const killed: Attack = {
  threat: 'F01',
  title: 'the proxy is killed under load',
  async run(tally, scale) {
    const result = await killCycles(scale === 'full' ? 100 : 5);
    for (const what of ['lost', 'traceless', 'twice'] as const)
      tally.held(result[what].length === 0, `${result[what].length} ${what}`);
    tally.held(result.acknowledged > 0, 'no call was acknowledged');
    tally.held(result.verdict === 'intact', result.verdict);
    tally.figure(
      `${result.cycles} kills, ${result.acknowledged} acknowledged, 0 lost, ${result.unknown} of unknown outcome, ready in ${Math.max(...result.readyMs)} ms at most`,
    );
  },
};

const killedWhileApproved: Attack = {
  threat: 'F23',
  title: 'killed at each step of an approval',
  async run(tally, scale) {
    const outcomes = await approvalKills(scale === 'full' ? 100 : 6);
    for (const { step, wrong } of outcomes) tally.held(wrong.length === 0, `${step}: ${wrong.join(', ')}`);
    const found: Record<string, number> = {};
    for (const { status } of outcomes) found[status] = (found[status] ?? 0) + 1;
    const most = Math.max(...outcomes.map(({ executions }) => executions));
    tally.held(most <= 1, `one approval, ${most} executions`);
    tally.figure(`${outcomes.length} kills, found ${JSON.stringify(found)}, ${most} execution at most`);
  },
};

/** Rows that have a test or a script of their own. */
export const elsewhere: readonly Attack[] = [
  killed,
  traced('F02', 'an answer before its record is on disk', (full) => [
    'scripts/ack-order.ts',
    full ? '2000' : '300',
  ]),
  traced('F04', 'the disk fails to sync', () => ['scripts/faults-fsync.ts']),
  killedWhileApproved,
];
