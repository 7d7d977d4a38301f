import type { Caller } from '../../contract/call.ts';
import { callTaskTools, type TaskCallParts, type StepOutcome } from './call-task-tool.ts';
import {
  CONFIRMATION_MS,
  type AnswerState,
  type Decided,
  type DecisionContext,
  type PendingTarget,
} from '../context.ts';
import { targetsOf } from '../decide/decide-yes.ts';
import { undoSteps } from './undo-steps.ts';
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
  /** The list as it was read for the decision. */
  read?: StepOutcome;
}

/** Executes a decision: settles the pending delete first, then makes the calls in order. */
export async function executeDecision(
  pendingDeletes: PendingDeletes,
  { context, decided, read }: DecidedContext,
  acting: TaskCallParts,
): Promise<Execution> {
  const targets = context.pending_confirmation ? targetsOf(context.pending_confirmation) : [];
  const answer = { pending: decided.pending, caller: acting.caller };
  let stopped: Execution['stopped'];
  for (const { approval_id } of targets) stopped ??= await settlePending(pendingDeletes, approval_id, answer);
  if (stopped) return { outcomes: [], reply: { text: STOPPED[stopped] }, stopped };
  const { steps, decision } = decided;
  const calls = steps.length > 0 ? (decision.tool_calls ?? []).slice(-steps.length) : [];
  const approvals = new Map(targets.map(({ task_id, approval_id }) => [task_id as unknown, approval_id]));
  const outcomes = await callTaskTools(
    calls.map((call, i) => ({ ...call, intent: steps[i]!.intent })),
    { ...acting, approvals, ...(read && { read }) },
  );
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

/** The state that the next message may refer to. Opens the approval requests if the decision asks to delete. */
export async function prepareNextMessage(
  pendingDeletes: PendingDeletes,
  { context, decided }: DecidedContext,
  { execution, caller }: { execution: Execution; caller: Caller },
): Promise<AnswerState> {
  const { asks, question, pending } = decided;
  const { reply, outcomes } = execution;
  const still = pending === undefined ? context.pending_confirmation : undefined;
  const undo = undoSteps(context, decided, outcomes) ?? context.undo;
  const mark: AnswerState = {
    ...(reply.recent !== undefined && { recent: reply.recent }),
    ...(question && { question }),
    ...(still && { waiting: { ...still, reminded: true } }),
    ...(undo && { undo }),
  };
  if (!asks) return mark;
  const ask = async ({ task_id, task_description }: Pick<PendingTarget, 'task_id' | 'task_description'>) =>
    pendingDeletes.ask({
      caller,
      args: { user_id: context.user_id, task_id },
      description: `Delete the task “${task_description}”`,
      ttlMs: context.confirmation_ms ?? CONFIRMATION_MS,
    });
  const others: PendingTarget[] = [];
  for (const other of asks.others ?? []) others.push({ ...other, approval_id: (await ask(other)).id });
  // The first one comes last: the newest approval of a conversation is the one that waits.
  const { id } = await ask(asks);
  const { others: _asked, ...first } = asks;
  return { ...mark, waiting: { ...first, approval_id: id, ...(others.length > 0 && { others }) } };
}
