import type { IntentType, MessageClause } from '../../contract/chat.ts';
import type { Change } from '../decide/ask.ts';
import { askWhat } from '../decide/ask-what.ts';
import type { KnownTask } from '../context.ts';
import { askWhich, findTask } from '../decide/find-task.ts';
import { newTextOf } from './new-text.ts';
import { askToChange } from './read-change.ts';
import type { ClauseContext, Reading } from './readings.ts';

const BECAUSE = 'it is not clear what is wanted';

/** What may be an order about a task. Where the list was read, it says whether there is such a task, before anybody is asked about it. */
export function readUnclear(
  clause: MessageClause,
  possible: readonly IntentType[],
  context: ClauseContext,
): Reading {
  const { reference } = clause;
  const [likely, another] = possible;
  const asked = askAnyway(clause, possible);
  if (!isChange(likely) || another !== undefined || reference?.kind !== 'title' || context.tasks === null)
    return asked;
  if (!context.tasks) return { ...asked, readFirst: true };
  const found = findTask(likely, reference, context);
  return found.kind === 'one'
    ? askWhether(likely, found.task, clause)
    : askWhich({ type: likely, clause, context }, found);
}

function askAnyway(clause: MessageClause, possible: readonly IntentType[]) {
  return { kind: 'ask' as const, ...askWhat(clause, possible), because: BECAUSE };
}

function isChange(type: IntentType | undefined): type is Change {
  return type === 'COMPLETE_TASK' || type === 'UPDATE_TASK' || type === 'DELETE_TASK';
}

/** One task fits: it is named by its own title, with what would become of it. */
function askWhether(type: Change, task: KnownTask, clause: MessageClause): Reading {
  if (type === 'DELETE_TASK') return { kind: 'delete', task, because: 'a delete is asked about first' };
  const named: MessageClause = { ...clause, reference: { kind: 'title', text: task.description } };
  if (type === 'COMPLETE_TASK') return askAnyway(named, [type]);
  const { text } = newTextOf(task, clause);
  return text ? askToChange(task, text, clause) : askAnyway(named, [type]);
}
