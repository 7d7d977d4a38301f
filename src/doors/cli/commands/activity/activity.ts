import type { Command } from 'commander';
import { type ActivityRecord, actionOf, operationSources } from '../../../../contract/activity.ts';
import type { OperationType } from '../../../../contract/operation.ts';
import { counted, visibleLine, visibleText } from '../../../../lib/visible-text.ts';
import { addFilterFlags, filterOf, type FilterFlags } from './activity-flags.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { principalOf, textAt, whatOf, decisionOf } from './record-fields.ts';
import { shortIds } from './record-id.ts';
import { intentCell, statusCell, type Style } from '../../output/style.ts';
import { table, type Cell, type Column } from '../../output/table.ts';
import { localTime, shortDuration } from '../../output/time.ts';
import { activityAudit } from './activity-audit.ts';
import { activityDigest } from './activity-digest.ts';
import { activityExport } from './activity-export.ts';
import { activityRedact } from './activity-redact.ts';
import { activityShow } from './activity-show.ts';
import { activitySeries, activitySummary } from './activity-counts.ts';
import { activityAcceptRestore } from './activity-restore.ts';
import { activityVerify } from './activity-verify.ts';
import { unknownNames } from './unknown-names.ts';
import { activityWatch } from './activity-watch.ts';

export function activity(bind: Bind): Command {
  return define('activity', {
    summary: 'Query, export and verify the activity log',
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
      activityAudit(bind),
      activityAcceptRestore(bind),
      activityRedact(bind),
      activityDigest(bind),
    ],
  });
}

interface ListFlags extends FilterFlags {
  limit?: number;
  cursor?: string;
}

function activityList(bind: Bind): Command {
  const command = define('list', {
    summary: 'List records, newest first; with --conversation as a transcript, oldest first',
    examples: [
      'mcpproxy activity list --intent-type destructive --status refused --since 7d',
      'mcpproxy activity list --server github -q "delete" -o json',
      'mcpproxy activity list --filter "op:destructive,write -agent:ci status:refused since:7d"',
    ],
  });
  return addFilterFlags(command)
    .addOption(
      checked(
        '--limit <n>',
        'records per page (1–100, default 50)',
        ({ routes }) => routes.listActivity.query.shape.limit,
      ),
    )
    .addOption(
      checked(
        '--cursor <cursor>',
        'continue after the previous page',
        ({ routes }) => routes.listActivity.query.shape.cursor,
      ),
    )
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, { limit, cursor, ...flags }: ListFlags): Promise<void> {
  const input = { ...filterOf(flags, context.io.now()), ...(limit && { limit }), ...(cursor && { cursor }) };
  const { page, unknown } = await withProxy(context, 'daemon-or-files', async ({ request }) => {
    const found = await request('listActivity', input);
    const isEmpty = found.records.length === 0 && context.output === 'table';
    return { page: found, unknown: isEmpty ? await unknownNames(request, input) : [] };
  });
  await print(context, page, () =>
    flags.conversation === undefined
      ? overview(context.style, page.records, flags.intentType)
      : transcript(context.style, page.records),
  );
  if (page.next_cursor !== null) {
    hint(
      context,
      `Showing ${page.records.length} of ${counted(page.total, 'record')}. For older records add: --cursor ${visibleLine(page.next_cursor)}`,
    );
  } else if (page.records.length === 0) {
    hint(context, 'No records match these filters.');
    for (const line of unknown) hint(context, line);
  }
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

/** Adds the column BY if any record is not by the operator or they are of several programs, and BECAUSE if an operation is asked for. */
function overview(style: Style, records: ActivityRecord[], wanted?: OperationType): string {
  const short = shortIds(records.map(({ id }) => id));
  const hasPrograms = new Set(records.flatMap(({ client }) => client ?? [])).size > 1;
  const shared = hasPrograms || records.some((record) => (principalOf(record) ?? 'operator') !== 'operator');
  const who = (record: ActivityRecord): string => {
    const principal = principalOf(record) ?? 'mcpproxy';
    return hasPrograms && record.client !== undefined ? `${principal}, ${record.client}` : principal;
  };
  const row = (record: ActivityRecord): Cell[] => [
    short(record.id),
    localTime(record.timestamp),
    record.server_name,
    whatOf(record),
    intentCell(style, record.operation_type),
    statusCell(style, record.status),
    shortDuration(record.duration_ms),
    ...(shared ? [who(record)] : []),
    ...(wanted ? [operationSources(record, wanted).join(', ')] : []),
  ];
  const more = [...(shared ? ['BY'] : []), ...(wanted ? ['BECAUSE'] : [])].map((title) => ({
    title,
    yields: true,
  }));
  return table(style, [...COLUMNS, ...more], records.map(row));
}

/** The records of one conversation in order: messages, how they were understood, calls and answers. */
function transcript(style: Style, newestFirst: readonly ActivityRecord[]): string {
  const lines: string[] = [];
  let answer: string | undefined;
  for (const record of [...newestFirst].reverse()) {
    // A decision about a pending call belongs to the calls; a decision of the assistant about a message starts a turn.
    if (record.type !== 'assistant_decision') {
      lines.push(call(style, record));
      continue;
    }
    if (answer !== undefined) lines.push(answer);
    lines.push(said(style, record));
    answer = answered(style, record);
  }
  if (answer !== undefined) lines.push(answer);
  return lines.map((line) => `${line}\n`).join('');
}

function said({ colors }: Style, { timestamp, arguments: args, metadata }: ActivityRecord): string {
  const message = textAt(args, 'message') ?? '';
  const how = [textAt(metadata.user_intent, 'intent_type'), textAt(metadata, 'decision_type')]
    .filter(Boolean)
    .join(' → ');
  return `${colors.dim(localTime(timestamp))} ${colors.bold('person')}: ${visibleLine(message)}${how && `\n  ${colors.dim(how)}`}`;
}

function answered({ colors }: Style, { response, error_message }: ActivityRecord): string {
  const reply = textAt(response, 'reply') ?? error_message ?? 'none';
  return `  ${colors.bold('answer')}: ${visibleText(reply).replaceAll('\n', '\n    ')}`;
}

function call(style: Style, record: ActivityRecord): string {
  const [intent, status] = [intentCell(style, record.operation_type), statusCell(style, record.status)];
  const tool = record.tool_name ? `${record.server_name ?? '?'}:${record.tool_name}` : '';
  const kind = record.type === 'tool_call' ? '' : record.type;
  const what = [kind, decisionOf(record) ?? actionOf(record), tool].filter(Boolean).join(' ');
  const problem = record.error_message ? ` ${visibleLine(record.error_message)}` : '';
  return `  ${intent.paint(intent.text)} ${visibleLine(what)} ${status.paint(status.text)}${problem}`;
}
