import type { Command } from 'commander';
import { actionOf, type ActivityRecord } from '../../../../contract/activity.ts';
import type { ToolDiff } from '../../../../contract/tool.ts';
import { changeLines } from '../tools/tool-diff.ts';
import type { CallResult } from '../../../../contract/call.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { contentText } from '../../output/content.ts';
import { print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { decisionOf, principalOf } from './record-fields.ts';
import { resolveId, SHORTEST_PREFIX } from './record-id.ts';
import { safeJson } from '../../output/safe-json.ts';
import { intentCell, statusCell, type Style } from '../../output/style.ts';
import { fields, heading } from '../../output/table.ts';
import { localTime, shortDuration } from '../../output/time.ts';

export function activityShow(bind: Bind): Command {
  return define('show', {
    summary: 'Show a record with intent, warnings, arguments and response',
    examples: [
      'mcpproxy activity show 01JG2Z7K4M',
      'mcpproxy activity show 01JG2Z7K4MQX3V8R5T9W2Y6B1C -o json',
    ],
  })
    .argument(
      '<id>',
      `id of the record, or at least its first ${SHORTEST_PREFIX} characters, as printed by "activity list"`,
    )
    .action(
      bind(async (context, _, given) => {
        const record = await withProxy(context, 'daemon-or-files', async (reached) =>
          reached.request('getActivity', { id: await resolveId(reached, given) }),
        );
        await print(context, record, () => recordDetail(context.style, record));
      }),
    );
}

export function recordDetail(style: Style, record: ActivityRecord): string {
  const { metadata } = record;
  const warnings = metadata.warnings ?? [];
  return [
    fields(style, [
      ['ID', record.id],
      ['Time', localTime(record.timestamp)],
      ['Type', record.type],
      ['Action', actionOf(record)],
      ['Source', record.source],
      ['Server', record.server_name],
      ['Tool', record.tool_name],
      ['Decision', decisionOf(record)],
      ['Status', statusCell(style, record.status)],
      ['Error', [record.error_code, record.error_message].filter(Boolean).join(': ')],
      ['Duration', shortDuration(record.duration_ms)],
      ['By', principalOf(record)],
      ['Approval', record.approval_id],
      ['Decided by', record.decided_by],
      ['Client', record.client],
      ['Address', record.client_address],
      ['Session', record.session_id],
      ['Request', record.request_id],
      ['Trace', metadata.trace_id],
      ['Masked', metadata.masked === undefined ? undefined : counted(metadata.masked, 'part')],
      ['Secrets sent', metadata.secrets_sent?.join(', ')],
      ['Secrets received', metadata.secrets_received?.join(', ')],
      ['Redacted', redactionText(metadata.redacted)],
      ['Conversation', record.conversation_id],
      ['User', textOf(metadata.user_id)],
      ['Message', textOf(metadata.message_id)],
      ['User intent', userIntentText(metadata.user_intent)],
      ['Decided in', decisionText(metadata)],
    ]),
    intent(style, record),
    toolChange(style, record),
    ...(warnings.length > 0
      ? [
          heading(style, 'Warnings'),
          ...warnings.map((warning) => `${style.colors.yellow('!')} ${visibleLine(warning)}\n`),
        ]
      : []),
    ...(record.arguments === undefined
      ? []
      : [
          heading(style, 'Arguments'),
          pretty(record.arguments),
          cutNote(style, metadata.arguments_truncated),
        ]),
    response(style, record),
  ].join('');
}

const textOf = (value: unknown) => (typeof value === 'string' ? visibleLine(value) : undefined);

function redactionText(note: unknown): string | undefined {
  if (typeof note !== 'object' || note === null) return undefined;
  const { at, by, reason } = note as Record<string, unknown>;
  const why = textOf(reason);
  return `${localTime(String(at))} by ${visibleLine(String(by))}${why === undefined ? '' : `: ${why}`}`;
}

function userIntentText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { intent_type: type, extracted_params: found } = value as Record<string, unknown>;
  return visibleLine(`${String(type)} ${safeJson(found ?? {})}`);
}

/** The decision of the task assistant that a call belongs to, and its number in it. */
function decisionText({ decision_id: id, sequence }: ActivityRecord['metadata']): string | undefined {
  const decision = textOf(id);
  if (decision === undefined) return undefined;
  return typeof sequence === 'number' ? `decision ${decision}, call ${sequence}` : `decision ${decision}`;
}

/** The declared intent and the verdict on the tool. A sensitivity that was not declared counts as unknown. */
function intent(style: Style, { type, operation_type: operation, metadata }: ActivityRecord): string {
  if (operation === undefined && !metadata.intent) return '';
  const { verdict, source, reason } = metadata.operation ?? {};
  const why = type === 'tool_call' ? source : (reason ?? source);
  return (
    heading(style, 'Intent') +
    fields(style, [
      ['Operation', intentCell(style, metadata.intent?.operation_type ?? operation)],
      ['Variant', metadata.tool_variant],
      ['Sensitivity', metadata.intent?.data_sensitivity ?? 'unknown'],
      ['Reason', metadata.intent?.reason],
      ['Verdict', typeof verdict === 'string' ? `${verdict} (${String(why)})` : undefined],
    ])
  );
}

/** What a server changed about a tool: its hints and its fields, before and after. */
function toolChange(style: Style, { type, metadata }: ActivityRecord): string {
  if (type !== 'tool_change') return '';
  const { change, before, after, held, withheld, further, tools, changes, reason } = metadata;
  const names = Array.isArray(tools) ? tools.join(', ') : safeJson(tools);
  return [
    heading(style, 'Change'),
    fields(style, [
      ['What', textOf(change)],
      ['Hints before', hintsText(before)],
      ['Hints after', hintsText(after)],
      ['Hints in force', hintsText(held)],
      ['Withheld', withheld === true ? 'from agents, until it is approved' : undefined],
      ['Further', typeof further === 'number' ? counted(further, 'tool') : undefined],
      ['Tools', tools === undefined ? undefined : visibleLine(names)],
      ['Reason', textOf(reason)],
    ]),
    ...(Array.isArray(changes)
      ? (changes as ToolDiff['changes']).map((each) => changeLines(style, each))
      : []),
  ].join('');
}

const hintsText = (hints: unknown) =>
  typeof hints === 'object' && hints !== null ? visibleLine(safeJson(hints)) : undefined;

function response(style: Style, record: ActivityRecord): string {
  if (record.response === undefined || record.response === null) return '';
  return (
    heading(style, 'Response') +
    (isResult(record.response) ? contentText(record.response) : pretty(record.response)) +
    cutNote(style, record.response_truncated)
  );
}

function cutNote({ colors }: Style, isCut: boolean | undefined): string {
  return isCut === true ? `${colors.dim('(truncated at the size limit of the log)')}\n` : '';
}

function isResult(value: unknown): value is CallResult {
  return typeof value === 'object' && value !== null && Array.isArray((value as CallResult).content);
}

function pretty(value: unknown): string {
  return `${safeJson(value, 2)}\n`;
}
