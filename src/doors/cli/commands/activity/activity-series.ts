import type { Command } from 'commander';
import type { ActivitySeries } from '../../../../contract/activity.ts';
import { routes } from '../../../../contract/routes/api.ts';
import { print, withProxy } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { table, type Column } from '../../output/table.ts';
import { localTime, pointInTime } from '../../output/time.ts';

interface SeriesFlags {
  since?: string;
  until?: string;
  buckets?: number;
}

const query = routes.activitySeries.query.shape;

export function activitySeries(bind: Bind): Command {
  return define('series', {
    summary: 'Counts over time',
    examples: ['mcpproxy activity series', 'mcpproxy activity series --since 7d --buckets 7 -o json'],
  })
    .option('--since <time>', 'from here on: an age such as 2h or 7d, or a date in ISO 8601 (default: 1h)')
    .option('--until <time>', 'up to here, in the same forms (default: now)')
    .addOption(checked('--buckets <n>', 'at most this many rows (1–500, default 60)', query.buckets))
    .action(
      bind<SeriesFlags>(async (context, { since, until, buckets }) => {
        const now = context.io.now();
        const series = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('activitySeries', {
            ...(since && { start_time: pointInTime(since, now) }),
            ...(until && { end_time: pointInTime(until, now) }),
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
