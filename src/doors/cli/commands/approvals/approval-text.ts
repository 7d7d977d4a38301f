import type { Approval, ApprovalDetail, ApprovalStatus } from '../../../../contract/approval.ts';
import { exactJson, markedJson } from '../../../../json/index.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { changeLines } from '../tools/tool-diff.ts';
import { intentCell, type Painted, type Style } from '../../output/style.ts';
import { fields, heading, table, type Column } from '../../output/table.ts';
import { localTime, longDuration } from '../../output/time.ts';
import { escapeJsonText } from '../../output/safe-json.ts';

const COLOR = {
  pending: 'cyan',
  approved: 'green',
  running: 'green',
  executed: 'green',
  denied: 'red',
  expired: 'yellow',
  cancelled: 'dim',
  unknown: 'magenta',
} as const satisfies Record<ApprovalStatus, keyof Style['colors']>;

export function approvalStatus(style: Style, status: ApprovalStatus): Painted {
  return { text: status, paint: style.colors[COLOR[status]] };
}

const COLUMNS: Column[] = [
  { title: 'ID', whole: true },
  { title: 'STATUS', whole: true },
  { title: 'INTENT', whole: true },
  { title: 'TOOL' },
  { title: 'REQUESTED BY' },
  { title: 'LEFT', align: 'right', whole: true },
  { title: 'ARGUMENTS' },
];

export function approvalTable(style: Style, approvals: readonly Approval[], now: number): string {
  const rows = approvals.map((each) => [
    each.id,
    each.changed ? 'changed outside of mcpproxy' : approvalStatus(style, each.status),
    intentCell(style, each.operation),
    `${each.server}:${each.tool}`,
    askedBy(each),
    timeLeft(each, now),
    exactJson(each.arguments),
  ]);
  return table(style, COLUMNS, rows);
}

function askedBy({ principal, client }: Approval): string {
  return client ? `${principal} (${client})` : principal;
}

function timeLeft({ status, expires_at: expiry }: Approval, now: number): string | undefined {
  if (status !== 'pending' && status !== 'approved') return undefined;
  return longDuration(Math.max(0, Date.parse(expiry) - now) / 1000);
}

/** Everything that a person needs to decide: caller, reason and rule, the full call, then findings and differences. */
export function approvalDetail(style: Style, approval: ApprovalDetail, now: number): string {
  const about = fields(style, [
    ['Approval', approval.id],
    ['Status', approvalStatus(style, approval.status)],
    ['Tool', `${approval.server}:${approval.tool}`],
    ['Operation', intentCell(style, approval.operation)],
    ['Verdict', verdictText(approval)],
    ['Hints', approval.hints && JSON.stringify(approval.hints)],
    ['Requested by', askedBy(approval)],
    ['User', approval.user_id],
    ['Reason', approval.reason],
    ['Description', approval.description],
    ['Rule', approval.rule],
    ['Requested at', localTime(approval.created_at)],
    ['Time left', timeLeft(approval, now)],
    ['Decided', decided(approval)],
    ['Grant', approval.grant_id],
    ['Record', approval.record_id],
  ]);
  const others = `${findings(style, approval)}${similar(style, approval)}`;
  return `${unmarked(about)}${callText(style, approval)}${unmarked(others)}`;
}

function verdictText({ verdict }: Approval): string | undefined {
  return verdict && `${verdict.verdict} (${verdict.source}${verdict.reason ? `: ${verdict.reason}` : ''})`;
}

function decided({
  decided_by: by,
  decided_from: from,
  decided_at: at,
  decision_reason: why,
}: Approval): string | undefined {
  if (!by) return undefined;
  return [`by ${by}`, from && `from ${from}`, at && localTime(at), why && `“${why}”`]
    .filter(Boolean)
    .join(', ');
}

function findings(style: Style, { findings: found }: ApprovalDetail): string {
  if (found.length === 0) return '';
  const lines = found.map(({ path, why }) => `${visibleLine(`${path}: ${why}`)}\n`);
  return [heading(style, 'Tool text that looks like instructions for the model'), ...lines].join('');
}

/** The differences from the previous successful call of the tool. */
function similar(style: Style, { similar: last }: ApprovalDetail): string {
  const title = heading(style, 'Compared with the previous call of this tool');
  if (!last) return `${title}No previous call.\n`;
  const when = visibleLine(
    `${localTime(last.timestamp)}${last.client ? ` by ${last.client}` : ''}, record ${last.record_id}`,
  );
  const changes = last.changes.map((change) => changeLines(style, change)).join('');
  return `${title}${when}\n${changes || 'The arguments are the same.\n'}`;
}

const [OPEN, CLOSE] = ['⟦', '⟧'];

/** The call exactly as it will run. Parts that are masked elsewhere are between marks, which the text of an agent cannot contain. */
function callText(style: Style, approval: ApprovalDetail): string {
  const { arguments: args, input_responses: brought, masked_parts: parts } = approval;
  const masked = (root: string): Masked => ({ parts, root });
  return [
    heading(style, 'Arguments'),
    incompleteNote(style, approval),
    `${marked(style, args, masked('/arguments'))}\n`,
    brought === undefined
      ? ''
      : `${heading(style, 'Responses to the server')}${marked(style, brought, masked('/input_responses'))}\n`,
    maskedNote(style, approval),
  ].join('');
}

interface Masked {
  parts: ApprovalDetail['masked_parts'];
  root: string;
}

function marked({ colors }: Style, value: unknown, { parts, root }: Masked): string {
  return markedJson(value, parts, root)
    .map(({ text, kind }) => {
      const shown = unmarked(escapeJsonText(text));
      return kind === undefined ? shown : colors.yellow(`${OPEN}masked ${kind}: ${shown}${CLOSE}`);
    })
    .join('');
}

/** Text of others: no part of it looks masked. */
const unmarked = (text: string) => text.replace(/[⟦⟧]/g, escaped);

/** The mark as a JSON escape, which has the same value. */
const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16)}`;

function maskedNote({ colors }: Style, { masked_parts: { length } }: ApprovalDetail): string {
  if (length === 0) return '';
  return colors.yellow(
    `! ${counted(length, 'part is', 'parts are')} masked in the log and in lists, and shown here between ${OPEN} and ${CLOSE}. The log records that you viewed this.\n`,
  );
}

function incompleteNote({ colors }: Style, { arguments_complete: isWhole, status }: ApprovalDetail): string {
  if (isWhole) return '';
  return colors.yellow(
    status === 'pending'
      ? '! The call cannot be shown in full, so it cannot be approved. Deny it; the caller can send it again later.\n'
      : '! The call is decided. It is stored with secrets masked and long values truncated.\n',
  );
}
