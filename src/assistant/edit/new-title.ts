import type { KnownTask } from '../context.ts';
import { swapped } from '../decide/new-text.ts';
import { atNewTime, hasClock, hasDay, isTimeText } from '../decide/new-time.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { titleWords, wordsOf } from '../reply/task-words.ts';
import { blend, isSameAmount } from './blend.ts';
import type { NamedTask } from './name-task.ts';

/** What a task says after an edit. */
export interface NewTitle {
  text: string;
  /** No word is lost that the person may want to keep. */
  isSure: boolean;
}

/** A task, and what it is to say. */
export interface Edit extends NewTitle {
  task: KnownTask;
  /** A plain command, even where it is asked about. */
  isOrder?: boolean;
}

/** How the new words were given: as the text ("rename", "should say", after a colon), or as what changes. */
export type Manner = 'text' | 'change';

/** The title with the new words: all of it, or the part that they are about. */
export function newTitle(named: NamedTask, said: string, manner: Manner): NewTitle | undefined {
  const { task, isWhole } = named;
  const value = withValue(task.description, said);
  if (value !== undefined && !(manner === 'text' && named.by === 'title'))
    return { text: value, isSure: true };
  if (startsAlike(said, task) && isAbout(named, said) && (isWhole || !isPart(named, said)))
    return { text: said, isSure: true };
  return isWhole ? wholeTitle(named, said, manner) : withPart(named, said, manner);
}

export function startsAlike(said: string, { description }: KnownTask): boolean {
  const [a, b] = [firstWord(said), firstWord(description)];
  const isMore = said.split(/\s+/).length > 1;
  return isMore && a === b && a !== '';
}

/** The new text still has the words that named the task. */
function isAbout({ by, said: name }: NamedTask, said: string): boolean {
  const { content } = wordsOf(said);
  return by !== 'words' || [...wordsOf(name).content].every((word) => content.has(word));
}

/** Words that stand together in the title, where the new text does not have the others. */
function isPart({ task: { description }, said: part }: NamedTask, said: string): boolean {
  const rest = swapped(description, part, ' ');
  const { content } = wordsOf(said);
  return rest !== undefined && ![...wordsOf(rest).content].every((word) => content.has(word));
}

function wholeTitle(named: NamedTask, said: string, manner: Manner): NewTitle {
  const { task, by } = named;
  const mixed = manner === 'change' || by !== 'title' ? blend(task.description, said) : undefined;
  const isPart = mixed?.isAll && mixed.lost.length > 0 && said.length < task.description.length;
  if (isPart) return { text: mixed.text, isSure: manner === 'change' };
  const isText = manner === 'text' && (said.includes(' ') || titleWords(task).content.size < 2);
  return { text: said, isSure: by === 'title' || isText || isLike(named, said) || isOther(named, said) };
}

/** "Change 5 to kitchen roll": as long as the old text, and nothing in common with it. */
function isOther({ by, task }: NamedTask, said: string): boolean {
  const { content } = wordsOf(said);
  const own = titleWords(task).content;
  return (
    by === 'place' &&
    content.size > 1 &&
    content.size >= own.size &&
    [...own].every((word) => !content.has(word))
  );
}

/** Like the old text: nothing that it said is likely to be missed. */
function isLike(named: NamedTask, said: string): boolean {
  const { content } = wordsOf(said);
  const own = titleWords(named.task).content;
  const isShared = own.size === 1 || [...own].some((word) => content.has(word));
  return isAbout(named, said) && (isAction(said) || own.size === 1 || (named.by !== 'words' && isShared));
}

/** "Change milk to oat milk": only the words that were named. */
function withPart(named: NamedTask, said: string, manner: Manner): NewTitle | undefined {
  const { task, said: part } = named;
  if (manner === 'change' && !isOtherAction(named, said)) {
    const title = partly(named, said);
    if (title) return title;
  }
  const own = titleWords(task).content;
  const isKept = [...own].every((word) => wordsOf(said).content.has(word));
  return { text: said, isSure: manner === 'text' && (isKept || wordsOf(part).content.size === own.size) };
}

