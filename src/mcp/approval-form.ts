import type { Approval } from '../contract/approval.ts';
import { exactJson } from '../lib/exact-json.ts';
import { visibleLine, visibleText } from '../lib/visible-text.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

const MAX_SHOWN = 4_000;

/** Whether a dialog can show the call to its end. What a person has not seen, nobody has approved. */
export function isShownWhole(approval: Approval): boolean {
  return !approval.arguments_truncated && sentText(approval).length <= MAX_SHOWN;
}

/**
 * The dialog that a client program shows for a call that waits. Where its answer counts it asks; otherwise it only tells the person where
 * to decide, and a "decline" takes the call back.
 */
export function approvalForm(approval: Approval, counts: boolean): JsonObject {
  const { server, tool, operation, id } = approval;
  const what = `${server}:${tool} (${operation})`;
  const sent = sentText(approval);
  const shown = visibleText(sent.length > MAX_SHOWN ? `${sent.slice(0, MAX_SHOWN)}… (cut)` : sent);
  // On one line: nothing that the agent says may look like a line of ours.
  const reason = approval.reason ? `\nStated reason: ${visibleLine(approval.reason)}` : '';
  const next = counts
    ? 'Approve it to run it once, exactly as shown.'
    : `It cannot be approved here. Decide with: mcpproxy approvals approve ${id}. Decline to withdraw the call.`;
  return {
    mode: 'form',
    message: `A call of ${visibleLine(what)} waits for approval.\nArguments: ${shown}${reason}\n${next}`,
    requestedSchema: counts ? ASKS : TELLS,
  };
}

/** All that would be sent: the arguments, and what the call brings to a server that asked back. */
function sentText({ arguments: args, input_responses: brought }: Approval): string {
  const text = exactJson(args, 2) ?? '{}';
  return brought === undefined ? text : `${text}\nAnswers to its server: ${exactJson(brought, 2)}`;
}

const TELLS = { type: 'object', properties: {} };
const ASKS = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Approve this call', description: 'Runs it once', default: false },
  },
  required: ['approve'],
};

/**
 * What came back. Where there was something to tick, only a tick is a yes; where the dialog only told, although answers count, there is
 * no yes. Undefined: this is no answer.
 */
export function readAnswer(
  answer: unknown,
  counts: boolean,
  isWhole = true,
): { action: 'accept' | 'decline' | 'cancel'; approve?: boolean } | undefined {
  if (!isObject(answer)) return undefined;
  const { action, content } = answer;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept' || (counts && !isWhole)) return undefined;
  return counts ? { action, approve: isObject(content) && content.approve === true } : { action };
}

/** A client that can show forms says so: with `elicitation: {}`, or by naming the kind. */
export function showsForms(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(elicitation.form));
}
