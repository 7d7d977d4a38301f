import type { TaskChange } from '../../contract/chat.ts';

/** The new text of a task, where it follows from the old one; undefined where it does not. */
export function changedDescription(old: string, change: TaskChange): string | undefined {
  switch (change.kind) {
    case 'replace':
      return change.text;
    case 'append':
      return `${old} and ${change.text}`;
    case 'swap':
      return swapped(old, change.from, change.text);
    case 'when':
      return atNewTime(old, change.text);
    default:
      return change satisfies never;
  }
}

/** The first place where `from` stands, as whole words and whatever its case. */
export function swapped(old: string, from: string, to: string): string | undefined {
  const at = old.toLowerCase().indexOf(from.toLowerCase());
  if (at < 0 || old.toLowerCase().length !== old.length) return undefined;
  const isWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  if (isWord(old[at - 1]) || isWord(old[at + from.length])) return undefined;
  return old.slice(0, at) + to + old.slice(at + from.length);
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DATE = `(?:(?:the )?\\d{1,2}(?:st|nd|rd|th)(?: of)?(?: ${MONTH})?|\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?)`;
const WEEK =
  '(?:today|tonight|tomorrow|(?:this |next )?(?:week|month|weekend|morning|afternoon|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const DAY = `(?:${WEEK}|${DATE})`;
const CLOCK = "(?:noon|midnight|\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)?)";
const ON_DAY = ` (?:(?:on|by|before|until|till|for) )?${DAY}`;
const AT_CLOCK = ` (?:at|by|before|around|until|till) ${CLOCK}`;
/** A day, a time, or both, at the end of a description: "on friday at 5pm". */
const TIME_AT_END = new RegExp(`(?:${ON_DAY}|${AT_CLOCK})+$`, 'i');
const DAY_THERE = new RegExp(`${ON_DAY}(?= |$)`, 'i');
const CLOCK_THERE = new RegExp(`${AT_CLOCK}(?= |$)`, 'i');
const ONLY_CLOCK = new RegExp(`^${AT_CLOCK}$`, 'i');
/** These say when on the day, too. */
const TIME_OF_DAY = /\b(?:tonight|morning|afternoon|evening)$|^in /i;
const BARE_CLOCK = new RegExp(`^${CLOCK}$`, 'i');
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i;
const PREPOSITION = /^(?:on|at|by|before|after|until|till|in|this|next) /i;

/** A new day leaves the time of day as it was, and a new time the day. */
function atNewTime(old: string, when: string): string {
  const text = withPreposition(when);
  const before = TIME_AT_END.exec(old)?.[0] ?? '';
  const rest = old.slice(0, old.length - before.length);
  const inside = before === '' ? timeInside(old, when) : undefined;
  if (inside !== undefined) return inside;
  if (rest === '') return `${old} ${text}`;
  return `${rest}${keptDay(before, text)} ${text}${keptClock(before, text)}`;
}

/** The old day, where the new time names none. */
function keptDay(before: string, text: string): string {
  return ONLY_CLOCK.test(` ${text}`) ? (DAY_THERE.exec(before)?.[0] ?? '') : '';
}

/** The old time of day, where the new one names none. */
function keptClock(before: string, text: string): string {
  const saysClock = CLOCK_THERE.test(` ${text}`) || TIME_OF_DAY.test(text);
  return saysClock ? '' : (CLOCK_THERE.exec(before)?.[0] ?? '');
}

const CLOCK_INSIDE = /\b\d{1,2}(?::\d{2})? ?(?:am|pm)\b|\b\d{1,2}:\d{2}\b/gi;
const WEEKDAY_INSIDE = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/gi;

/** "3pm dentist": the one time of its kind in the text gives way to the new one. */
function timeInside(old: string, when: string): string | undefined {
  const bare = when.replace(PREPOSITION, '');
  const kind = [CLOCK_INSIDE, WEEKDAY_INSIDE].find((pattern) => bare.replace(pattern, '').trim() === '');
  return kind && old.match(kind)?.length === 1 ? old.replace(kind, () => bare) : undefined;
}

const TIME_ALONE = new RegExp(`^(?:${ON_DAY}|${AT_CLOCK})+$|^ ${CLOCK}$`, 'i');
export function isTimeText(text: string): boolean {
  return TIME_ALONE.test(` ${text}`);
}

function withPreposition(when: string): string {
  if (PREPOSITION.test(when)) return when;
  if (BARE_CLOCK.test(when)) return `at ${when}`;
  return WEEKDAY.test(when) ? `on ${when}` : when;
}
