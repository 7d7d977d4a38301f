import type { MessageClause, TaskReference } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { namesOf } from './decide-yes.ts';
import { readListFirst, withTask } from './find-task.ts';
import { step, tooLongQuestion, type ClauseContext, type ClauseOutcome } from './clause-outcome.ts';
import { newTextOf } from './new-text.ts';
import { matchingTasks, resolveTask } from './resolve-task.ts';
import { countOf, quote, shorten } from '../reply/wording.ts';

/** How many tasks one message may mark as done. */
const MOST_AT_ONCE = 50;

export function resolveComplete(clause: MessageClause, context: ClauseContext): ClauseOutcome {
  if (clause.reference?.kind === 'all') return completeAll(clause.reference, context);
  return withTask({ type: 'COMPLETE_TASK', clause, context }, (task) => complete(task, context.user_id));
}

function complete(task: KnownTask, user_id: string): ClauseOutcome {
  const named = quote(task.description);
  if (task.status === 'completed') {
    const text = `${named} was done already.`;
    return { kind: 'say', text, recent: task.task_id, because: 'it is done already' };
  }
  const steps = [completeStep(task, user_id)];
  return { kind: 'do', steps, recent: task.task_id, because: 'completing needs no confirmation' };
}

function completeStep(task: KnownTask, user_id: string) {
  return step(
    { tool_name: 'complete_task', parameters: { user_id, task_id: task.task_id } },
    `I have marked ${quote(task.description)} as done.`,
    `complete ${shorten(task.description)}`,
  );
}

function completeAll(
  { text, ...reference }: Extract<TaskReference, { kind: 'all' }>,
  { tasks, user_id }: ClauseContext,
): ClauseOutcome {
  if (!tasks) return readListFirst('COMPLETE_TASK', { ...reference, text });
  const open = tasks.tasks.filter(({ status }) => status === 'pending');
  const { task_ids } = reference;
  const wanted = task_ids
    ? open.filter(({ task_id }) => task_ids.includes(task_id))
    : matchingTasks(text, open);
  if (wanted.length === 0) return { kind: 'say', text: noneOpen(text, open), because: 'no open task fits' };
  if (wanted.length > MOST_AT_ONCE || tasks.total > tasks.tasks.length)
    return {
      kind: 'refuse',
      text: `I can mark up to ${MOST_AT_ONCE} tasks as done at a time. Nothing was changed. Say “show my tasks” and then “complete 1, 2 and 3”, for example.`,
      because: 'too many at once',
    };
  const because = `${countOf(wanted.length, 'open task')} meant`;
  if (!task_ids && wanted.length > 1) return askToCompleteAll(wanted, text, because);
  return { kind: 'do', steps: wanted.map((task) => completeStep(task, user_id)), because };
}

function askToCompleteAll(tasks: readonly KnownTask[], text: string, because: string): ClauseOutcome {
  const clause: MessageClause = {
    text,
    user_intent: { intent_type: 'COMPLETE_TASK', extracted_params: { task_reference: text } },
    reference: { kind: 'all', text, task_ids: tasks.map(({ task_id }) => task_id) },
    reasons: [],
  };
  return {
    kind: 'ask',
    question: `Should I mark ${countOf(tasks.length, 'task')} as done: ${namesOf(tasks.map(({ description }) => description))}? Nothing was changed yet; please say yes or no.`,
    open: { about: 'THIS', clause },
    because,
  };
}

function noneOpen(text: string, open: KnownTask[]): string {
  return open.length === 0
    ? 'There is no open task on your list, so nothing was changed. Say “add …” to put one on it.'
    : `No open task fits ${quote(text)}, so nothing was changed. Say “show my tasks” to see them.`;
}

export function resolveUpdate(clause: MessageClause, context: ClauseContext): ClauseOutcome {
  if (clause.reference?.kind === 'all') {
    return {
      kind: 'ask',
      question: 'I can change one task at a time. Which one, and what should it say?',
      because: 'several tasks cannot get one text',
    };
  }
  return withTask({ type: 'UPDATE_TASK', clause, context }, (task) => {
    const other = otherMeant(task, clause, context);
    return other ? askAboutOther(task, other) : update(task, clause, context.user_id);
  });
}

function update(task: KnownTask, clause: MessageClause, user_id: string): ClauseOutcome {
  const { change } = clause;
  const named = quote(task.description);
  const open = { about: 'UPDATE_TEXT', task_id: task.task_id } as const;
  if (!change) {
    const question = `What should ${named} say instead?`;
    return { kind: 'ask', question, open, because: 'the new text is missing' };
  }
  const { text, isSure } = newTextOf(task, clause);
  if (text && !isSure) return tooLongQuestion(text, open) ?? askToChange(task, text, clause);
  if (text) return tooLongQuestion(text, open) ?? newText(task, text, user_id);
  const lost = change.kind === 'swap' ? quote(change.from) : 'what to change';
  const question = `I could not find ${lost} in ${named}. What should the task say?`;
  return { kind: 'ask', question, open, because: 'the change does not fit the old text' };
}

