import type { MessageClause } from '../../contract/chat.ts';
import { CANNOT_TAKE_BACK, takesBack } from './made-undone.ts';
import { readComplete, readDelete, readUpdate } from './read-change.ts';
import { step, tooLong, type ClauseContext, type Reading } from './readings.ts';
import { readUnclear } from './read-unclear.ts';
import { smallTalk } from '../reply/small-talk.ts';
import { quote, SHOW_WISH, shortened } from '../reply/wording.ts';

/** One clause against what is known. Looks at nothing but its arguments. */
export function readClause(clause: MessageClause, context: ClauseContext): Reading {
  const { user_intent: intent } = clause;
  if (isWishToTakeBack(clause) && !namesTitle(clause, context))
    return { kind: 'say', text: CANNOT_TAKE_BACK, because: 'what was done cannot be taken back' };
  switch (intent.intent_type) {
    case 'CREATE_TASK':
      return readCreate(intent.extracted_params.description, context.user_id);
    case 'LIST_TASKS':
      return readList(context.user_id);
    case 'COMPLETE_TASK':
      return readComplete(clause, context);
    case 'UPDATE_TASK':
      return readUpdate(clause, context);
    case 'DELETE_TASK':
      return readDelete(clause, context);
    case 'GENERAL_CHAT':
      return { kind: 'say', text: smallTalk(clause.text), because: 'it is no task' };
    case 'AMBIGUOUS':
      return readUnclear(clause, intent.extracted_params.possible_intents, context);
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
function isWishToTakeBack({ text, user_intent: { intent_type } }: MessageClause): boolean {
  return intent_type !== 'CREATE_TASK' && intent_type !== 'DELETE_TASK' && takesBack(text);
}

function namesTitle({ reference }: MessageClause, { tasks }: ClauseContext): boolean {
  return (
    reference?.kind === 'title' &&
    tasks?.tasks.some(({ description }) => description === reference.text) === true
  );
}

function readCreate(description: string | undefined, user_id: string): Reading {
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
    `add ${shortened(text)}`,
  );
  return (
    tooLong(text, { about: 'CREATE_TASK' }) ?? {
      kind: 'do',
      steps: [add],
      because: 'adding needs no question',
    }
  );
}

function readList(user_id: string): Reading {
  const list = step({ tool_name: 'list_tasks', parameters: { user_id } }, '', SHOW_WISH);
  return { kind: 'do', steps: [list], because: 'the list is asked for' };
}
