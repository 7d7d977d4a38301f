const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DATE = `(?:(?:the )?\\d{1,2}(?:st|nd|rd|th)(?: of)?(?: ${MONTH})?|\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?)`;
const PART_OF_DAY = '(?:morning|afternoon|evening|night)';
const NEAR = `(?:today|tonight|tomorrow|(?:this|next) (?:week|month|weekend|${PART_OF_DAY}|monday|tuesday|wednesday|thursday|friday|saturday|sunday))`;
/** Also words of other things ("sun cream"): a day at the end, before a time, or after a word that leads to one. */
const ABBREVIATED = '(?:mon|tues?|weds?|thu|thurs?|fri|sat|sun)';
const SHORT_DAY = `(?:${ABBREVIATED}(?= ?$| \\d| at | ${PART_OF_DAY})|(?<=\\b(?:on|by|next|this|until|before) )${ABBREVIATED})`;
const DAY = `(?:${NEAR}|${SHORT_DAY}|monday|tuesday|wednesday|thursday|friday|saturday|sunday|${DATE})(?: ${PART_OF_DAY})?`;
const HOUR = '\\d{1,2}(?:[:.]\\d{2})?';
const CLOCK = `(?:noon|midnight|(?:half|quarter) (?:past|to) \\d{1,2}|${HOUR} ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)|\\d{1,2}:\\d{2}|(?:[01]?\\d|2[0-3])\\.[0-5]\\d(?! ?(?:eur|usd|€|\\$|£|%|k[gm]|l|m)))`;
/** A lone number is a time only after such a word. */
const AT = '(?:at|by|before|around|until|till|from)';

const EDGE = '(?![\\p{L}\\p{N}]|[:/]\\d)';
const START = '(?<![\\p{L}\\p{N}:/.$€£])';
const KINDS = {
  day: new RegExp(`${START}(?:(?<before>on|by|before|until|till|for|from) )?(?<time>${DAY})${EDGE}`, 'giu'),
  clock: new RegExp(
    `${START}(?:(?<before>${AT}) (?<time>${CLOCK}|${HOUR})|(?<alone>${CLOCK}))${EDGE}`,
    'giu',
  ),
};
type Kind = keyof typeof KINDS;
const BARE = new RegExp(`^${HOUR}$`);
const RELATIVE = new RegExp(`^${NEAR}`, 'i');
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i;
/** These say more than when something happens, so that they replace the old word. */
const LIMITS = /^(?:by|before|until|till|from)$/i;
const HAS_PART_OF_DAY = new RegExp(`^tonight|${PART_OF_DAY}$`, 'i');

interface TimePart {
  before: string;
  time: string;
  start: number;
  end: number;
}

/** The last day or time of day that a text names. */
function partIn(text: string, kind: Kind): TimePart | undefined {
  const match = [...text.matchAll(KINDS[kind])].at(-1);
  if (!match) return undefined;
  const { before = '', time, alone } = match.groups!;
  return { before, time: time ?? alone!, start: match.index, end: match.index + match[0].length };
}

export function hasClock(text: string): boolean {
  return partIn(text, 'clock') !== undefined;
}

export function hasDay(text: string): boolean {
  return partIn(text, 'day') !== undefined;
}

/** The text has two times of the kind of the new one, so either may be meant. */
export function isAmbiguousTime(old: string, when: string): boolean {
  const said = BARE.test(when) ? `at ${when}` : when;
  const isTwice = (kind: Kind) =>
    partIn(said, kind) !== undefined && [...old.matchAll(KINDS[kind])].length > 1;
  return isTimeText(said) && (isTwice('day') || isTwice('clock'));
}

export function isTimeText(text: string): boolean {
  return BARE.test(text) || text.replace(KINDS.day, '').replace(KINDS.clock, '').trim() === '';
}

/** The old text at a new time. A new day keeps the time of day, a new time of day keeps the day, and all other words stay. */
export function atNewTime(old: string, when: string): string {
  const said = BARE.test(when) ? `at ${when}` : when.replace(/^due /i, '');
  const [day, clock] = [partIn(said, 'day'), partIn(said, 'clock')];
  if (!isTimeText(said)) return `${withoutTimes(old)} ${when}`;
  const kept = !clock && day && HAS_PART_OF_DAY.test(day.time) ? without(old, partIn(old, 'clock')) : old;
  const dated = day ? placed(kept, day, 'day') : kept;
  return clock ? placed(dated, clock, 'clock') : dated;
}

function placed(old: string, part: TimePart, kind: Kind): string {
  const there = partIn(old, kind);
  if (!there) return inserted(old, wordsFor(part, kind), kind);
  const isWhole = there.start === 0 && there.end === old.length;
  const words = isWhole ? part.time : replacing(there, part, kind);
  return `${old.slice(0, there.start)}${words}${old.slice(there.end)}`;
}

/** The new time with the word that stood before the old one, where it fits. */
function replacing(there: TimePart, part: TimePart, kind: Kind): string {
  if (LIMITS.test(part.before)) return `${part.before} ${part.time}`;
  if (there.before === '') return RELATIVE.test(there.time) ? wordsFor(part, kind) : part.time;
  const isLoose = !LIMITS.test(there.before) && RELATIVE.test(part.time);
  return isLoose ? part.time : `${there.before} ${part.time}`;
}

/** A day goes before the time of day at the end. */
function inserted(old: string, words: string, kind: Kind): string {
  const clock = kind === 'day' ? partIn(old, 'clock') : undefined;
  if (!clock || clock.end < old.length || clock.start === 0) return `${old} ${words}`;
  return `${old.slice(0, clock.start)}${words} ${old.slice(clock.start)}`;
}

function wordsFor({ before, time }: TimePart, kind: Kind): string {
  if (before !== '') return `${before} ${time}`;
  return kind === 'clock' ? `at ${time}` : WEEKDAY.test(time) ? `on ${time}` : time;
}

function withoutTimes(old: string): string {
  const rest = without(without(old, partIn(old, 'clock')), partIn(old, 'day'));
  return rest === '' ? old : rest;
}

function without(old: string, part: TimePart | undefined): string {
  return part ? `${old.slice(0, part.start)}${old.slice(part.end)}`.replace(/ {2,}/g, ' ').trim() : old;
}