/** Both texts say what to do, and the words that were named do not begin the old one. */
function isOtherAction({ task: { description }, said: part }: NamedTask, said: string): boolean {
  const isBegun = description.toLowerCase().startsWith(part.toLowerCase());
  return said.includes(' ') && isAction(said) && isAction(description) && !isBegun;
}

/** "Change the lights to blue" may be said of the lights. */
function isQuality(named: NamedTask, said: string): boolean {
  return named.isThing === true && !named.said.includes(' ') && !isAbout(named, said);
}

function partly(named: NamedTask, said: string): NewTitle | undefined {
  const { task, said: part } = named;
  const mixed = blend(task.description, said);
  const isValue = mixed?.isAll && mixed.changes === 1 && (mixed.shared > 0 || mixed.lost[0] === part);
  if (isValue) return { text: mixed.text, isSure: true };
  const text = swapped(task.description, part, said);
  if (text !== undefined) return { text, isSure: !isQuality(named, said) };
  if (!mixed || mixed.shared === 0) return undefined;
  return { text: mixed.text, isSure: mixed.isAll || (mixed.isPlain && mixed.lost.length === 0) };
}

const firstWord = (text: string) => /^[\p{L}\p{M}'’]+/u.exec(text.toLowerCase())?.[0] ?? '';
export const isAction = (text: string) => ACTION_VERBS.has(firstWord(text));

const LEADS =
  /^(?:(?:to|at|on|in|for|the(?! \d)|every|each|under|over|about|due|by|is|are|be|now|moved|from)\s+)+/i;
const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december';
/** Values of one kind: in the place of one comes another. */
const VALUES = [/\b(?:morning|afternoon|evening|night)\b/gi, new RegExp(`\\b(?:${MONTHS})\\b`, 'gi')];

const UNIT_APART = /^(\d[\d.,]*) (\p{L}{1,3})$/u;
/** "4pm", "saturday", "evening", "$30": a value takes the place of the one of its kind; a time that was not there is added. */
export function withValue(title: string, said: string): string | undefined {
  return withLedBy(title, said) ?? withKind(title, said);
}

function withKind(title: string, said: string): string | undefined {
  const bare = said.replace(LEADS, '').replace(/,? (?:now|instead)$/i, '');
  for (const kind of VALUES) {
    const [own, another] = title.match(kind) ?? [];
    if (own && !another && bare.match(kind)?.[0] === bare) return swapped(title, own, bare);
  }
  if (isTime(bare, title))
    return atNewTime(title, /^(?:by|before|until|till|on|at) /i.test(said) ? said : bare);
  const amounts =
    title
      .match(/[#$€£]?\d[\d.,]*\p{L}{0,3}%?/gu)
      ?.filter((own) => isSameAmount(own, bare.replace(UNIT_APART, '$1$2'))) ?? [];
  return amounts.length === 1 ? swapped(title, amounts[0]!, bare) : undefined;
}

const LED = /^(?<lead>to|with|from|in|at) (?<rest>(?:(?!(?:to|with|from|in|at|on|for|and) ).)+)$/i;
/** "To Milan", "with Kim": in the place of the one thing that the same word leads to, if that ends the title. */
function withLedBy(title: string, said: string): string | undefined {
  const { lead, rest } = LED.exec(said)?.groups ?? {};
  if (lead === undefined || isTimeText(rest!)) return undefined;
  const [own, another] = [
    ...title.matchAll(new RegExp(`(?<=\\s${lead} )(?:(?!(?:to|with|from|in|at|on|for|and) )\\S+ ?)+`, 'gi')),
  ];
  if (!own || another || isTimeText(own[0].trim())) return undefined;
  return `${title.slice(0, own.index)}${rest}${title.slice(own.index).slice(own[0].trimEnd().length)}`;
}

function isTime(text: string, title: string): boolean {
  return isTimeText(text) && (!/^\d{1,2}$/.test(text) || hasClock(title));
}

/** Whether a value of this kind stands in the title already. */
export function replacesValue(title: string, said: string): boolean {
  const text = withValue(title, said);
  const mixed = text === undefined ? blend(title, said) : undefined;
  if (text === undefined) return mixed?.isAll === true && mixed.changes === 1;
  return isTimeText(said.replace(LEADS, '')) ? hasClock(title) || hasDay(title) : true;
}
