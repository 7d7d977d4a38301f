import type { MessageClause } from '../contract/assistant.ts';
import { askWhat } from './ask.ts';
import { readComplete, readDelete, readUpdate } from './read-change.ts';
import { step, tooLong, type ClauseContext, type Reading } from './readings.ts';
import { smallTalk } from './small-talk.ts';
import { quote, shortened } from './wording.ts';

/** One clause against what is known. Looks at nothing but its arguments. */
export function readClause(clause: MessageClause, context: ClauseContext): Reading {
  const { user_intent: intent } = clause;
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
      return {
        kind: 'ask',
        question: askWhat(clause, intent.extracted_params.possible_intents),
        because: 'it is not clear what is wanted',
      };
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
  return tooLong(text) ?? { kind: 'do', steps: [add], because: 'adding needs no question' };
}

function readList(user_id: string): Reading {
  const list = step({ tool_name: 'list_tasks', parameters: { user_id } }, '', 'show my tasks');
  return { kind: 'do', steps: [list], because: 'the list is asked for' };
}
