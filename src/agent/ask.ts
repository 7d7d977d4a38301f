import type { IntentType, MessageClause, TaskReference } from '../contract/assistant.ts';
import type { KnownTask } from './context.ts';
import { numbered, quote, shortened, together } from './wording.ts';
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
  reference: TaskReference | undefined,
  found: Extract<Resolved, { kind: 'none' | 'no_such_position' }>,
  tasks: readonly KnownTask[],
): Asked {
  if (tasks.length === 0)
    return { question: `Your list is empty, so there is nothing to ${VERB[type]}. What should I add?` };
  const candidates =
    type === 'COMPLETE_TASK' ? tasks.filter(({ status }) => status === 'pending') : [...tasks];
  if (candidates.length === 0)
    return { question: 'Everything on your list is done already. Should I show it? Say “show my tasks”.' };
  if (found.kind === 'no_such_position') {
    const why = found.gone
      ? 'The task at that place is no longer on your list.'
      : `There is no task at that place: the list has ${found.length}.`;
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

const WISH: Partial<Record<IntentType, (text: string) => string>> = {
  CREATE_TASK: (text) => `“add ${text}”`,
  LIST_TASKS: () => '“show my tasks”',
  COMPLETE_TASK: (text) => `“complete ${text}”`,
  UPDATE_TASK: (text) => `“change ${text} to …”`,
  DELETE_TASK: (text) => `“delete ${text}”`,
};
const EXAMPLE_LENGTH = 40;
/** The examples bring their own. */
const OWN_VERB =
  /^(?:please\s+)?(?:add|create|complete|finish|mark|delete|remove|change|update|edit|show|list)\s+/i;

/** Names what could be meant, in words that would be understood. */
export function askWhat({ text, reference }: MessageClause, possible: readonly IntentType[]): string {
  const named = (reference?.text ?? text.replace(OWN_VERB, ''))
    .trim()
    .replace(/(?<![.?!…\s])[.?!…\s]+$/u, '');
  const short = named !== '' && Array.from(named).length <= EXAMPLE_LENGTH ? shortened(named) : '…';
  const wishes = possible.flatMap((type) => WISH[type]?.(short) ?? []);
  const options = wishes.length > 0 ? wishes : [WISH.CREATE_TASK!(short), WISH.LIST_TASKS!('')];
  return `I am not sure what to do with that, so I have changed nothing. You can say ${together([...new Set(options)], 'or')}. Which is it?`;
}
