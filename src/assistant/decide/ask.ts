import type { MessageClause, TaskReference } from '../../contract/chat.ts';
import type { KnownTask, OpenQuestion } from '../context.ts';
import { count, numbered, quote } from '../reply/wording.ts';
import type { Resolved } from './resolve-task.ts';

export type Change = 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';

const VERB: Record<Change, string> = {
  COMPLETE_TASK: 'mark as done',
  UPDATE_TASK: 'change',
  DELETE_TASK: 'delete',
};

/** How many tasks a question names. */
const MOST_NAMED = 10;

export interface Asked {
  question: string;
  shown?: string[];
  /** What a bare answer answers; null: nothing. Absent: which task is meant. */
  open?: OpenQuestion | null;
}

/** Several fit: all are named, and numbered for the answer. */
export function askAmong(type: Change, tasks: readonly KnownTask[], opening = 'Which one should I'): Asked {
  const named = tasks.slice(0, MOST_NAMED);
  const rest = tasks.length > named.length ? `\n… and ${tasks.length - named.length} more` : '';
  return {
    question: `${opening} ${VERB[type]}?\n${numbered(named)}${rest}\nSay its number, or its name. Nothing was changed yet.`,
    shown: named.map(({ task_id }) => task_id),
  };
}

export function askNone(
  type: Change,
  found: Extract<Resolved, { kind: 'none' | 'no_such_position' }>,
  { reference, tasks }: { reference: TaskReference | undefined; tasks: readonly KnownTask[] },
): Asked {
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
      ? 'The task at that place is no longer on your list.'
      : `There is no task at that place: ${found.shown ? 'the list that I showed last' : 'your list'} has ${count(found.length, 'task')}.`;
    return { question: `${why} Which one do you mean? Say “show my tasks” to see them.` };
  }
  const missing = reference ? `I found no task that fits ${quote(reference.text)}. ` : '';
  if (found.near.length > 0) {
    const opening =
      found.near.length === 1 ? 'Is it this one that I should' : 'Is it one of these that I should';
    const near = askAmong(type, found.near, opening);
    return { ...near, question: missing + near.question };
  }
  if (candidates.length > MOST_NAMED)
    return { question: `${missing}Which one do you mean? Say “show my tasks” to see them all.` };
  const among = askAmong(type, candidates);
  return { ...among, question: missing + among.question };
}

const SHOW: MessageClause = {
  text: 'show my tasks',
  user_intent: { intent_type: 'LIST_TASKS', extracted_params: {} },
  reasons: [],
};
