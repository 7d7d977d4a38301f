import { parseArgs } from 'node:util';
import { killCycles } from '../test/faults/kill-cycles.ts';
import type { AddedResult } from './activity-added.ts';
import { compareEngines } from './activity-engines.ts';
import type { ListingReport } from './activity-listing.ts';
import type { LogResult } from './activity-log.ts';
import type { PartsResult } from './activity-parts.ts';
import { outputOf } from './children.ts';
import { compileParts } from './compile.ts';
import { describeMachine, machineLines } from './machine.ts';
import { RAW_KINDS, type RawKind } from './raw-sqlite.ts';
import { figure, table } from './table.ts';

// usage: npm run bench:activity -- [--quick] [--large] [--only SECTION]... [--postgres] [--kill CYCLES]
//   --quick   shorter rounds, 100,000 records instead of a million
//   --large   first pages at ten million records too; filling takes half an hour and 8 GB
//   --only    one of appends, parts, added, pages; may be repeated
//   --postgres  instead: the log on a real PostgreSQL beside SQLite
//   --kill N  instead: N cycles of SIGKILL under load

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    postgres: { type: 'boolean', default: false },
    kill: { type: 'string' },
  },
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

const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)} %`;

function appends(): void {
  const result = JSON.parse(
    outputOf('activity-log', flags.quick ? [2, 500, 100_000] : [5, 2000, 1_000_000]),
  ) as LogResult;
  const kinds = Object.entries(RAW_KINDS) as Array<[RawKind, string]>;
  const rows = result.appends.flatMap(({ writers, log, raw }) => [
    [
      'records/s',
      String(writers),
      ...kinds.map(([kind]) => figure(raw[kind].perSecond)),
      figure(log.perSecond),
    ],
    ['CPU µs', '', ...kinds.map(([kind]) => figure(raw[kind].cpuUs)), figure(log.cpuUs)],
    ['log ÷ raw', '', ...kinds.map(([kind]) => percent(log.perSecond, raw[kind].perSecond))],
  ]);
  const head = ['', 'writers', ...kinds.map(([, name]) => `raw: ${name}`), 'log'];
  console.log(`\nDurable appends\n\n${table(head, rows)}\n`);
  const facts: Array<[string, string]> = [
    ['records', figure(result.records)],
    [
      'verify, entries/s',
      `${figure(result.verifyPerSecond)} (${figure(result.verifyCpuUs)} µs CPU each), ${result.verdict}`,
    ],
    ['event loop held by verify, at most', `${figure(result.verifyHeldMs)} ms`],
    ['bytes per record', figure(result.bytesPerRecord)],
    ['RSS after the appends', `${figure(result.rssMb)} MB`],
  ];
  console.log(table(['', ''], facts, 2));
}

function parts(): void {
  const result = JSON.parse(outputOf('activity-parts', flags.quick ? [2, 500] : [5, 2000])) as PartsResult;
  const rows = result.parts.map(({ part, us }) => [part, us.toFixed(2)]);
  console.log(`\nWhere the time of a record goes, 64 writers\n`);
  console.log(table(['part', 'µs'], [...rows, ['CPU of the process, all in all', result.cpuUs.toFixed(2)]]));
}

function added(): void {
  const results = JSON.parse(outputOf('activity-added', flags.quick ? [2, 500] : [7, 1500])) as AddedResult[];
  const rows = results.map(({ operation, callers, off, on }) => [
    operation,
    String(callers),
    ...[off.p50Ms, on.p50Ms, on.p50Ms - off.p50Ms, off.p99Ms, on.p99Ms, on.p99Ms - off.p99Ms].map((ms) =>
      ms.toFixed(2),
    ),
    figure(off.cpuUs),
    figure(on.cpuUs),
  ]);
  const head = ['call', 'callers', 'p50 off', 'on', 'added', 'p99 off', 'on', 'added', 'CPU µs off', 'on'];
  console.log(`\nThe same road to a stdio server without a log and with it, ms\n\n${table(head, rows)}`);
}

function firstPages(records: number, pages: number): void {
  const report = JSON.parse(outputOf('activity-listing', [records, pages])) as ListingReport;
  const rows = report.pages.map(({ filter, total, p50Ms, p99Ms }) => [
    filter,
    figure(total),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  const { summaryMs, seriesMs, bytesPerRecord, verify } = report;
  console.log(
    `\nFirst page of ${figure(records)} records\n\n${table(['filter', 'total', 'p50 ms', 'p99 ms'], rows)}\n`,
  );
  const facts: Array<[string, string]> = [
    ...Object.entries(summaryMs).map(([period, ms]): [string, string] => [
      `summary of ${period}, p99`,
      `${ms.toFixed(2)} ms`,
    ]),
    ...Object.entries(seriesMs).map(([what, ms]): [string, string] => [
      `series of ${what}, p99`,
      `${ms.toFixed(2)} ms`,
    ]),
    ['bytes per record', figure(bytesPerRecord)],
    ['verify, entries/s', `${figure(verify.perSecond)}, ${verify.verdict}`],
  ];
  console.log(table(['', ''], facts, 2));
}

const SECTIONS = {
  appends,
  parts,
  added,
  pages() {
    const sizes = flags.quick ? [10_000, 100_000] : [10_000, 1_000_000, ...(flags.large ? [10_000_000] : [])];
    for (const records of sizes) firstPages(records, flags.quick ? 20 : 200);
  },
};

if (flags.kill !== undefined) await kill(Number(flags.kill));
else {
  console.log(machineLines(describeMachine()));
  compileParts();
  if (flags.postgres) compareEngines(flags.quick);
  else
    for (const [name, run] of Object.entries(SECTIONS)) if (!flags.only || flags.only.includes(name)) run();
}
