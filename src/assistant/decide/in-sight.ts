import type { KnownTask, TasksInSight } from '../context.ts';
import { isSlip, wordsOf } from '../reply/task-words.ts';

const ALL_UP_TO = 200;

/** What of a list a decision can need: all of it, or of a very long one what the message may mean. It is stored with each message. */
export function inSight(
  list: { tasks: KnownTask[]; total: number },
  { message, ids }: { message: string; ids: ReadonlySet<string> },
): TasksInSight {
  const { tasks, total } = list;
  const listed = tasks.length;
  if (listed <= ALL_UP_TO) return { tasks, listed, total };
  const words = [...wordsOf(message).content];
  const isMeant = (task: KnownTask) => {
    const said = [...wordsOf(task.description).content];
    return words.some((word) => said.some((other) => isSlip(word, other)));
  };
  const meant = tasks.filter((task) => ids.has(task.task_id) || isMeant(task));
  // More than can be stored are more than can be told apart; the ones spoken of stay.
  const kept = meant.filter((task, i) => i < ALL_UP_TO || ids.has(task.task_id));
  return { tasks: kept, listed, total };
}
