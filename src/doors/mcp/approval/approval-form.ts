import type { ClientAnswer } from '../../../approval/index.ts';
import type { Approval } from '../../../contract/approval.ts';
import { exactJson, isObject, type JsonObject } from '../../../json/index.ts';
import { hasHidden, visibleLine, visibleText } from '../../../lib/visible-text.ts';

const MAX_SHOWN = 4_000;
const MAX_LINES = 100;

/**
 * Whether a form shows the whole call, exactly as it will run. A person can only approve what they have seen: a call that is masked, cut,
 * or written in characters that cannot be displayed faithfully is decided elsewhere.
 */
export function isShownWhole(approval: Approval): boolean {
  if (approval.arguments_truncated || approval.arguments_masked) return false;
  const sent = sentText(approval);
  return sent.length <= MAX_SHOWN && sent.split('\n').length <= MAX_LINES && isFaithful(sent);
}

/** JSON writes control characters and broken ones as \u…; a backslash of the text itself is written twice. */
const ESCAPED = /[^\\](?:\\\\)*\\u/;
/** Letters of right-to-left scripts: they are displayed in another order. */
const REORDERED = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** This many blanks within a line may push the rest out of sight. */
const BLANKS = /\S[\p{Zs}\t\u2800]{16}/u;

function isFaithful(json: string): boolean {
  return !hasHidden(json) && !ESCAPED.test(json) && !REORDERED.test(json) && !BLANKS.test(json);
}

/**
 * The form that a client program shows for a pending call, whole: the tool first and one line each, as clients cut a long form after a few
 * lines. Undefined where it cannot show the whole call, so that nothing could be decided in it.
 */
export function approvalForm(approval: Approval): JsonObject | undefined {
  if (!isShownWhole(approval)) return undefined;
  const { server, tool, operation } = approval;
  const what = visibleLine(`${server}:${tool} (${operation})`);
  // On one line: text of the agent must not look like a line of ours.
  const reason = approval.reason ? `\nStated reason: ${visibleLine(approval.reason)}` : '';
  return {
    mode: 'form',
    message: `${what} – mcpproxy asks: approve this call?\nArguments: ${visibleText(sentText(approval))}${reason}\nApprove it to run it once, exactly as shown.`,
    requestedSchema: DECISION_SCHEMA,
  };
}

/** Everything that would be sent: the arguments, and the answers to a server that asked for input. */
function sentText({ arguments: args, input_responses: brought }: Approval): string {
  const text = compactJson(args);
  return brought === undefined ? text : `${text}\nAnswers to its server: ${compactJson(brought)}`;
}

const MAX_LINE = 300;

/** On one line, unless that would be too long to read. */
function compactJson(value: unknown): string {
  const line = exactJson(value) ?? '{}';
  return line.length <= MAX_LINE ? line : exactJson(value, 2)!;
}

const DECISION_SCHEMA = {
  type: 'object',
  properties: {
    // No default: a program that accepts forms by itself fills in defaults, which would look like a person's denial.
    approve: { type: 'boolean', title: 'Approve this call', description: 'Runs it once' },
  },
  required: ['approve'],
};

/** Reads the client's answer. Only the required field of an accepted form is a decision. */
export function readAnswer(answer: unknown): ClientAnswer {
  if (!isObject(answer)) return { action: 'error' };
  const { action, content } = answer;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return { action: 'error' };
  const approve = isObject(content) ? content.approve : undefined;
  return typeof approve === 'boolean' ? { action, approve } : { action };
}

/** Whether the client can show forms: it declares `elicitation: {}`, or names the kind. */
export function canShowForms(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(elicitation.form));
}
