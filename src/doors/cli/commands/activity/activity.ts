import type { Command } from 'commander';
import { SummaryPeriod, type ActivityRecord, type ActivitySummary } from '../../../../contract/activity.ts';
import { routes } from '../../../../contract/routes/api.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { story } from './activity-story.ts';
import { addFilterFlags, filterOf, type FilterFlags } from './activity-flags.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, choice, define, type Bind } from '../../define.ts';
import { principalOf, whatOf } from './record-fields.ts';
import { shortIds } from './record-id.ts';
import { intentCell, statusCell, type Style } from '../../output/style.ts';
import { fields, heading, table, type Cell, type Column } from '../../output/table.ts';
import { localTime, shortDuration } from '../../output/time.ts';
import { activityExport } from './activity-export.ts';
import { activityRedact } from './activity-redact.ts';
import { activitySeries } from './activity-series.ts';
import { activityShow } from './activity-show.ts';
import { activityVerify } from './activity-verify.ts';
import { activityWatch } from './activity-watch.ts';

export function activity(bind: Bind): Command {
  return define('activity', {
    summary: 'The log of everything that was called, refused and changed',
    examples: [
      'mcpproxy activity list',
      'mcpproxy activity list --intent-type destructive --since 7d',
      'mcpproxy activity watch',
    ],
    subcommands: [
      activityList(bind),
      activityShow(bind),
      activityWatch(bind),
      activitySummary(bind),
      activitySeries(bind),
      activityExport(bind),
      activityVerify(bind),
      activityRedact(bind),
    ],
  });
}

interface ListFlags extends FilterFlags {
  limit?: number;
  cursor?: string;
}

const list = routes.listActivity.query.shape;

function activityList(bind: Bind): Command {
  const command = define('list', {
    summary: 'Records, newest first; those of a conversation as its story, oldest first',
    examples: [
      'mcpproxy activity list --conversation 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy activity list --intent-type destructive --status refused --since 7d',
      'mcpproxy activity list --server github -q "delete" -o json',
    ],
  });
  return addFilterFlags(command)
    .addOption(checked('--limit <n>', 'records per page (1–100, default 50)', list.limit))
    .addOption(checked('--cursor <cursor>', 'where the page before ended', list.cursor))
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, { limit, cursor, ...flags }: ListFlags): Promise<void> {
  const input = { ...filterOf(flags, context.io.now()), ...(limit && { limit }), ...(cursor && { cursor }) };
  const page = await withProxy(context, 'daemon-or-offline', ({ request }) => request('listActivity', input));
  await print(context, page, () =>
    flags.conversation === undefined
      ? overview(context.style, page.records)
      : story(context.style, page.records),
  );
  if (page.next_cursor !== null) {
    hint(
      context,
      `${page.records.length} of ${page.total} records; older ones with --cursor ${visibleLine(page.next_cursor)}`,
    );
  } else if (page.records.length === 0) hint(context, 'no records match');
}

const COLUMNS: Column[] = [
  { title: 'ID', whole: true },
  { title: 'TIME', whole: true },
  { title: 'SERVER' },
  { title: 'TOOL' },
  { title: 'INTENT', whole: true },
  { title: 'STATUS', whole: true },
  { title: 'DURATION', align: 'right', whole: true },
];

/** Before the intent. */
const BY_PLACE = 4;

/** Who did it is a column of its own as soon as somebody else than the operator did something. */
function overview(style: Style, records: ActivityRecord[]): string {
  const short = shortIds(records.map(({ id }) => id));
  const by = (record: ActivityRecord) => principalOf(record) ?? 'mcpproxy';
  const shared = records.some((record) => (principalOf(record) ?? 'operator') !== 'operator');
  const row = (record: ActivityRecord): Cell[] => [
    short(record.id),
    localTime(record.timestamp),
    record.server_name,
    whatOf(record),
    intentCell(style, record.operation_type),
    statusCell(style, record.status),
    shortDuration(record.duration_ms),
  ];
  if (!shared) return table(style, COLUMNS, records.map(row));
  const withBy = (cells: Cell[], cell: Cell) => [...cells.slice(0, BY_PLACE), cell, ...cells.slice(BY_PLACE)];
  const columns = [...COLUMNS.slice(0, BY_PLACE), { title: 'BY' }, ...COLUMNS.slice(BY_PLACE)];
  return table(
    style,
    columns,
    records.map((record) => withBy(row(record), by(record))),
  );
}

/** Beside the calls, never among them. */
function decided({ decisions }: ActivitySummary): string {
  if (!decisions) return '';
  return decisions === 1
    ? '1 of them is a decision of a person; the counts below leave it out\n'
    : `${decisions} of them are decisions of people; the counts below leave them out\n`;
}

interface SummaryFlags {
  period?: SummaryPeriod;
}

function activitySummary(bind: Bind): Command {
  return define('summary', {
    summary: 'Counts by operation, status, server and tool',
    examples: ['mcpproxy activity summary', 'mcpproxy activity summary --period 7d -o json'],
  })
    .addOption(choice('--period <period>', 'how far back (default: 24h)', SummaryPeriod.options))
    .action(
      bind<SummaryFlags>(async (context, flags) => {
        const summary = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('activitySummary', flags),
        );
        await print(context, summary, () => counts(context.style, summary));
      }),
    );
}

const MOST_ROWS = 10;

function counts(style: Style, summary: ActivitySummary): string {
  const since = summary.start_time ? `since ${localTime(summary.start_time)}` : 'since the beginning';
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
    `${summary.total} records ${since}\n`,
    decided(summary),
    section('By operation', summary.by_operation),
    section('By status', summary.by_status),
    section('By server', summary.by_server),
    section('By tool', summary.by_tool),
  ].join('');
}
