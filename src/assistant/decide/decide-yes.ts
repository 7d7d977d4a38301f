import {
  CONFIRMATION_MS,
  type DecisionContext,
  type KnownTask,
  type PendingDelete,
  type Step,
} from '../context.ts';
import type { DecisionDraft } from './draft.ts';
import { deleteStep } from './clause-outcome.ts';
import { isPermanent, unreadableListText, describeWish, quote, joinWords } from '../reply/wording.ts';

/** A yes to the pending delete. If the task has changed since the question, the person is asked again. */
export function decideYes(context: DecisionContext, pending: PendingDelete): DecisionDraft {
  const { tasks } = context;
  if (tasks === undefined) {
    return {
      ...execute(pending),
      readFirst: true,
      because: ['the answer is yes; the task is checked again before it is deleted'],
    };
  }
  if (tasks === null)
    return unreadableDraft(context, 'Your request to delete it still waits; say “yes” again in a moment.');
  const now = tasks.tasks.find(({ task_id }) => task_id === pending.task_id);
  if (now && isChanged(now, pending)) return askAgain(context, pending, now);
  if (!now && tasks.total > tasks.listed) return outOfSight(pending);
  return { ...execute(pending), because: ['the answer is yes, and the task is as it was shown'] };
}

/** `next`: what to do if a retry may help. */
export function unreadableDraft({ unread: code }: DecisionContext, next: string): DecisionDraft {
  const barred = code === 'APPROVAL_PENDING' || isPermanent(code);
  return {
    type: 'RESPOND_ONLY',
    say: barred
      ? `${unreadableListText(code)} I have changed nothing.`
      : `I cannot read your list just now, so I have changed nothing. ${next}`,
    steps: [],
    because: ['the list could not be read'],
  };
}

/** The question before a delete, and the steps that a yes allows. */
export function deleteQuestion(
  task: KnownTask,
  { now, steps, next = [] }: { now: string; steps: Step[]; next?: string[] | undefined },
): Pick<DecisionDraft, 'question' | 'asks' | 'steps'> {
  const expires = new Date(Date.parse(now) + CONFIRMATION_MS).toISOString();
  const others = steps.filter(({ call }) => call.tool_name !== 'delete_task');
  const all = steps.map(({ call, wish }) =>
    call.tool_name === 'delete_task' ? `delete ${quote(task.description)}` : describeWish(wish),
  );
  const question =
    others.length === 0
      ? `Shall I delete ${quote(task.description)}? It cannot be brought back. Please say yes or no.`
      : `Shall I ${joinWords(all)}? What is deleted cannot be brought back. Nothing was done yet; please say yes or no.`;
  return {
    question,
    steps: [],
    asks: {
      action_type: 'DELETE_TASK',
      task_id: task.task_id,
      task_description: task.description,
      task_status: task.status,
      created_at: now,
      expires_at: expires,
      steps,
      ...(next.length > 0 && { next }),
    },
  };
}

function execute(pending: PendingDelete): DecisionDraft {
  return {
    type: 'EXECUTE_PENDING',
    steps: pending.steps,
    ...(pending.next && { question: `Say “${pending.next[0]}” for the next one.` }),
    pending: 'execute',
    because: [],
  };
}

function isChanged(now: KnownTask, pending: PendingDelete): boolean {
  return now.description !== pending.task_description || now.status !== pending.task_status;
}

function askAgain(context: DecisionContext, pending: PendingDelete, now: KnownTask): DecisionDraft {
  const before = quote(pending.task_description);
  const say =
    now.description === pending.task_description
      ? `${before} has been ${now.status === 'completed' ? 'marked as done' : 'changed'} since I asked, so I ask again.`
      : `${before} has been changed to ${quote(now.description)} since I asked, so I ask again.`;
  return {
    type: 'REQUEST_CONFIRMATION',
    say,
    ...deleteQuestion(now, {
      now: context.now,
      steps: asNow(pending.steps, deleteStep(now, context.user_id)),
      next: pending.next,
    }),
    pending: 'drop',
    recent: now.task_id,
    because: ['the task has changed between the question and the yes'],
  };
}

/** The delete step, with the current text of the task. */
function asNow(steps: Step[], remove: Step): Step[] {
  return steps.map((step) => (step.call.tool_name === 'delete_task' ? remove : step));
}

function outOfSight(pending: PendingDelete): DecisionDraft {
  return {
    type: 'CANCEL_PENDING',
    say: `I can no longer see ${quote(pending.task_description)} among your newest tasks, so I have not deleted it.`,
    steps: [],
    pending: 'cancel',
    because: ['the list is longer than can be read, and the task is not in what was read'],
  };
}
