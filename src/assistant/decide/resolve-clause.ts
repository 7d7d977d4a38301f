import type { MessageClause, IntentType } from '../../contract/chat.ts';
import { resolveComplete, resolveDelete, resolveUpdate, askToChange } from './resolve-change.ts';
import { step, tooLongQuestion, type ClauseContext, type ClauseOutcome } from './clause-outcome.ts';
import { smallTalkReply } from '../reply/small-talk.ts';
import { quote, SHOW_WISH, shorten } from '../reply/wording.ts';
import { type Change, intentQuestion } from './questions.ts';
import type { KnownTask } from '../context.ts';
import { askWhichTask, findTask } from './find-task.ts';
import { newTextOf } from './new-text.ts';

/** One clause against what is known. Looks at nothing but its arguments. */
export function resolveClause(clause: MessageClause, context: ClauseContext): ClauseOutcome {
  const { user_intent: intent } = clause;
  if (isUndoRequest(clause) && !namesTitle(clause, context))
    return { kind: 'say', text: CANNOT_UNDO, because: 'what was done cannot be taken back' };
  switch (intent.intent_type) {
    case 'CREATE_TASK':
      return resolveCreate(intent.extracted_params.description, context.user_id);
    case 'LIST_TASKS':
      return resolveList(context.user_id);
    case 'COMPLETE_TASK':
      return resolveComplete(clause, context);
    case 'UPDATE_TASK':
      return resolveUpdate(clause, context);
    case 'DELETE_TASK':
      return resolveDelete(clause, context);
    case 'GENERAL_CHAT':
      return { kind: 'say', text: smallTalkReply(clause.text), because: 'it is no task' };
    case 'AMBIGUOUS':
      return resolveUnclear(clause, intent.extracted_params.possible_intents, context);
    case 'CONFIRM_YES':
      return {
        kind: 'say',
        text: 'There is nothing waiting for a yes, so nothing was done. Say “show my tasks” to see your list.',
        because: 'a yes, and nothing is waiting',
      };
    case 'CONFIRM_NO':
      return {
        kind: 'say',
        text: 'All right, nothing was changed.',
        because: 'a no, and nothing is waiting',
      };
    default:
      return intent satisfies never;
  }
}

/** A new task may well be called "restore the backup". */
function isUndoRequest({ text, user_intent: { intent_type } }: MessageClause): boolean {
  return intent_type !== 'CREATE_TASK' && intent_type !== 'DELETE_TASK' && asksToUndo(text);
}

function namesTitle({ reference }: MessageClause, { tasks }: ClauseContext): boolean {
  return (
    reference?.kind === 'title' &&
    tasks?.tasks.some(({ description }) => description === reference.text) === true
  );
}

function resolveCreate(description: string | undefined, user_id: string): ClauseOutcome {
  const text = description?.trim();
  if (!text) {
    return {
      kind: 'ask',
      question: 'What should I put on your list? Say “add buy milk”, for example.',
      open: { about: 'CREATE_TASK' },
      because: 'a task is to be added, but not which',
    };
  }
  const add = step(
    { tool_name: 'add_task', parameters: { user_id, description: text } },
    `I have added ${quote(text)} to your list.`,
    `add ${shorten(text)}`,
  );
  return (
    tooLongQuestion(text, { about: 'CREATE_TASK' }) ?? {
      kind: 'do',
      steps: [add],
      because: 'adding needs no question',
    }
  );
}

function resolveList(user_id: string): ClauseOutcome {
  const list = step({ tool_name: 'list_tasks', parameters: { user_id } }, '', SHOW_WISH);
  return { kind: 'do', steps: [list], because: 'the list is asked for' };
}

/** Wishes to take back what was done. No tool can do that, so they are never taken for another wish. */
const UNDO =
  /^(?:please\s+|can you\s+|could you\s+)*(?:undo|revert|roll ?back|restore|reopen|re-open|uncheck|untick|unmark|un-?complete|bring back)\b|\b(?:as|is|are|to)\s+(?:not\s+(?:yet\s+)?(?:done|complete|completed|finished)|undone|unfinished|incomplete|open again|pending again)\b/i;

export function asksToUndo(text: string): boolean {
  return UNDO.test(text.trim());
}

export const CANNOT_UNDO =
  'I cannot take back what was done, so I have changed nothing. A task can be put on the list once more with “add …”, and its text changed with “change … to …”.';

const BECAUSE = 'it is not clear what is wanted';

/** What may be an order about a task. Where the list was read, it says whether there is such a task, before anybody is asked about it. */
export function resolveUnclear(
  clause: MessageClause,
  possible: readonly IntentType[],
  context: ClauseContext,
): ClauseOutcome {
  const { reference } = clause;
  const [likely, another] = possible;
  const asked = askAnyway(clause, possible);
  if (!isChange(likely) || another !== undefined || reference?.kind !== 'title' || context.tasks === null)
    return asked;
  if (!context.tasks) return { ...asked, readFirst: true };
  const found = findTask(likely, reference, context);
  return found.kind === 'one'
    ? askWhether(likely, found.task, clause)
    : askWhichTask({ type: likely, clause, context }, found);
}

function askAnyway(clause: MessageClause, possible: readonly IntentType[]) {
  return { kind: 'ask' as const, ...intentQuestion(clause, possible), because: BECAUSE };
}

function isChange(type: IntentType | undefined): type is Change {
  return type === 'COMPLETE_TASK' || type === 'UPDATE_TASK' || type === 'DELETE_TASK';
}

/** One task fits: it is named by its own title, with what would become of it. */
function askWhether(type: Change, task: KnownTask, clause: MessageClause): ClauseOutcome {
  if (type === 'DELETE_TASK') return { kind: 'delete', task, because: 'a delete is asked about first' };
  const named: MessageClause = { ...clause, reference: { kind: 'title', text: task.description } };
  if (type === 'COMPLETE_TASK') return askAnyway(named, [type]);
  const { text } = newTextOf(task, clause);
  return text ? askToChange(task, text, clause) : askAnyway(named, [type]);
}
