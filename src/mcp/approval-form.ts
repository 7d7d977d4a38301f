import type { Approval } from '../contract/approval.ts';
import { exactJson } from '../lib/exact-json.ts';
import { visibleText } from '../lib/visible-text.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

const MAX_SHOWN = 4_000;

/**
 * The dialog that a client program shows for a call that waits. Where its answer counts it asks; otherwise it only tells the person where
 * to decide, and a "decline" takes the call back.
 */
export function approvalForm(approval: Approval, counts: boolean): JsonObject {
  const { server, tool, operation, id } = approval;
  const what = `${server}:${tool} (${operation})`;
  const args = exactJson(approval.arguments, 2) ?? '{}';
  const shown = visibleText(args.length > MAX_SHOWN ? `${args.slice(0, MAX_SHOWN)}… (cut)` : args);
  const reason = approval.reason ? `\nStated reason: ${visibleText(approval.reason)}` : '';
  const next = counts
    ? 'Approve it to run it once, exactly as shown.'
    : `It cannot be approved here. Decide with: mcpproxy approvals approve ${id}. Decline to withdraw the call.`;
  return {
    mode: 'form',
    message: `A call of ${visibleText(what)} waits for approval.\nArguments: ${shown}${reason}\n${next}`,
    requestedSchema: counts ? ASKS : TELLS,
  };
}

const TELLS = { type: 'object', properties: {} };
const ASKS = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Approve this call', description: 'Runs it once', default: false },
  },
  required: ['approve'],
};

/** What came back. Where there was something to tick, only a tick is a yes. Undefined: this is no answer. */
export function readAnswer(
  answer: unknown,
  counts: boolean,
): { action: 'accept' | 'decline' | 'cancel'; approve?: boolean } | undefined {
  if (!isObject(answer)) return undefined;
  const { action, content } = answer;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return undefined;
  return counts ? { action, approve: isObject(content) && content.approve === true } : { action };
}

/** A client that can show forms says so: with `elicitation: {}`, or by naming the kind. */
export function showsForms(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(elicitation.form));
}
