import type { MessageClause, TaskReference } from '../../contract/chat.ts';
import { whichTaskQuestion, noTaskQuestion, type Change } from './questions.ts';
import type { KnownTask, OpenQuestion } from '../context.ts';
import { emojiIn } from '../language/phrase.ts';
import type { ClauseContext, ClauseOutcome } from './clause-outcome.ts';
import { resolveTask, type Resolved, type TaskScope, partsOf } from './resolve-task.ts';
import { wordsOf, titleWords, isSubset } from '../reply/task-words.ts';
import { quote } from '../reply/wording.ts';

/** A clause that changes one task. */
export interface TaskRequest {
  type: Change;
  clause: MessageClause;
  context: ClauseContext;
}

/** Finds the task and continues with it; asks if the list was not read, or if none or several tasks match. */
export function withTask(request: TaskRequest, then: (task: KnownTask) => ClauseOutcome): ClauseOutcome {
  const { type, clause, context } = request;
  if (!context.tasks) return readListFirst(type, clause.reference);
  const found = findTask(type, emojiReference(clause) ?? clause.reference, context);
  if (found.kind !== 'one') return askWhichTask(request, found);
  const outcome = then(found.task);
  return { ...outcome, because: `${found.how}; ${outcome.because}` };
}

/** Finds the task that a reference means. To complete: an open task, or else a completed one. */
export function findTask(
  type: Change,
  reference: TaskReference | undefined,
  context: ClauseContext,
): Resolved {
  const scope = scopeOf(context);
  // A delete needs confirmation anyway; any other change of an unnamed task is asked about here.
  if (type !== 'DELETE_TASK' && !isSpecific(reference, scope.tasks)) return unnamedTask(type, scope.tasks);
  return type === 'COMPLETE_TASK' ? findOpenTask(reference, scope) : resolveTask(reference, scope);
}

function scopeOf({ tasks, shown, recent }: ClauseContext): TaskScope {
  const all = tasks?.tasks ?? [];
  const partial = all.length < (tasks?.total ?? 0);
  return { tasks: all, partial, ...(shown && { shown }), ...(recent !== undefined && { recent }) };
}

function findOpenTask(reference: TaskReference | undefined, scope: TaskScope): Resolved {
  // The last mentioned task is meant even if it is completed; otherwise "that one" would be another task.
  const spokenOf = reference?.kind === 'recent' ? (reference.task_id ?? scope.recent) : undefined;
  const isSpokenOf = scope.tasks.some(({ task_id }) => task_id === spokenOf);
  const candidates = isSpokenOf ? scope.tasks : scope.tasks.filter(({ status }) => status === 'pending');
  const open = resolveTask(reference, { ...scope, tasks: candidates });
  if (open.kind === 'one' || open.kind === 'several') return open;
  const done = resolveTask(reference, scope);
  return done.kind === 'one' ? done : open;
}

/** "Complete 🎉" has no words, but does not mean the last mentioned task. */
function emojiReference({ text, reference }: MessageClause): TaskReference | undefined {
  const pictures = reference?.kind === 'recent' && !reference.task_id ? emojiIn(text) : [];
  return pictures.length > 0 ? { kind: 'title', text: pictures.join('') } : undefined;
}

/** "The task" and "one" name no task, unless a task has this title. */
function isSpecific(
  reference: TaskReference | undefined,
  all: readonly KnownTask[],
): reference is TaskReference {
  if (reference?.kind !== 'title') return reference !== undefined;
  const { content, key } = wordsOf(reference.text);
  return content.size > 0 || all.some((task) => titleWords(task).key === key);
}

function unnamedTask(type: Change, all: readonly KnownTask[]): Resolved {
  const tasks = type === 'COMPLETE_TASK' ? all.filter(({ status }) => status === 'pending') : [...all];
  const how = 'the message names no task';
  return tasks.length > 1 ? { kind: 'several', tasks, how } : { kind: 'none', near: tasks, how };
}

export function askWhichTask(
  { type, clause: { reference, change }, context }: TaskRequest,
  found: Exclude<Resolved, { kind: 'one' }>,
): ClauseOutcome {
  const tasks = context.tasks?.tasks ?? [];
  const { question, shown, open } =
    found.kind === 'several'
      ? whichTaskQuestion(type, found.tasks)
      : noTaskQuestion(type, found, { reference, tasks });
  const choice = shown && { among: shown.length, ...(shown.length === 1 && { only: shown[0]! }) };
  const which: OpenQuestion =
    type === 'UPDATE_TASK'
      ? { about: type, ...(change && { change }), ...choice }
      : { about: type, ...choice };
  const answer = open === undefined ? which : open;
  return {
    kind: 'ask',
    question,
    ...(shown && { shown }),
    ...(answer && { open: answer }),
    because: found.how,
  };
}

const VERB: Record<Change, string> = {
  COMPLETE_TASK: 'complete',
  UPDATE_TASK: 'change',
  DELETE_TASK: 'delete',
};

export function readListFirst(type: Change, reference: TaskReference | undefined): ClauseOutcome {
  return {
    kind: 'read_first',
    wish: `${VERB[type]} ${reference ? quote(reference.text) : 'that task'}`,
    destroys: type === 'DELETE_TASK',
    because: 'the list is read first to find the task; the person is asked if none or several match',
  };
}

/** "Milk and bread" are two tasks, unless one task has this title. */
export function splitNamedTasks(clause: MessageClause, context: ClauseContext): MessageClause[] {
  const { user_intent: intent, reference } = clause;
  const type = intent.intent_type;
  if ((type !== 'COMPLETE_TASK' && type !== 'DELETE_TASK') || reference?.kind !== 'title') return [clause];
  const parts = partsOf(reference.text).map((text) => ({ kind: 'title' as const, text }));
  if (parts.length < 2 || !context.tasks || findTask(type, reference, context).kind === 'one')
    return [clause];
  const found = parts.map((part) => findTask(type, part, context));
  // Every word must be in the title: "then delete bread" does not name "bread".
  const ids = new Set(
    found.flatMap((one, i) =>
      one.kind === 'one' && isSubset(wordsOf(parts[i]!.text).content, titleWords(one.task).stems)
        ? [one.task.task_id]
        : [],
    ),
  );
  if (ids.size < parts.length) return [clause];
  return parts.map((part) => ({
    ...clause,
    user_intent: { ...intent, intent_type: type, extracted_params: { task_reference: part.text } },
    reference: part,
  }));
}
