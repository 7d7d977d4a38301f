import type { Approvals } from '../../approval/approvals.ts';
import { callDigest } from '../../approval/policy/digest.ts';
import type { Hold, Pass, Waiting } from '../../approval/pass.ts';
import type { Question } from '../../approval/question.ts';
import type { ActivityMetadata } from '../../contract/activity.ts';
import type { CallResult } from '../../contract/call.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Config } from '../../contract/config.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import type { ToolVariant } from '../../contract/operation.ts';
import type { Continuation } from '../../upstream/dispatch/dispatch.ts';
import type { Allowed } from './check-call.ts';
import { judgeCall, questionOf, refuseByPolicy } from '../question.ts';

export interface GateParts {
  config: () => Pick<Config, 'mcpServers'>;
  /** Absent: nobody is ever asked. */
  approvals?: Pick<Approvals, 'policy' | 'ttlMs' | 'waitMs' | 'pass'> | undefined;
}

export interface GateRequest {
  variant: ToolVariant;
  caller: Caller;
  continuation?: Continuation | undefined;
  hold?: Hold | undefined;
  /** An approval that was given for exactly this call beforehand. */
  approvalId?: string | undefined;
  /** Why a person is asked although no rule says so; a rule that allows the call has the last word. */
  doubt?: string | undefined;
}

/** One call at the gate. */
interface Visit extends GateRequest, Pick<Waiting, 'signal' | 'onProgress'> {
  record: { id: string; durable(): Promise<void> };
  notes: ActivityMetadata;
  /** All checks, by what is known at this moment. */
  allow: () => Allowed;
}

/** The step of the road at which a person may have a say. */
export function createApprovalGate({ config, approvals }: GateParts) {
  /** Undefined: nobody need be asked. Throws where the policy refuses. */
  function question({ tool, args }: Allowed, visit: Visit): Question | undefined {
    const ruling = judgeCall(approvals!.policy(), tool, visit.variant, visit.caller.principal);
    if (ruling.action === 'refuse') throw refuseByPolicy(ruling, tool.name);
    const { variant, caller, continuation, record, notes } = visit;
    const doubt = ruling.rule === null ? visit.doubt : undefined;
    if (ruling.action === 'allow' && visit.approvalId === undefined && doubt === undefined) return undefined;
    const asked = {
      tool,
      args,
      variant,
      caller,
      continuation,
      reason: notes.intent?.reason,
      recordId: record.id,
    };
    return questionOf(config(), approvals!, asked, doubt ?? ruling.reason);
  }

  async function ask(first: Question, visit: Visit): Promise<{ allowed: Allowed; pass?: Pass }> {
    const { allow, hold, signal, onProgress, approvalId } = visit;
    // What a person is asked about is on disk, whatever the operation.
    await visit.record.durable();
    const until = performance.now() + (hold?.waitMs ?? approvals!.waitMs());
    for (let asked: Question | undefined = first; asked;) {
      const waiting = { signal, hold, onProgress, waitMs: until - performance.now() };
      const pass = await approvals!.pass(asked, waiting, approvalId);
      const now = await recheck(pass, () => {
        const allowed = allow();
        return { allowed, question: question(allowed, visit) };
      });
      visit.notes.approval = pass.trail;
      if (pass.shared || (now.question && callDigest(now.question) === callDigest(asked)))
        return { allowed: now.allowed, pass };
      // What was approved is not what would be sent: it stays unused, and the call as it is now is asked about.
      await pass.giveBack();
      asked = now.question;
    }
    delete visit.notes.approval;
    return { allowed: allow() };
  }

  return {
    /** False: there is nothing to ask, whatever the call is. */
    needed: ({ approvalId, doubt }: GateRequest) =>
      approvalId !== undefined ||
      doubt !== undefined ||
      (approvals !== undefined && approvals.policy().rules > 0),

    /** Undefined where the call may go on as it is. Otherwise waits, uses the approval up, and has everything checked anew. */
    enter(allowed: Allowed, visit: Visit): Promise<{ allowed: Allowed; pass?: Pass }> | undefined {
      if (!approvals) throw new ProxyError('INTERNAL', 'There is nobody to ask about an approval');
      const asked = question(allowed, visit);
      return asked && ask(asked, visit).catch((cause: unknown) => note(cause, visit.notes));
    },
  };
}

async function recheck<T>(pass: Pass, check: () => T): Promise<T> {
  try {
    return check();
  } catch (error) {
    await pass.giveBack();
    throw error;
  }
}

/** The record of a call that did not pass says about which approval that is. */
function note(cause: unknown, notes: ActivityMetadata): never {
  const error = toProxyError(cause);
  const { approval_id: id, status } = error.details;
  if (typeof id === 'string') notes.approval = { id, status };
  throw error;
}

/** Makes the call that the pass is for, and says how it ended. */
export async function runApproved(pass: Pass, send: () => Promise<CallResult>): Promise<CallResult> {
  if (pass.shared) return pass.shared;
  let result: CallResult;
  try {
    result = await send();
  } catch (cause) {
    await pass.settle({ error: toProxyError(cause) });
    throw cause;
  }
  await pass.settle({ result });
  return result;
}
