import type { Command } from 'commander';
import type { ActivityAudit, AuditedCall } from '../../../../contract/audit.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { statusCell, type Style } from '../../output/style.ts';
import { heading, table, type Cell } from '../../output/table.ts';
import { localTime, pointInTime } from '../../output/time.ts';
import { EXIT_CODES, LIMIT_MS, verificationText } from './activity-verify.ts';

interface AuditFlags {
  principal: string;
  since?: string;
  until?: string;
}

export function activityAudit(bind: Bind): Command {
  return define('audit', {
    summary: 'Show what a credential destroyed, who approved each call, and whether the log is intact',
    description:
      'Show the destructive calls of one credential that ran, who approved each of them, how many attempts did not run, and whether the log is intact. Exits with code 0 if the log is intact, 1 if it is broken, 2 if it cannot be verified.',
    examples: [
      'mcpproxy activity audit --principal cursor --since "last week"',
      'mcpproxy activity audit --principal token:cursor --since 2026-11-01 --until 2026-11-30 -o json',
      'mcpproxy activity audit --principal operator --since yesterday',
    ],
  })
    .requiredOption(
      '--principal <name>',
      'the credential: operator, anonymous, token:NAME or the name of a token',
    )
    .option(
      '--since <time>',
      'start: an age (2h, 7d, 1w), today, yesterday, "last week", or an ISO 8601 date',
    )
    .option('--until <time>', 'end, in the same formats; a day or week is included (default: now)')
    .action(bind<AuditFlags>(runAudit));
}

async function runAudit(context: Context, { principal, since, until }: AuditFlags): Promise<number> {
  const now = context.io.now();
  const query = {
    principal,
    ...(since && { start_time: pointInTime(since, now) }),
    ...(until && { end_time: pointInTime(until, now, 'end') }),
  };
  const audit = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('auditActivity', query, LIMIT_MS),
  );
  await print(context, audit, () => report(context.style, audit));
  if (audit.calls.length < audit.ran)
    hint(context, `Showing the first ${audit.calls.length} calls. Choose a shorter time for the others.`);
  return EXIT_CODES[audit.verification.verdict];
}

const COLUMNS = [
  { title: 'TIME', whole: true },
  { title: 'TOOL' },
  { title: 'STATUS', whole: true },
  { title: 'BECAUSE' },
  { title: 'APPROVED BY' },
  { title: 'APPROVED AT', whole: true },
  { title: 'FROM' },
  { title: 'RECORD', whole: true },
];

function report(style: Style, audit: ActivityAudit): string {
  const from = audit.start_time === null ? 'the beginning' : localTime(audit.start_time);
  const ran = counted(audit.ran, 'destructive call');
  const others = Object.entries(audit.did_not_run_by_status).map(([status, n]) => `${n} ${status}`);
  return [
    `${visibleLine(audit.principal)}, from ${from} to ${localTime(audit.end_time)}\n`,
    `${ran} ran, ${audit.approved} of them with an approval.\n`,
    ...(audit.calls.length === 0
      ? []
      : [
          `\n${table(
            style,
            COLUMNS,
            audit.calls.map((call) => row(style, call)),
          )}`,
        ]),
    `\n${counted(audit.did_not_run, 'destructive attempt')} did not run${others.length > 0 ? ` (${others.join(', ')})` : ''}.\n`,
    heading(style, 'Is the log complete?'),
    verificationText(style, audit.verification),
  ].join('');
}

function row(style: Style, { time, tool, status, because, approval, id }: AuditedCall): Cell[] {
  const by = approval
    ? `${approval.decided_by ?? '?'}${approval.grant_id ? ' (grant)' : ''}`
    : 'no approval required';
  return [
    localTime(time),
    tool,
    statusCell(style, status),
    because.join(', '),
    by,
    approval?.decided_at && localTime(approval.decided_at),
    [approval?.decided_from, approval?.client, approval?.client_address].filter(Boolean).join(' '),
    id,
  ];
}
