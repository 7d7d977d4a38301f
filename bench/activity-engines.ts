import type { Pair, PostgresReport } from './activity-postgres.ts';
import { outputOf } from './children.ts';
import { figure, table } from './table.ts';

const ms = ({ postgres, sqlite }: Pair<number>) => [postgres.toFixed(2), sqlite.toFixed(2)];
const figures = ({ postgres, sqlite }: Pair<number>) => [figure(postgres), figure(sqlite)];

/** PostgreSQL and SQLite side by side, printed. */
export function compareEngines(quick: boolean): void {
  const args = quick ? [2, 500, 50_000, 20] : [5, 2000, 1_000_000, 100];
  const report = JSON.parse(outputOf('activity-postgres', args)) as PostgresReport;
  const appends = report.appends.map(({ writers, kind, perSecond }) => [
    `${kind}, ${writers} at once`,
    ...figures(perSecond),
  ]);
  console.log(`\nDurable records per second\n\n${table(['', 'PostgreSQL', 'SQLite'], appends)}\n`);
  const pages = report.pages.map(({ filter, total, p50Ms, p99Ms }) => [
    filter,
    figure(total),
    ...ms(p50Ms),
    ...ms(p99Ms),
  ]);
  const head = ['filter', 'total', 'PG p50 ms', 'SQLite p50', 'PG p99 ms', 'SQLite p99'];
  console.log(`First page of ${figure(report.records)} records\n\n${table(head, pages)}\n`);
  const facts = [
    ...report.summaryMs.map(({ period, p99Ms }) => [`summary of ${period}, p99 ms`, ...ms(p99Ms)]),
    ['verify, entries/s', ...figures(report.verifyPerSecond)],
    ['', report.verdicts.postgres, report.verdicts.sqlite],
    ['bytes per record', ...figures(report.bytesPerRecord)],
  ];
  console.log(table(['', 'PostgreSQL', 'SQLite'], facts));
}
