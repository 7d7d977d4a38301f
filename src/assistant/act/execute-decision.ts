import type { Caller } from '../../contract/call.ts';
import { callTaskTools, type TaskCallParts, type StepOutcome } from './call-task-tool.ts';
import { CONFIRMATION_MS, type Decided, type DecisionContext, type AnswerState } from '../context.ts';
import type { PendingDeletes } from '../conversation/pending-deletes.ts';
import { replyTo, type Reply } from '../reply/reply.ts';

/** Replies for a yes that was not executed. */
const STOPPED = {
  expired: 'That question is no longer open, so nothing was done. Ask me again if you still want it deleted.',
  denied: 'Deleting needs the approval of the operator here, so nothing was deleted.',
} as const;

export interface Execution {
  outcomes: StepOutcome[];
  reply: Reply;
  stopped?: keyof typeof STOPPED;
}

/** A decision, and what it was made from. */
export interface DecidedContext {
  context: DecisionContext;
  decided: Decided;
}

/** Executes a decision: settles the pending delete first, then makes the calls in order. */
export async function executeDecision(
  pendingDeletes: PendingDeletes,
  { context, decided }: DecidedContext,
  acting: TaskCallParts,
): Promise<Execution> {
  const id = context.pending_confirmation?.approval_id;
  const stopped =
    id === undefined
      ? undefined
      : await settlePending(pendingDeletes, id, { pending: decided.pending, caller: acting.caller });
  if (stopped) return { outcomes: [], reply: { text: STOPPED[stopped] }, stopped };
  const { steps, decision } = decided;
  const calls = steps.length > 0 ? (decision.tool_calls ?? []).slice(-steps.length) : [];
  const outcomes = await callTaskTools(calls, { ...acting, ...(id !== undefined && { approvalId: id }) });
  return { outcomes, reply: replyTo(decided, outcomes) };
}

/** Records the person's answer before anything runs. */
async function settlePending(
  pendingDeletes: PendingDeletes,
  id: string,
  { pending, caller }: { pending: Decided['pending']; caller: Caller },
): Promise<keyof typeof STOPPED | undefined> {
  if (pending === 'drop') await pendingDeletes.cancel(id, 'dropped by the next message', caller.userId);
  else if (pending === 'cancel') await pendingDeletes.decide(id, { approve: false, caller });
  else if (pending === 'execute') return approve(pendingDeletes, id, caller);
  return undefined;
}

async function approve(
  pendingDeletes: PendingDeletes,
  id: string,
  caller: Caller,
): Promise<keyof typeof STOPPED | undefined> {
  if (!pendingDeletes.mayConfirm(caller)) {
    await pendingDeletes.cancel(id, 'the policy requires the operator to decide', caller.userId);
    return 'denied';
  }
  // The approval may have been decided or have expired since it was read.
  const { status } = await pendingDeletes.decide(id, { approve: true, caller });
  return status === 'approved' ? undefined : 'expired';
}

/** The state that the next message may refer to. Opens the approval request if the decision asks to delete. */
export async function prepareNextMessage(
  pendingDeletes: PendingDeletes,
  { context, decided }: DecidedContext,
  { reply, caller }: { reply: Reply; caller: Caller },
): Promise<AnswerState> {
  const { asks, question, pending } = decided;
  const still = pending === undefined ? context.pending_confirmation : undefined;
  const mark: AnswerState = {
    ...(reply.recent !== undefined && { recent: reply.recent }),
    ...(question && { question }),
    ...(still && { waiting: still }),
  };
  if (!asks) return mark;
  const { id } = await pendingDeletes.ask({
    caller,
    args: { user_id: context.user_id, task_id: asks.task_id },
    description: `Delete the task “${asks.task_description}”`,
    ttlMs: CONFIRMATION_MS,
  });
  return { ...mark, waiting: { ...asks, approval_id: id } };
}
