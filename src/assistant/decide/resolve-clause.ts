import type { MessageClause, IntentType } from '../../contract/chat.ts';
import { resolveComplete, resolveDelete, resolveUpdate, askToChange } from './resolve-change.ts';
import { step, tooLongQuestion, type ClauseContext, type ClauseOutcome } from './clause-outcome.ts';
import { smallTalkReply } from '../reply/small-talk.ts';
import { quote, SHOW_WISH, shorten } from '../reply/wording.ts';
import { type Change, intentQuestion } from './questions.ts';
import type { KnownTask } from '../context.ts';
import { askWhichTask, findTask } from './find-task.ts';
import { newTextOf } from './new-text.ts';
import { resolveUndo, undoRequest } from './undo.ts';

/** What one clause leads to. Pure. */
export function resolveClause(clause: MessageClause, context: ClauseContext): ClauseOutcome {
  const { user_intent: intent } = clause;
  const undo = undoOf(clause, context);
  if (undo) return resolveUndo(undo, clause, context);
  switch (intent.intent_type) {
    case 'CREATE_TASK':
      return resolveCreate(intent.extracted_params.description, clause, context);
    case 'LIST_TASKS':
      return resolveList(clause, context);
    case 'COMPLETE_TASK':
      return resolveComplete(clause, context);
    case 'UPDATE_TASK':
      return resolveUpdate(clause, context);
    case 'DELETE_TASK':
      return resolveDelete(clause, context);
    case 'GENERAL_CHAT':
      return {
        kind: 'say',
        text: smallTalkReply(clause.text, lastReply(context)),
        because: 'it is not about a task',
      };
    case 'AMBIGUOUS':
      return resolveUnclear(clause, intent.extracted_params.possible_intents, context);
    case 'CONFIRM_YES':
      return {
        kind: 'say',
        text: 'There is nothing waiting for a yes, so nothing was done. Say “show my tasks” to see your list.',
        because: 'a yes, but nothing is pending',
      };
    case 'CONFIRM_NO':
      return {
        kind: 'say',
        text: 'All right, nothing was changed.',
        because: 'a no, but nothing is pending',
      };
    default:
      return intent satisfies never;
  }
}

function lastReply({ message_history }: ClauseContext): string | undefined {
  return message_history.findLast(({ role }) => role === 'assistant')?.content;
}

function undoOf(clause: MessageClause, context: ClauseContext) {
  const undo = undoRequest(clause, context.undo);
  return undo?.kind === 'reopen' || !namesTitle(clause, context) ? undo : undefined;
}

function namesTitle({ reference }: MessageClause, { tasks }: ClauseContext): boolean {
  return (
    reference?.kind === 'title' &&
    tasks?.tasks.some(({ description }) => description === reference.text) === true
  );
}

const NO_REMINDERS = 'I send no reminders; what you said of the time stays in the text.';

/** Said once, of the first task that is asked for as a reminder. */
function reminderNote({ text }: MessageClause, { message_history }: ClauseContext): string {
  const isToldBefore = message_history.some(({ content }) => content.includes(NO_REMINDERS));
  return /\bremind(?:er)?\b/i.test(text) && !isToldBefore ? ` ${NO_REMINDERS}` : '';
}

/** "Add a task to my list". */
const LIST_ALONE = /^(?:my|the|our) (?:to-?do |to do |task )*list$/i;

function resolveCreate(
  description: string | undefined,
  clause: MessageClause,
  context: ClauseContext,
): ClauseOutcome {
  const text = description?.trim();
  if (!text || LIST_ALONE.test(text)) {
    return {
      kind: 'ask',
      question: 'What should I put on your list? Say “add buy milk”, for example.',
      open: { about: 'CREATE_TASK' },
      because: 'the text of the new task is missing',
    };
  }
  const add = step(
    { tool_name: 'add_task', parameters: { user_id: context.user_id, description: text } },
    `I have added ${quote(text)} to your list.${reminderNote(clause, context)}`,
    `add ${shorten(text)}`,
  );
  return (
    tooLongQuestion(text, { about: 'CREATE_TASK' }) ?? {
      kind: 'do',
      steps: [add],
      because: 'adding needs no confirmation',
    }
  );
}

function resolveList({ filter }: MessageClause, { user_id, shown }: ClauseContext): ClauseOutcome {
  const list = step({ tool_name: 'list_tasks', parameters: { user_id } }, '', SHOW_WISH);
  const part = filter && { filter: { ...filter, ...(filter.more && shown && { shown }) } };
  return { kind: 'do', steps: [{ ...list, ...part }], because: 'the list is asked for' };
}

const BECAUSE = 'it is not clear what is wanted';

/** A possible command about a task. Checks the list for the task before the person is asked. */
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

/** One task matches: asks with its title. */
function askWhether(type: Change, task: KnownTask, clause: MessageClause): ClauseOutcome {
  if (type === 'DELETE_TASK')
    return { kind: 'delete', tasks: [task], because: 'a delete needs confirmation' };
  const named: MessageClause = { ...clause, reference: { kind: 'title', text: task.description } };
  if (type === 'COMPLETE_TASK') return askAnyway(named, [type]);
  const { text } = newTextOf(task, clause);
  return text ? askToChange(task, text, clause) : askAnyway(named, [type]);
}
