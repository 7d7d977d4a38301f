import { z } from 'zod';
import { actionOf, type ActivityRecord } from '../../../../contract/activity.ts';
import { visibleLine, visibleText } from '../../../../lib/visible-text.ts';
import { decisionOf } from './record-fields.ts';
import { intentCell, statusCell, type Style } from '../../output/style.ts';
import { localTime } from '../../output/time.ts';

const Said = z.object({ message: z.string() });
const Answered = z.object({ reply: z.string() });
const Decided = z.looseObject({
  decision_type: z.string().optional(),
  user_intent: z.looseObject({ intent_type: z.string() }).optional(),
});

/** The records of one conversation as they happened: what was said, how it was taken, what was called, what was answered. */
export function story(style: Style, newestFirst: readonly ActivityRecord[]): string {
  const lines: string[] = [];
  let answer: string | undefined;
  for (const record of [...newestFirst].reverse()) {
    // What a person decided about a held call stands among the calls; what the assistant made of a message begins a turn.
    if (record.type !== 'decision' || decisionOf(record) !== undefined) {
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
  const message = Said.safeParse(args).data?.message ?? '';
  const { user_intent, decision_type } = Decided.safeParse(metadata).data ?? {};
  const how = [user_intent?.intent_type, decision_type].filter(Boolean).join(' → ');
  return `${colors.dim(localTime(timestamp))} ${colors.bold('person')}: ${visibleLine(message)}${how && `\n  ${colors.dim(how)}`}`;
}

function answered({ colors }: Style, { response, error_message }: ActivityRecord): string {
  const reply = Answered.safeParse(response).data?.reply ?? error_message ?? 'none';
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
