import type { MessageClause } from '../../contract/chat.ts';
import { findTask } from './find-task.ts';
import type { ClauseContext } from '../read/readings.ts';
import { partsOf } from './resolve-all.ts';
import { wordsOf } from '../reply/task-words.ts';
import { isWithin, titleOf } from '../reply/title-words.ts';

/** "Milk and bread" are two tasks where no one task is called so, and each of the two is one. */
export function eachNamed(clause: MessageClause, context: ClauseContext): MessageClause[] {
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
      one.kind === 'one' && isWithin(wordsOf(parts[i]!.text).content, titleOf(one.task).stems)
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
