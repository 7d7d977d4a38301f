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

/** Read first, then match: the one task goes on, everything else is a question. */
export function withTask(request: TaskRequest, then: (task: KnownTask) => ClauseOutcome): ClauseOutcome {
  const { type, clause, context } = request;
  if (!context.tasks) return readListFirst(type, clause.reference);
  const found = findTask(type, emojiReference(clause) ?? clause.reference, context);
  if (found.kind !== 'one') return askWhichTask(request, found);
  const outcome = then(found.task);
  return { ...outcome, because: `${found.how}; ${outcome.because}` };
}

/** Only open tasks can be completed; where none of them fits, one that is done already may. */
export function findTask(
  type: Change,
  reference: TaskReference | undefined,
  context: ClauseContext,
): Resolved {
  const scope = scopeOf(context);
  // A delete is asked about anyway; any other change of a task that nobody named is asked about here.
  if (type !== 'DELETE_TASK' && !isSpecific(reference, scope.tasks)) return unnamedTask(type, scope.tasks);
  return type === 'COMPLETE_TASK' ? findOpenTask(reference, scope) : resolveTask(reference, scope);
}

function scopeOf({ tasks, shown, recent }: ClauseContext): TaskScope {
  const all = tasks?.tasks ?? [];
  const partial = all.length < (tasks?.total ?? 0);
  return { tasks: all, partial, ...(shown && { shown }), ...(recent !== undefined && { recent }) };
}

function findOpenTask(reference: TaskReference | undefined, scope: TaskScope): Resolved {
  // What was spoken of is meant even if it is done; otherwise "that one" would be some other task.
  const spokenOf = reference?.kind === 'recent' ? (reference.task_id ?? scope.recent) : undefined;
  const isSpokenOf = scope.tasks.some(({ task_id }) => task_id === spokenOf);
  const candidates = isSpokenOf ? scope.tasks : scope.tasks.filter(({ status }) => status === 'pending');
  const open = resolveTask(reference, { ...scope, tasks: candidates });
  if (open.kind === 'one' || open.kind === 'several') return open;
  const done = resolveTask(reference, scope);
  return done.kind === 'one' ? done : open;
}

/** "Complete 🎉" has no words, but does not mean what was spoken of last. */
function emojiReference({ text, reference }: MessageClause): TaskReference | undefined {
  const pictures = reference?.kind === 'recent' && !reference.task_id ? emojiIn(text) : [];
  return pictures.length > 0 ? { kind: 'title', text: pictures.join('') } : undefined;
}

/** "The task" and "one" say no more than nothing, unless a task is called so. */
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
    because:
      'the list is read first, to find the one task that is meant; none or several would be asked about',
  };
}

/** "Milk and bread" are two tasks where no one task is called so, and each of the two is one. */
export function splitNamedTasks(clause: MessageClause, context: ClauseContext): MessageClause[] {
  const { user_intent: intent, reference } = clause;
  const type = intent.intent_type;
  if ((type !== 'COMPLETE_TASK' && type !== 'DELETE_TASK') || reference?.kind !== 'title') return [clause];
  const parts = partsOf(reference.text).map((text) => ({ kind: 'title' as const, text }));
  if (parts.length < 2 || !context.tasks || findTask(type, reference, context).kind === 'one')
    return [clause];
  const found = parts.map((part) => findTask(type, part, context));
  // Every word must be of the title: "then delete bread" is no name for "bread".
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
