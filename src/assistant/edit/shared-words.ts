import { tasksWithTitle } from '../command/match-title.ts';
import { isTimeText } from '../decide/new-time.ts';
import { isSubset, titleWords, wordsOf } from '../reply/task-words.ts';
import type { KnownTask } from '../context.ts';
import { blend } from './blend.ts';
import { withoutName } from './correction.ts';
import { spokenOf, type EditScope } from './name-task.ts';
import { startsAlike, withValue } from './new-title.ts';
import type { Edit } from './new-title.ts';

const ASKS =
  /^(?:(?:no,? )?(?:make|set|change|have|let's make|let's do|let's have|do|put) (?:it|that|this)(?: to| say| be)?|(?:it|that|this) (?:should|must|needs to|has to) (?:be|say)|(?:it's|it is|that's|i meant|i mean|actually)|i'll|i will|we'll|we will) /i;
const IT = /\b(?:it|that|this)(?: to| say| be)? $|^(?:it|that|this) (?:should|must|needs|has)/i;
const INSTEAD = /,? (?:instead|rather)$/i;
const LEAST_SHARED = 2;

/** The message repeats a part of a task with something new in it: "make it chapter 4", "meet Tom in the cafe instead". */
export function sharedEdit(core: string, scope: EditScope): Edit | undefined {
  const asks = ASKS.exec(core);
  if (!asks && !INSTEAD.test(core)) return undefined;
  const said = core.replace(INSTEAD, '').slice(asks?.[0].length ?? 0);
  const isIt = asks !== null && IT.test(asks[0]);
  const spoken = isIt ? spokenOf(scope) : undefined;
  return (
    (spoken && ofSpoken(spoken, said)) ?? (isIt ? ofOne(said, scope.tasks) : ofSharing(said, scope.tasks))
  );
}

/** "Dentist at 10", "return books by the 20th": what one task says, at another time, or with more in it. */
export function restated(core: string, { tasks }: EditScope): Edit | undefined {
  const task = core.length > LONGEST_RESTATED ? undefined : sharing(core, tasks);
  const own = task && titleWords(task).stems;
  const words = core.replace(/,? (?:from now on|now)$/i, '').split(/\s+/);
  const at = words.findIndex((_, i) => i > 0 && isTimeText(words.slice(i).join(' ')));
  if (!own || at < 1 || !words.slice(0, at).every((word) => isSubset(wordsOf(word).stems, own)))
    return undefined;
  const text = withValue(task.description, words.slice(at).join(' '));
  return text === undefined || text === task.description ? undefined : { task, text, isSure: false };
}
const LONGEST_RESTATED = 100;

const AFTER_COLON = /^(?<name>[^:]{1,120}): (?<said>.{1,300})$/;
/** "Lunch is with Sara too: lunch with Omar and Sara": after a colon the new text of the one task that is like it. */
export function textAfterColon(core: string, { tasks }: EditScope): Edit | undefined {
  const { said, name = '' } = AFTER_COLON.exec(core)?.groups ?? {};
  const task = said === undefined ? undefined : sharing(said, tasks);
  const isNamed = [...wordsOf(name).content].some((word) => task && titleWords(task).content.has(word));
  const isLike =
    isNamed &&
    task &&
    tasksWithTitle(said!, tasks).length === 0 &&
    startsAlike(said!, task) &&
    blend(task.description, said!)!.shared >= LEAST_SHARED;
  return isLike ? { task, text: said!, isSure: true } : undefined;
}

function ofSpoken(task: KnownTask, said: string): Edit | undefined {
  const value = withValue(task.description, said);
  if (value !== undefined) return { task, text: value, isSure: true };
  const mixed = blend(task.description, said);
  if (!mixed || mixed.shared + Number(mixed.isAll) === 0) return undefined;
  return { task, text: mixed.text, isSure: mixed.isAll || mixed.isPlain };
}

/** "Make it 10 stamps": the task that this is like. */
function ofOne(said: string, tasks: readonly KnownTask[]): Edit | undefined {
  const task = sharing(said, tasks);
  const mixed = task && blend(task.description, said);
  if (!mixed) return undefined;
  const isSlip = mixed.isAll && mixed.shared > 0;
  return { task, text: mixed.text, isSure: isSlip || (mixed.isPlain && mixed.lost.length === 0) };
}

/** "Run on saturday instead": the one task that shares the most words with the text. */
function ofSharing(said: string, tasks: readonly KnownTask[]): Edit | undefined {
  const task = sharing(said, tasks);
  if (!task) return undefined;
  const value = withValue(task.description, withoutName(said, task));
  if (value !== undefined) return { task, text: value, isSure: true };
  const mixed = blend(task.description, said);
  const isMore = mixed?.lost.length === 0 && startsAlike(said, task);
  const isLike = mixed && (isMore || mixed.lost.length > 0) && (mixed.shared >= LEAST_SHARED || mixed.isAll);
  return isLike ? { task, text: mixed.text, isSure: mixed.isAll && mixed.shared > 0 } : undefined;
}

/** The one task that shares the most words with a text; none if two share as many. */
function sharing(text: string, tasks: readonly KnownTask[]): KnownTask | undefined {
  const { content } = wordsOf(text);
  const scored = tasks.map((task) => ({
    task,
    score: [...content].filter((word) => titleWords(task).content.has(word)).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  const [found, another] = best === 0 ? [] : scored.filter(({ score }) => score === best);
  return another ? undefined : found?.task;
}
