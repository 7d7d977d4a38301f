import type { MessageClause, TaskReference, IntentType, UserIntent } from '../../contract/chat.ts';
import type { KnownTask, OpenQuestion } from '../context.ts';
import { countOf, numberedList, quote, shorten, joinWords } from '../reply/wording.ts';
import type { Resolved } from './resolve-task.ts';
import { tooLongQuestion } from './clause-outcome.ts';
import { isTimeText } from './new-time.ts';

export type Change = 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';

const VERB: Record<Change, string> = {
  COMPLETE_TASK: 'mark as done',
  UPDATE_TASK: 'change',
  DELETE_TASK: 'delete',
};

/** How many tasks a question names. */
const MOST_NAMED = 10;

export interface TaskQuestion {
  question: string;
  shown?: string[];
  /** What a short answer refers to; null: nothing. Absent: which task is meant. */
  open?: OpenQuestion | null;
}

/** Several tasks match: lists them with numbers. */
export function whichTaskQuestion(
  type: Change,
  tasks: readonly KnownTask[],
  opening = 'Which one should I',
): TaskQuestion {
  const named = tasks.slice(0, MOST_NAMED);
  const rest = tasks.length > named.length ? `\n… and ${tasks.length - named.length} more` : '';
  return {
    question: `${opening} ${VERB[type]}?\n${numberedList(named)}${rest}\nSay its number, or its name. Nothing was changed yet.`,
    shown: named.map(({ task_id }) => task_id),
  };
}

export function noTaskQuestion(
  type: Change,
  found: Extract<Resolved, { kind: 'none' | 'no_such_position' }>,
  { reference, tasks }: { reference: TaskReference | undefined; tasks: readonly KnownTask[] },
): TaskQuestion {
  if (tasks.length === 0)
    return {
      question: `Your list is empty, so there is nothing to ${VERB[type]}. Say “add buy milk”, for example, to put something on it.`,
      open: null,
    };
  const candidates =
    type === 'COMPLETE_TASK' ? tasks.filter(({ status }) => status === 'pending') : [...tasks];
  if (candidates.length === 0)
    return {
      question: 'Everything on your list is done already. Should I show it? Please say yes or no.',
      open: { about: 'THIS', clause: SHOW },
    };
  if (found.kind === 'no_such_position') {
    const why = found.gone
      ? 'The task at that position is no longer on your list.'
      : `There is no task at that position: ${found.shown ? 'the list that I showed last' : 'your list'} has ${countOf(found.length, 'task')}.`;
    return { question: `${why} Which one do you mean? Say “show my tasks” to see them.` };
  }
  const missing = reference ? `I found no task that fits ${quote(reference.text)}. ` : '';
  if (found.near.length > 0) {
    const opening =
      found.near.length === 1 ? 'Is it this one that I should' : 'Is it one of these that I should';
    const near = whichTaskQuestion(type, found.near, opening);
    return { ...near, question: missing + near.question };
  }
  if (candidates.length > MOST_NAMED)
    return { question: `${missing}Which one do you mean? Say “show my tasks” to see them all.` };
  const among = whichTaskQuestion(type, candidates);
  return { ...among, question: missing + among.question };
}

const SHOW: MessageClause = {
  text: 'show my tasks',
  user_intent: { intent_type: 'LIST_TASKS', extracted_params: {} },
  reasons: [],
};

export interface IntentQuestion {
  question: string;
  open?: OpenQuestion;
}

const UNCLEAR = 'I am not sure what to do with that, so I have changed nothing.';

/** Asks what is wanted: a yes/no question if one intent is likely; otherwise lists commands that would be understood. */
export function intentQuestion(clause: MessageClause, possible: readonly IntentType[]): IntentQuestion {
  const [likely, another] = possible;
  if (possible.includes('CONFIRM_YES')) return { question: NEITHER };
  if (likely !== undefined && another === undefined) return askWhether(clause, likely);
  const named = nameIn(clause);
  const short = named !== '' && Array.from(named).length <= EXAMPLE_LENGTH ? shorten(named) : '…';
  const wishes = possible.flatMap((type) => WISH[type]?.(short) ?? []);
  const options = wishes.length > 0 ? wishes : [WISH.CREATE_TASK!(short), WISH.LIST_TASKS!('')];
  return { question: `${UNCLEAR} You can say ${joinWords([...new Set(options)], 'or')}. Which is it?` };
}

