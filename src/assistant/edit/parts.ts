import { swapped } from '../decide/new-text.ts';
import { isAmbiguousTime, isTimeText } from '../decide/new-time.ts';
import { titleWords, wordsOf } from '../reply/task-words.ts';
import { CHANGE } from './forms.ts';
import { hasTitle, nameTask, unquoted, type EditScope, type NamedTask } from './name-task.ts';
import { withValue, type Edit } from './new-title.ts';

const NOTE =
  /^(?:add|put|write|append) (?:an? |the )?(?:note|comment|detail|remark) (?:to|on|for|in) (?<name>.{1,200}?) ?(?::|saying|that says) ?(?<put>.{1,200})$/i;
const ADDITIONS = [
  NOTE,
  /^(?:add|append|attach|include) (?<put>.{1,200}?) (?:to|onto|in|into|on)(?: the end of)? (?<name>.{1,200})$/i,
  new RegExp(
    `^(?:${CHANGE}|extend|expand) (?<name>.{1,200}?) to (?:also )?(?:include|mention|cover|add(?!.* to )) (?<put>.{1,200})$`,
    'i',
  ),
  /^(?<name>\d{1,2}|the \w+(?: one)?) (?:also|plus) (?<put>.{1,200})$/i,
  /^add to (?<name>.{1,200}?) ?: ?(?<put>.{1,200})$/i,
];
/** More of a text: the task is named by its place, its title, or as a task. */
export function addition(core: string, scope: EditScope): Edit | undefined {
  for (const form of ADDITIONS) {
    const { put = '', name = '' } = form.exec(core)?.groups ?? {};
    const named = name === '' ? undefined : nameTask(name, scope);
    const edit = named && named.by !== 'pronoun' ? appended(named, put, form === NOTE) : undefined;
    if (edit) return edit;
  }
  return undefined;
}

function appended(
  { task, isWhole, isThing, said }: NamedTask,
  put: string,
  isNote: boolean,
): Edit | undefined {
  const { description } = task;
  const timed = isTimeText(put) ? withValue(description, put) : undefined;
  if (timed !== undefined) return { task, text: timed, isSure: !isAmbiguousTime(description, put) };
  const isQuoted = isNote || unquoted(put) !== put;
  const text = `${description}${isQuoted ? '' : ' and'} ${unquoted(put)}`;
  const isOne = isWhole || isQuoted;
  const own = titleWords(task).stems;
  const isNamedPlainly =
    isThing === true &&
    wordsOf(said).content.size > 1 &&
    ![...wordsOf(put).stems].some((word) => own.has(word));
  return isOne || isNamedPlainly ? { task, text, isSure: isOne } : undefined;
}

const REMOVES =
  /^(?:remove|drop|delete|erase|cut|strip|take|leave)(?: out| away| off)? (?:the (?:word|words|part|bit) |the )?(?<part>.{1,120}?) (?:from|out of|off|in) (?<name>.{1,200})$/i;
/** "Drop the “for 2 nights” from the hotel": the text without this part. */
export function removal(core: string, scope: EditScope): Edit | undefined {
  const { part, name } = REMOVES.exec(core)?.groups ?? {};
  const named = part === undefined || name === undefined ? undefined : nameTask(name, scope);
  const isOther = named?.by !== 'title' && hasTitle(core, scope.tasks);
  if (!named || named.by === 'pronoun' || isOther) return undefined;
  const text = without(named.task.description, unquoted(part!));
  return text ? { task: named.task, text, isSure: true } : undefined;
}

const LINKS = '(?:on|at|in|with|for|to|from|by|and)';
const LOOSE = new RegExp(` ${LINKS}(?= ${LINKS} |$)`, 'gi');
/** Without the words that only led to the part. */
function without(description: string, part: string): string | undefined {
  return swapped(description, part, '')
    ?.replace(/ {2,}/g, ' ')
    .replace(/ ?,(?= ?(?:,|$))|^ ?,/g, '')
    .replace(LOOSE, '')
    .trim();
}
