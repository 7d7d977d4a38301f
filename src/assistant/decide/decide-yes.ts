import {
  CONFIRMATION_MS,
  type DecisionContext,
  type KnownTask,
  type PendingDelete,
  type PendingTarget,
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
  const targets = targetsOf(pending);
  const now = targets.map(({ task_id }) => tasks.tasks.find((task) => task.task_id === task_id));
  const changed = targets.findIndex((target, i) => now[i] && isChanged(now[i], target));
  if (changed >= 0) return askAgain(context, pending, { was: targets[changed]!, is: now[changed]! });
  if (now.includes(undefined) && tasks.total > tasks.listed) return outOfSight(pending);
  const are = targets.length > 1 ? 'tasks are as they were' : 'task is as it was';
  return { ...execute(pending), because: [`the answer is yes, and the ${are} shown`] };
}

/** Every task that the question asked to delete. */
export function targetsOf({ others = [], ...first }: PendingDelete): PendingTarget[] {
  return [first, ...others];
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

const MOST_NAMED = 5;
/** "“a”, “b” and “c”"; of many, the number and the names of the first few. */
export function namesOf(descriptions: readonly string[]): string {
  const named = descriptions.slice(0, MOST_NAMED).map((text) => quote(text));
  const more = descriptions.length - named.length;
  return joinWords(more > 0 ? [...named, `${more} more`] : named);
}

/** The question before a delete, and the steps that a yes allows. */
export function deleteQuestion(
  tasks: readonly KnownTask[],
  { now, confirmation_ms = CONFIRMATION_MS }: DecisionContext,
  steps: Step[],
): Pick<DecisionDraft, 'question' | 'asks' | 'steps'> {
  const [first, ...others] = tasks.map(({ task_id, description, status }) => ({
    task_id,
    task_description: description,
    task_status: status,
  }));
  const rest = steps.filter(({ call }) => call.tool_name !== 'delete_task');
  const count = tasks.length > MOST_NAMED ? `these ${tasks.length} tasks: ` : '';
  const names = namesOf(tasks.map(({ description }) => description));
  const at = steps.findIndex(({ call }) => call.tool_name === 'delete_task');
  const wishes = rest.map(({ wish }) => describeWish(wish));
  const all = joinWords([...wishes.slice(0, at), `delete ${count}${names}`, ...wishes.slice(at)]);
  return {
    question: `Shall I ${all}? ${rest.length > 0 ? 'Nothing was done yet; please' : 'Please'} say yes or no.`,
    steps: [],
    asks: {
      action_type: 'DELETE_TASK',
      ...first!,
      created_at: now,
      expires_at: new Date(Date.parse(now) + confirmation_ms).toISOString(),
      steps,
      ...(others.length > 0 && { others }),
    },
  };
}

function execute(pending: PendingDelete): DecisionDraft {
  return { type: 'EXECUTE_PENDING', steps: pending.steps, pending: 'execute', because: [] };
}

function isChanged(now: KnownTask, target: PendingTarget): boolean {
  return now.description !== target.task_description || now.status !== target.task_status;
}

function askAgain(
  context: DecisionContext,
  pending: PendingDelete,
  { was, is }: { was: PendingTarget; is: KnownTask },
): DecisionDraft {
  const before = quote(was.task_description);
  const change =
    is.description === was.task_description
      ? is.status === 'completed'
        ? 'marked as done'
        : 'changed'
      : `changed to ${quote(is.description)}`;
  const left = targetsOf(pending).flatMap(
    ({ task_id }) => context.tasks!.tasks.find((task) => task.task_id === task_id) ?? [],
  );
  return {
    type: 'REQUEST_CONFIRMATION',
    say: `${before} has been ${change} since I asked, so I ask again.`,
    ...deleteQuestion(left, context, asNow(pending.steps, left, context.user_id)),
    pending: 'drop',
    recent: is.task_id,
    because: ['the task has changed between the question and the yes'],
  };
}

/** The delete steps, with the current texts of the tasks. */
function asNow(steps: Step[], tasks: readonly KnownTask[], user_id: string): Step[] {
  return steps.flatMap((step) => {
    if (step.call.tool_name !== 'delete_task') return [step];
    const task = tasks.find(({ task_id }) => task_id === step.call.parameters['task_id']);
    return task ? [deleteStep(task, user_id)] : [];
  });
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
