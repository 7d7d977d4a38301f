import { parseArgs } from 'node:util';
import { approvalKills, STEPS } from '../test/faults/approval-kills.ts';
import type { GateResult } from './approval-gate.ts';
import { measureHolds } from './approval-holds.ts';
import { outputOf } from './children.ts';
import { compileParts } from './compile.ts';
import { describeMachine, machineLines } from './machine.ts';
import { figure, ratio, table } from './table.ts';

// usage: npm run bench:approvals -- [--holds N] [--calls N] [--kill CYCLES]
//   --holds N  calls that wait at once (default 1000)
//   --calls N  unrelated calls measured with and without them (default 4000)
//   --kill N   cycles of SIGKILL, over all steps of an approval (default 100); 0 leaves them out

const { values: flags } = parseArgs({
  options: {
    holds: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '4000' },
    kill: { type: 'string', default: '100' },
  },
});

console.log(machineLines(describeMachine()));

compileParts();
const gate = JSON.parse(outputOf('approval-gate', [])) as GateResult[];
console.log(
  `\nThe gate, per call\n${table(
    ['policy', 'µs'],
    gate.map(({ policy, us }) => [policy, us.toFixed(3)]),
  )}`,
);

const { idleMb, heldMb, before, during, settleMs } = await measureHolds(
  Number(flags.holds),
  Number(flags.calls),
);
console.log(`\n${flags.holds} calls that wait`);
console.log(
  table(
    ['', ''],
    [
      ['RSS before, after as many quick calls', `${figure(idleMb)} MB`],
      ['RSS while they wait', `${figure(heldMb)} MB`],
      ['cost', `${figure(heldMb - idleMb)} MB`],
      ['all answered after their denial', `${figure(settleMs)} ms`],
    ],
  ),
);
const row = (name: string, { p50, p99, perSecond }: typeof before) => [
  name,
  p50.toFixed(2),
  p99.toFixed(2),
  figure(perSecond),
];
console.log(
  `\nUnrelated calls\n${table(['', 'p50 ms', 'p99 ms', 'calls/s'], [row('nothing waits', before), row(`${flags.holds} wait`, during), ['ratio', ratio(during.p50, before.p50), ratio(during.p99, before.p99), ratio(during.perSecond, before.perSecond)]])}`,
);

const cycles = Number(flags.kill);
if (cycles > 0) {
  const outcomes = await approvalKills(cycles);
  const wrong = outcomes.filter((each) => each.wrong.length > 0);
  const rows = STEPS.map((step) => {
    const of = outcomes.filter((each) => each.step === step);
    const count = (status: string) => String(of.filter((each) => each.status === status).length);
    return [
      step,
      String(of.length),
      ...['pending', 'approved', 'unknown', 'executed'].map(count),
      String(Math.max(0, ...of.map((each) => each.executions))),
    ];
  });
  console.log(
    `\nKilled ${cycles} times\n${table(['at', 'cycles', 'found pending', 'approved', 'unknown', 'executed', 'most executions'], rows)}`,
  );
  console.log(wrong.length === 0 ? 'nothing lost, nothing run twice' : JSON.stringify(wrong, undefined, 2));
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
