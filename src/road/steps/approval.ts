import {
  callDigest,
  callFacts,
  type Approvals,
  type CallPermit,
  type ApprovalRequest,
  type Policy,
  type Ruling,
} from '../../approval/index.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { operationOf } from '../../contract/operation.ts';
import { OperationView } from '../../contract/tool.ts';
import { hasSecret } from '../../log/index.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import { questionOf } from '../question.ts';
import type { RoadParts, Step } from '../step.ts';

export const approval: Step = {
  name: 'approval',
  does: 'waits for a person where the policy requires it; then runs the checks again, and stores the use of the approval before the call',
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
    'POLICY_BEHIND',
    'DATABASE_UNAVAILABLE',
  ],
  span: 'approval',
  run(call, parts) {
    // The call was approved when its task began; now only its outcome is asked for.
    if (call.request.resumes !== undefined) return undefined;
    const { approvals } = parts;
    const flow = parts.config().flows === 'ask' ? call.flow : undefined;
    const isNamed = call.request.approvalId !== undefined;
    if (!isNamed && flow === undefined && !(approvals && approvals.policy().rules > 0)) return undefined;
    if (!approvals) throw new ProxyError('INTERNAL', 'This proxy has no approvals');
    const gate = { call, parts, approvals, flow };
    const question = questionFor(gate, isNamed);
    return question && ask(gate, question);
  },
  async preview(call, parts) {
    const { approvals } = parts;
    const { tool, args, operation, caller } = call;
    const { action, reason: rule } = rulingOn(call, approvals);
    if (action === 'allow') return { outcome: 'allow', why: rule };
    const question = questionOf(parts, { tool, args, operation, caller, rule });
    const grant = await approvals.grantFor(question);
    if (grant) return { outcome: 'allow', why: `grant ${grant.id} allows it`, grant };
    return {
      outcome: 'ask',
      why: `a person is asked: ${rule}`,
      expires_after_s: question.ttlMs / 1000,
    };
  },
  replay: rulingOnRecord,
};

/** A call at this step. `flow`: why a person is asked although no rule says so; a rule that allows the call takes precedence. */
export interface Gate {
  call: CallContext;
  parts: RoadParts;
  approvals: NonNullable<RoadParts['approvals']>;
  flow: string | undefined;
}

/** The ruling of the policy on a call. Throws POLICY_REFUSED. */
function rulingOn(call: CallContext, { policy }: Pick<Approvals, 'policy'>): Ruling {
  const { tool, operation, caller, args, continuation } = call;
  const ruling = policy().judge({
    ...callFacts(tool, operation, caller.principal),
    hasSecret: () => hasSecret(args) || hasSecret(continuation?.inputResponses),
  });
  if (ruling.action === 'refuse') throw refusedByPolicy(ruling, tool.name);
  return ruling;
}

/** The ruling on a recorded call, by the verdict on the tool at that time. */
function rulingOnRecord(record: ActivityRecord, policy: Policy): Ruling | undefined {
  const { server_name: server, tool_name: tool, status, error_code: code, metadata } = record;
  const operation = OperationView.safeParse(metadata.operation);
  const variant = metadata.tool_variant;
  if (server === undefined || tool === undefined || !operation.success || !variant) return undefined;
  if (status === 'refused' && code !== 'POLICY_REFUSED' && !code?.startsWith('APPROVAL_')) return undefined;
  const principal = typeof metadata.principal === 'string' ? metadata.principal : 'operator';
  return policy.judge({
    ...callFacts({ server, tool, operation: operation.data }, operationOf(variant), principal),
    hasSecret: () => metadata.secrets_sent !== undefined,
  });
}

function refusedByPolicy({ reason }: Ruling, tool: string): ProxyError {
  const message = `The operator's policy refuses this call of '${tool}' (${reason})`;
  return new ProxyError('POLICY_REFUSED', message, { tool, rule: reason });
}

/** Undefined: the call needs no approval. `isNamed`: the caller names one. `continuation`: what the call brings to its server besides. */
export function questionFor(
  { call, parts, approvals, flow }: Gate,
  isNamed: boolean,
  continuation = call.continuation,
): ApprovalRequest | undefined {
  const { tool, args, operation, caller, notes, record } = call;
  const ruling = rulingOn(call, approvals);
  const why = ruling.rule === null ? flow : undefined;
  if (ruling.action === 'allow' && !isNamed && why === undefined) return undefined;
  const asked = {
    tool,
    args,
    operation,
    caller,
    rule: why ?? ruling.reason,
    continuation,
    reason: notes.intent?.reason,
    recordId: record!.id,
  };
  return questionOf({ config: parts.config, approvals }, asked);
}

async function ask(gate: Gate, first: ApprovalRequest): Promise<void> {
  const { call } = gate;
  try {
    // The record of a call that a person is asked about is on disk, whatever its operation.
    await call.record!.durable();
    call.pass = await passFor(gate, first);
  } catch (cause) {
    throw withApproval(cause, call);
  }
}

async function passFor(gate: Gate, first: ApprovalRequest): Promise<CallPermit | undefined> {
  const { call, parts, approvals } = gate;
  const { hooks, signal, onProgress, approvalId } = call.request;
  const until = performance.now() + (hooks?.waitMs ?? approvals.waitMs(call.caller.client));
  for (let asked: ApprovalRequest | undefined = first; asked;) {
    const waiting = { signal, hooks, onProgress, waitMs: until - performance.now() };
    const pass = await approvals.obtainPermit(asked, waiting, approvalId);
    const now = await recheck(pass, async () => {
      await confirmPolicy(call, parts);
      runChecks(call, parts);
      return questionFor(gate, approvalId !== undefined);
    });
    call.notes.approval = pass.trail;
    if (pass.shared || (now && callDigest(now) === callDigest(asked))) return pass;
    // The approved call is not the one that would be sent: the approval stays unused, and a new one is requested.
    await pass.release();
    asked = now;
  }
  delete call.notes.approval;
  runChecks(call, parts);
  return undefined;
}

/** A person takes their time: meanwhile another proxy may have changed the policy. */
async function confirmPolicy({ notes }: CallContext, { policy }: RoadParts): Promise<void> {
  if (!policy) return;
  await policy.confirm();
  notes.policy_version = policy.version();
}

async function recheck<T>(pass: CallPermit, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    await pass.release();
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