/** Words would be lost that the message does not name: shows both texts and asks for a yes. */
export function askToChange(task: KnownTask, text: string, { text: said }: MessageClause): ClauseOutcome {
  if (text === task.description) return unchanged(task);
  const clause: MessageClause = {
    text: said,
    user_intent: {
      intent_type: 'UPDATE_TASK',
      extracted_params: { task_reference: task.description, new_description: text },
    },
    reference: { kind: 'recent', text: task.description, task_id: task.task_id },
    change: { kind: 'replace', text },
    reasons: [],
  };
  return {
    kind: 'ask',
    question: `Should I change ${quote(task.description)} to ${quote(text)}? Nothing was changed yet; please say yes or no.`,
    open: { about: 'THIS', clause },
    because: 'the change would take away words that were not named',
  };
}

const CORRECTS = /\b(?:meant?|wrong|instead)\b/i;

/** "Wrong one, I meant bread": another task with this title is more likely meant than a new text. */
function otherMeant(
  task: KnownTask,
  { text, reference, change }: MessageClause,
  { tasks }: ClauseContext,
): KnownTask | undefined {
  if (reference?.kind !== 'recent' || reference.task_id || change?.kind !== 'replace' || !CORRECTS.test(text))
    return undefined;
  const others = (tasks?.tasks ?? []).filter(({ task_id }) => task_id !== task.task_id);
  const found = resolveTask({ kind: 'title', text: change.text }, { tasks: others });
  return found.kind === 'one' ? found.task : undefined;
}

function askAboutOther(task: KnownTask, other: KnownTask): ClauseOutcome {
  const [one, two] = [quote(task.description), quote(other.description)];
  return {
    kind: 'ask',
    question: `Did you mean ${two}? I have changed nothing. Say what to do with it, “complete ${shorten(other.description)}” for example; to give ${one} another text, say “change ${shorten(task.description)} to …”.`,
    because: 'it is a correction, and another task has this title',
  };
}

function unchanged({ task_id, description }: KnownTask): ClauseOutcome {
  const text = `${quote(description)} says that already, so nothing was changed.`;
  return { kind: 'say', text, recent: task_id, because: 'nothing changes' };
}

function newText(task: KnownTask, text: string, user_id: string): ClauseOutcome {
  const [before, after] = [quote(task.description), quote(text)];
  const recent = task.task_id;
  if (text === task.description) return unchanged(task);
  const change = step(
    { tool_name: 'update_task', parameters: { user_id, task_id: task.task_id, description: text } },
    `I have changed ${before} to ${after}.`,
    `change ${shorten(task.description)} to ${shorten(text)}`,
  );
  return { kind: 'do', steps: [change], recent, because: 'changing the text needs no confirmation' };
}

export function resolveDelete(clause: MessageClause, context: ClauseContext): ClauseOutcome {
  if (clause.reference?.kind === 'all') return deleteAll(clause.reference, context);
  return withTask({ type: 'DELETE_TASK', clause, context }, (task) => ({
    kind: 'delete',
    tasks: [task],
    because: 'a delete needs confirmation',
  }));
}

/** How many tasks one question may ask to delete. */
const MOST_DELETED = 50;

function deleteAll(reference: TaskReference, { tasks }: ClauseContext): ClauseOutcome {
  if (!tasks) return readListFirst('DELETE_TASK', reference);
  const wanted = matchingTasks(reference.text, tasks.tasks);
  if (wanted.length === 0)
    return { kind: 'say', text: noneFit(reference, tasks.tasks), because: 'no task fits' };
  if (wanted.length > MOST_DELETED || tasks.total > tasks.tasks.length)
    return {
      kind: 'refuse',
      text: `I can delete up to ${MOST_DELETED} tasks with one question. Nothing was deleted. Say “show my tasks” and then “delete 1, 2 and 3”, for example.`,
      because: 'too many at once',
    };
  return {
    kind: 'delete',
    tasks: wanted,
    because: `${countOf(wanted.length, 'task')} meant; a delete needs confirmation`,
  };
}

function noneFit(reference: TaskReference, tasks: readonly KnownTask[]): string {
  return tasks.length === 0
    ? 'Your list is empty already, so nothing was deleted.'
    : `No task fits ${quote(reference.text)}, so nothing was deleted. Say “show my tasks” to see them.`;
}