const NEITHER =
  'I could not tell whether that is a yes or a no, so I have changed nothing. Say what you would like, “show my tasks” for example.';

const WISH: Partial<Record<IntentType, (text: string) => string>> = {
  CREATE_TASK: (text) => `“add ${text}”`,
  LIST_TASKS: () => '“show my tasks”',
  COMPLETE_TASK: (text) => `“complete ${text}”`,
  UPDATE_TASK: (text) => `“change ${text} to …”`,
  DELETE_TASK: (text) => `“delete ${text}”`,
};
const EXAMPLE_LENGTH = 40;
/** Verbs to remove from a text, since the examples add their own. */
const OWN_VERB =
  /^(?:(?:please|hey|hi|ok|okay)[\s,]+)*(?:add|create|put|note|complete|finish|mark|tick|check|cross|delete|remove|erase|drop|change|update|edit|rename|modify|show|list)(?:\s+off)?[\s:]+/i;

/** What the clause is about, without the verb. */
function nameIn({ text, reference }: MessageClause): string {
  return (reference?.text ?? text.replace(OWN_VERB, '')).trim().replace(/(?<![.?!…\s])[.?!…\s]+$/u, '');
}

/** The person's words, if they start with a verb; then a yes is enough. */
function guessIn(clause: MessageClause): string {
  return clause.reference || OWN_VERB.test(clause.text) ? nameIn(clause) : '';
}

function askWhether(clause: MessageClause, likely: IntentType): IntentQuestion {
  if (likely === 'LIST_TASKS')
    return yesNoQuestion('Should I show your tasks?', clause, { intent_type: likely, extracted_params: {} });
  const guess = guessIn(clause);
  if (likely === 'CREATE_TASK') return whetherToAdd(clause, guess);
  if (likely === 'COMPLETE_TASK' || likely === 'DELETE_TASK') return whetherThisTask(clause, likely, guess);
  return {
    question: `${UNCLEAR} Which task should I change, and what should it say? Say “change buy milk to buy oat milk”, for example.`,
  };
}

function whetherToAdd(clause: MessageClause, description: string): IntentQuestion {
  if (/\bremind\b/i.test(clause.text) && (description === '' || isTimeText(description)))
    return {
      question:
        'I send no reminders; I keep your list. What should I put on it? Say “add buy milk”, for example.',
      open: { about: 'CREATE_TASK' },
    };
  if (description === '')
    return { question: `${UNCLEAR} Should something go on your list? Say “add buy milk”, for example.` };
  const intent: UserIntent = { intent_type: 'CREATE_TASK', extracted_params: { description } };
  return (
    tooLongQuestion(description, { about: 'CREATE_TASK' }) ??
    yesNoQuestion(`Should I put ${quote(description)} on your list?`, clause, intent)
  );
}

function whetherThisTask(
  clause: MessageClause,
  intent_type: 'COMPLETE_TASK' | 'DELETE_TASK',
  task_reference: string,
): IntentQuestion {
  const isDelete = intent_type === 'DELETE_TASK';
  if (task_reference === '')
    return {
      question: `${UNCLEAR} Which task should I ${isDelete ? 'delete' : 'mark as done'}? Say its name, or “show my tasks”.`,
      open: { about: intent_type },
    };
  const named = quote(task_reference);
  const reference = clause.reference ?? { kind: 'title' as const, text: task_reference };
  return yesNoQuestion(
    isDelete ? `Do you want ${named} to be deleted?` : `Should I mark ${named} as done?`,
    { ...clause, reference },
    { intent_type, extracted_params: { task_reference } },
  );
}

/** A question whose yes requests this intent. */
function yesNoQuestion(
  question: string,
  { text, reference }: MessageClause,
  user_intent: UserIntent,
): IntentQuestion {
  const clause = { text, user_intent, reasons: [], ...(reference && { reference }) };
  return {
    question: `${question} Nothing was changed yet; please say yes or no.`,
    open: { about: 'THIS', clause },
  };
}
