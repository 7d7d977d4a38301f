import type { Command } from 'commander';
import type { RemovedRecords } from '../../../../contract/activity.ts';
import type { ActivityAudit, AuditedAttempt, AuditedCall } from '../../../../contract/audit.ts';
import { ERRORS } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { statusCell, type Style } from '../../output/style.ts';
import { fields, heading } from '../../output/table.ts';
import { localTime, pointInTime } from '../../output/time.ts';
import { acceptedText, EXIT_CODES, LIMIT_MS, verificationText } from './activity-verify.ts';

interface AuditFlags {
  principal: string;
  since?: string;
  until?: string;
}

export function activityAudit(bind: Bind): Command {
  return define('audit', {
    summary: 'Show what a credential destroyed, who approved each call, and whether the log is intact',
    description:
      'Show the destructive calls of one credential that ran, who approved each of them, how many attempts did not run, and whether the log is intact. Exits with code 0 if the log is intact, 1 if it is broken, 8 if it cannot be verified, 2 if it does not know the credential or the command line is wrong.',
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
  const audit = await withProxy(context, 'daemon-or-files', ({ request }) =>
    request('auditActivity', query, LIMIT_MS),
  );
  await print(context, audit, () => report(context.style, audit));
  const last = audit.calls.at(-1);
  if (last && audit.calls.length < audit.ran)
    hint(context, `Showing the first ${audit.calls.length} calls. For the next ones: --since ${last.time}`);
  const code = EXIT_CODES[audit.verification.verdict];
  const isUnknown = audit.records === 0 && audit.credential === undefined;
  return code === 0 && isUnknown ? ERRORS.NOT_FOUND.exit : code;
}

function report(style: Style, audit: ActivityAudit): string {
  const from = audit.start_time === null ? 'the beginning of the log' : localTime(audit.start_time);
  const isIntact = audit.verification.verdict === 'intact';
  return [
    `${visibleLine(audit.principal)}, from ${from} to ${localTime(audit.end_time)}\n`,
    isIntact
      ? ''
      : `${style.colors.red('The log is not proven to be intact: see below before you rely on this list.')}\n`,
    ...audit.restored.map(
      (each) =>
        `${style.colors.red(`This list is incomplete: the log lacks ${acceptedText(each)}. Calls of this time may be among them.`)}\n`,
    ),
    `${ranText(audit)}\n`,
    ...tokenLines(audit),
    ...audit.calls.map((call) => block(style, call)),
    audit.records === 0 ? '' : `\n${attemptsText(audit)}\n`,
    heading(style, 'Is the log complete? (of all credentials, of all time)'),
    ...audit.removed.map((each) => `${removedText(each)}\n`),
    verificationText(style, audit.verification),
  ].join('');
}

function ranText(audit: ActivityAudit): string {
  const { principal, records, known_principals: known, ran, ran_by_status: byStatus, approved } = audit;
  if (records === 0 && audit.credential) return unusedText(principal, audit.credential);
  if (records === 0)
    return `No records of '${visibleLine(principal)}' in this time; known principals: ${known.map((each) => visibleLine(each)).join(', ') || 'none'}.`;
  const statuses = countsText(byStatus, {
    pending: 'running or not recorded',
    unknown: 'with unknown outcome',
  });
  return ran === 0
    ? `No destructive call ran (of ${counted(records, 'record')} of this credential).`
    : `${counted(ran, 'destructive call')} ran or may have run${statuses}, ${approved} of them with an approval.`;
}

function unusedText(principal: string, credential: NonNullable<ActivityAudit['credential']>): string {
  const { last_record: last, created_at: created } = credential;
  const name = visibleLine(principal);
  return last === undefined
    ? `'${name}' was created at ${created === undefined ? '?' : localTime(created)} and never used: it has no records.`
    : `'${name}' has no records in this time. Its newest record is of ${localTime(last)}.`;
}

function attemptsText(audit: ActivityAudit): string {
  const { did_not_run: n, did_not_run_by_status: byStatus, attempts } = audit;
  const lines = attempts.map(attemptLine);
  const more = attempts.length < n ? [`Only the first ${attempts.length} are shown.`] : [];
  return [
    `${counted(n, 'destructive attempt')} did not run${countsText(byStatus, { pending: 'waiting for an approval' })}.`,
    ...lines,
    ...more,
    '',
    `${counted(audit.records, 'record')} of this credential in this time. The others are calls that are not destructive; a call that waits for an approval has a record each time that it is sent.`,
  ].join('\n');
}

function attemptLine({ time, tool, status, ended_by: by, because, arguments: args }: AuditedAttempt): string {
  const how = `${status === 'pending' ? 'waiting for an approval' : status}${by === undefined ? '' : ` by ${by}`}${because === undefined ? '' : `: ${because}`}`;
  return `  ${localTime(time)}  ${visibleLine(tool)}  ${visibleLine(how)}  ${visibleLine(args ?? '')}`;
}

function countsText(counts: Record<string, number>, names: Record<string, string>): string {
  const texts = Object.entries(counts).map(([status, n]) => `${n} ${names[status] ?? status}`);
  return texts.length > 0 ? ` (${texts.join(', ')})` : '';
}

/** The name of a token may have been used again. */
function tokenLines({ tokens }: ActivityAudit): string[] {
  if (tokens.length < 2) return [];
  const lines = tokens.map(
    ({ id, first, last, records }) =>
      `  ${visibleLine(id)}  ${counted(records, 'record')} from ${localTime(first)} to ${localTime(last)}\n`,
  );
  return [`${tokens.length} different tokens had this name:\n`, ...lines];
}

const removedText = ({ records, from, until }: RemovedRecords): string =>
  `Retention has removed ${counted(records, 'record')} from ${localTime(from)} to ${localTime(until)}: records of that time may be missing.`;

/** One call as a block of lines, which a narrow terminal shows too. */
function block(style: Style, call: AuditedCall): string {
  const { time, tool, status, because, approval } = call;
  const { text, paint } = statusCell(style, status);
  return `\n${localTime(time)}  ${style.colors.bold(visibleLine(tool))}  ${paint(text)}\n${fields(style, [
    ['  Arguments', line(call.arguments)],
    ['  Reason', line(call.reason)],
    ['  Destructive by', because.join(', ')],
    ['  Approved by', approval ? approvedText(approval) : 'no approval required'],
    ['  Approver said', line(approval?.reason)],
    ['  Record', call.id],
  ])}`;
}

const line = (text: string | undefined) => (text === undefined ? undefined : visibleLine(text));

function approvedText(approval: NonNullable<AuditedCall['approval']>): string {
  const { decided_by: by = '?', grant_id: grant, decided_at: at, decided_from, ...where } = approval;
  const from = [decided_from, where.client, where.client_address].filter(Boolean).join(' ');
  return visibleLine(
    [`${by}${grant ? ' (grant)' : ''}`, at && localTime(at), from && `from ${from}`]
      .filter(Boolean)
      .join(', '),
  );
}
