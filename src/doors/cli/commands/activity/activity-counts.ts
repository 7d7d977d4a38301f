import type { Command } from 'commander';
import type { SummaryPeriod, ActivitySummary, ActivitySeries } from '../../../../contract/activity.ts';
import { SUMMARY_PERIODS } from '../../../../contract/values.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { print, withProxy } from '../../context.ts';
import { choice, define, type Bind, checked } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { fields, heading, table, type Column } from '../../output/table.ts';
import { localTime, pointInTime } from '../../output/time.ts';

/** Decisions are listed beside the calls and not counted as calls. */
function decided({ decisions }: ActivitySummary): string {
  if (!decisions) return '';
  return decisions === 1
    ? '1 of them is a decision by a person, which is not counted below\n'
    : `${decisions} of them are decisions by people, which are not counted below\n`;
}

interface SummaryFlags {
  period?: SummaryPeriod;
  since?: string;
  until?: string;
}

export function activitySummary(bind: Bind): Command {
  return define('summary', {
    summary: 'Count records by operation, status, server and tool',
    examples: [
      'mcpproxy activity summary',
      'mcpproxy activity summary --period 7d -o json',
      'mcpproxy activity summary --since "last week" --until "last week"',
    ],
  })
    .addOption(choice('--period <period>', 'time range up to now (default: 24h)', SUMMARY_PERIODS))
    .option(
      '--since <time>',
      'start: an age (2h, 7d, 1w), today, yesterday, "last week", or an ISO 8601 date (default: the beginning)',
    )
    .option('--until <time>', 'end, in the same formats; a day or week is included (default: now)')
    .action(
      bind<SummaryFlags>(async (context, { period, since, until }) => {
        const now = context.io.now();
        if (period !== undefined && (since ?? until) !== undefined)
          throw new ProxyError('USAGE', 'Give either --period, or --since and --until');
        const summary = await withProxy(context, 'daemon-or-files', ({ request }) =>
          request('activitySummary', {
            ...(period && { period }),
            ...(since && { start_time: pointInTime(since, now) }),
            ...(until && { end_time: pointInTime(until, now, 'end') }),
          }),
        );
        await print(context, summary, () => counts(context.style, summary));
      }),
    );
}

const MOST_ROWS = 10;

function counts(style: Style, summary: ActivitySummary): string {
  const since = summary.start_time ? `since ${localTime(summary.start_time)}` : 'since the beginning';
  const until = summary.period === null ? ` until ${localTime(summary.end_time)}` : '';
  const section = (title: string, by: Record<string, number>) => {
    const rows = Object.entries(by).sort(([, a], [, b]) => b - a);
    if (rows.length === 0) return '';
    const more = rows.length > MOST_ROWS ? `… and ${rows.length - MOST_ROWS} more\n` : '';
    return (
      heading(style, title) +
      fields(
        style,
        rows.slice(0, MOST_ROWS).map(([name, count]) => [visibleLine(name), count]),
      ) +
      more
    );
  };
  return [
    `${counted(summary.total, 'record')} ${since}${until}\n`,
    decided(summary),
    section('By operation', summary.by_operation),
    section('By status', summary.by_status),
    section('By server', summary.by_server),
    section('By tool', summary.by_tool),
  ].join('');
}

interface SeriesFlags {
  since?: string;
  until?: string;
  buckets?: number;
}

export function activitySeries(bind: Bind): Command {
  return define('series', {
    summary: 'Count records over time',
    examples: ['mcpproxy activity series', 'mcpproxy activity series --since 7d --buckets 7 -o json'],
  })
    .option(
      '--since <time>',
      'start: an age (2h, 7d, 1w), today, yesterday, "last week", or an ISO 8601 date (default: 1h)',
    )
    .option('--until <time>', 'end, in the same formats (default: now)')
    .addOption(
      checked(
        '--buckets <n>',
        'maximum number of rows (1–500, default 60)',
        ({ routes }) => routes.activitySeries.query.shape.buckets,
      ),
    )
    .action(
      bind<SeriesFlags>(async (context, { since, until, buckets }) => {
        const now = context.io.now();
        const series = await withProxy(context, 'daemon-or-files', ({ request }) =>
          request('activitySeries', {
            ...(since && { start_time: pointInTime(since, now) }),
            ...(until && { end_time: pointInTime(until, now, 'end') }),
            ...(buckets && { buckets }),
          }),
        );
        await print(context, series, () => overTime(context.style, series));
      }),
    );
}

const NUMBERS = ['read', 'write', 'destructive', 'other', 'decisions', 'refused', 'errors', 'total'] as const;
const COLUMNS: Column[] = [
  { title: 'FROM', whole: true },
  ...NUMBERS.map((name): Column => ({ title: name.toUpperCase(), align: 'right', whole: true })),
];

function overTime(style: Style, { points }: ActivitySeries): string {
  return table(
    style,
    COLUMNS,
    points.map((point) => [localTime(point.time), ...NUMBERS.map((name) => point[name])]),
  );
}
