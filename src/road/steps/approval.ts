import { callDigest, type Pass, type Question } from '../../approval/index.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../parts.ts';
import { judgeCall, questionOf, refuseByPolicy } from '../question.ts';
import type { Step } from '../step.ts';

type AskingParts = RoadParts & { approvals: NonNullable<RoadParts['approvals']> };

export const approval: Step = {
  name: 'approval',
  does: 'waits for a person where the policy asks for one; then the checks run again, and the use of the approval is on disk before the call',
  refusals: [
    'POLICY_REFUSED',
    'APPROVAL_PENDING',
    'APPROVAL_DENIED',
    'APPROVAL_EXPIRED',
    'APPROVAL_CANCELLED',
    'APPROVAL_USED',
    'APPROVAL_MISMATCH',
    'APPROVAL_LIMIT',
    'OVERLOADED',
    'OUTCOME_UNKNOWN',
    'AUDIT_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
  ],
  span: 'approval',
  run(call, parts) {
    const { approvals } = parts;
    const doubt = parts.config().flows === 'ask' ? call.flow : undefined;
    const isNamed = call.request.approvalId !== undefined;
    if (!isNamed && doubt === undefined && !(approvals && approvals.policy().rules > 0)) return undefined;
    if (!approvals) throw new ProxyError('INTERNAL', 'There is nobody to ask about an approval');
    const asking = { ...parts, approvals };
    const question = questionFor(call, asking, doubt);
    return question && ask(call, asking, question, doubt);
  },
};

/** Undefined: nobody need be asked. `doubt`: why a person is asked although no rule says so; a rule that allows the call comes first. */
function questionFor(call: CallContext, parts: AskingParts, doubt: string | undefined): Question | undefined {
  const { tool, args, variant, caller, continuation, notes, record, request } = call;
  const ruling = judgeCall(parts.approvals.policy(), tool, variant, caller.principal);
  if (ruling.action === 'refuse') throw refuseByPolicy(ruling, tool.name);
  const why = ruling.rule === null ? doubt : undefined;
  if (ruling.action === 'allow' && request.approvalId === undefined && why === undefined) return undefined;
  const asked = {
    tool,
    args,
    variant,
    caller,
    continuation,
    reason: notes.intent?.reason,
    recordId: record!.id,
  };
  return questionOf(parts.config(), parts.approvals, asked, why ?? ruling.reason);
}

async function ask(
  call: CallContext,
  parts: AskingParts,
  first: Question,
  doubt: string | undefined,
): Promise<void> {
  try {
    // What a person is asked about is on disk, whatever the operation.
    await call.record!.durable();
    call.pass = await passFor(call, parts, first, doubt);
  } catch (cause) {
    throw withApproval(cause, call);
  }
}

async function passFor(
  call: CallContext,
  parts: AskingParts,
  first: Question,
  doubt: string | undefined,
): Promise<Pass | undefined> {
  const { hold, signal, onProgress, approvalId } = call.request;
  const until = performance.now() + (hold?.waitMs ?? parts.approvals.waitMs());
  for (let asked: Question | undefined = first; asked;) {
    const waiting = { signal, hold, onProgress, waitMs: until - performance.now() };
    const pass = await parts.approvals.pass(asked, waiting, approvalId);
    const now = await recheck(pass, () => {
      runChecks(call, parts);
      return questionFor(call, parts, doubt);
    });
    call.notes.approval = pass.trail;
    if (pass.shared || (now && callDigest(now) === callDigest(asked))) return pass;
    // What was approved is not what would be sent: it stays unused, and the call as it is now is asked about.
    await pass.giveBack();
    asked = now;
  }
  delete call.notes.approval;
  runChecks(call, parts);
  return undefined;
}

async function recheck<T>(pass: Pass, check: () => T): Promise<T> {
  try {
    return check();
  } catch (error) {
    await pass.giveBack();
    throw error;
  }
}

/** The record of a call that did not pass names the approval. */
function withApproval(cause: unknown, { notes }: CallContext): ProxyError {
  const error = toProxyError(cause);
  const { approval_id: id, status } = error.details;
  if (typeof id === 'string') notes.approval = { id, status };
  return error;
}
