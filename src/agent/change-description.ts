import type { TaskChange } from '../contract/assistant.ts';

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
      return `${withoutTime(old)} ${withPreposition(change.text)}`;
    default:
      return change satisfies never;
  }
}

/** The first place where `from` stands, as whole words and whatever its case. */
function swapped(old: string, from: string, to: string): string | undefined {
  const at = old.toLowerCase().indexOf(from.toLowerCase());
  if (at < 0 || old.toLowerCase().length !== old.length) return undefined;
  const isWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  if (isWord(old[at - 1]) || isWord(old[at + from.length])) return undefined;
  return old.slice(0, at) + to + old.slice(at + from.length);
}

const DAY =
  '(?:today|tonight|tomorrow|(?:this |next )?(?:week|month|weekend|morning|afternoon|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const CLOCK = "(?:noon|midnight|\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)?)";
/** A day, a time, or both, at the end of a description: "on friday at 5pm". */
const TIME_AT_END = new RegExp(
  `(?: (?:(?:on|by|before|until|till|for) )?${DAY}| (?:at|by|before|around|until|till) ${CLOCK})+$`,
  'i',
);
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;
const PREPOSITION = /^(?:on|at|by|before|after|until|till|in|this|next) /i;

function withoutTime(text: string): string {
  return text.replace(TIME_AT_END, '') || text;
}

function withPreposition(when: string): string {
  if (PREPOSITION.test(when)) return when;
  if (/^\d{1,2}(?::\d{2})? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)?$/i.test(when)) return `at ${when}`;
  return WEEKDAY.test(when) ? `on ${when}` : when;
}
