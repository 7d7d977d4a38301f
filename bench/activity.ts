import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { killCycles } from '../test/faults/kill-cycles.ts';
import type { ListingResult } from './activity-listing.ts';
import type { LogResult } from './activity-log.ts';
import { outputOf, ROOT } from './children.ts';
import { describeMachine, machineLines } from './machine.ts';
import { figure, ratio, table } from './table.ts';

// usage: npm run bench:activity -- [--quick] [--large] [--kill CYCLES]
//   --quick   shorter rounds, 100,000 records instead of a million
//   --large   first pages at ten million records too; filling takes a quarter of an hour and 8 GB
//   --kill N  instead: N cycles of SIGKILL under load

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, large: { type: 'boolean' }, kill: { type: 'string' } },
});

async function kill(cycles: number): Promise<void> {
  const result = await killCycles(cycles);
  const { acknowledged, executed, unknown, lost, traceless, twice, verdict } = result;
  const sorted = result.readyMs.sort((a, b) => a - b);
  console.log(
    `${cycles} cycles: ${acknowledged} calls acknowledged, ${executed} executed, ${unknown} of unknown outcome`,
  );
  console.log(
    `lost ${lost.length}, executed without a record ${traceless.length}, run twice ${twice.length}, chain ${verdict}`,
  );
  console.log(`ready again: median ${sorted[sorted.length >> 1]} ms, longest ${sorted.at(-1)} ms`);
  const good = lost.length + traceless.length + twice.length === 0 && verdict === 'intact';
  process.exitCode = good ? 0 : 1;
}

function appends(quick: boolean): void {
  const result = JSON.parse(
    outputOf('activity-log', quick ? [2, 500, 100_000] : [3, 2000, 1_000_000]),
  ) as LogResult;
  const rows = result.appends.map(({ writers, raw, log }) => [
    String(writers),
    figure(raw),
    figure(log),
    ratio(log, raw),
  ]);
  console.log(`\n${table(['writers', 'raw SQLite rows/s', 'log records/s', 'share'], rows)}\n`);
  const facts: Array<[string, string]> = [
    ['records', figure(result.records)],
    [
      'verify, entries/s',
      `${figure(result.verifyPerSecond)} (${figure(result.verifyCpuPerSecond)} per second of CPU), ${result.verdict}`,
    ],
    ['bytes per record', figure(result.bytesPerRecord)],
    ['RSS after the appends', `${figure(result.rssMb)} MB`],
  ];
  console.log(table(['', ''], facts, 2));
}

function firstPages(records: number, pages: number): void {
  const results = JSON.parse(outputOf('activity-listing', [records, pages])) as ListingResult[];
  const rows = results.map(({ filter, total, p50Ms, p99Ms }) => [
    filter,
    figure(total),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  console.log(
    `\nFirst page of ${figure(records)} records\n${table(['filter', 'total', 'p50 ms', 'p99 ms'], rows)}`,
  );
}

if (flags.kill !== undefined) await kill(Number(flags.kill));
else {
  console.log(machineLines(describeMachine()));
  execFileSync('npx', ['tsc', '-p', 'bench/tsconfig.json'], { cwd: ROOT, stdio: 'inherit' });
  const quick = flags.quick === true;
  appends(quick);
  for (const records of quick ? [10_000, 100_000] : [10_000, 1_000_000, ...(flags.large ? [10_000_000] : [])])
    firstPages(records, quick ? 20 : 100);
}
