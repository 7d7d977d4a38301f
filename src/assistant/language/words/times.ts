import type { Group } from '../phrase.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** Words that name a time by themselves. */
const HEADS = set(
  `today tonight tomorrow yesterday now later soon noon midday midnight morning afternoon evening night day days week weeks weekend
   weekends month months year hour hours minute minutes min mins sec seconds weekday weekdays monday tuesday wednesday thursday friday
   saturday sunday mon tue tues wed thu thur thurs fri sat sun mondays tuesdays wednesdays thursdays fridays saturdays sundays january
   february march april june july august september october november december jan feb mar apr jun jul aug sept sep oct nov dec am pm a.m
   p.m o'clock daily weekly monthly nightly asap eod eow first thing christmas easter thanksgiving lunch lunchtime dinner breakfast work
   today's tomorrow's moment far currently point time arvo`,
);
/** Words that may stand before or between them. */
const GLUE = set(
  `at on by in for before after until till due from around this next last every each the a an of during within about between to coming
   following half quarter past end early late other couple few and right just only as sometime some rest my`,
);
const CLOCK =
  /^(?:\d{1,2}(?:[:.]\d{2})?(?:am|pm|a\.m|p\.m|h)?|\d{1,2}(?:st|nd|rd|th)|\d{4}|\d{1,2}\/\d{1,2}(?:\/\d{2,4})?)$/;
const NUMBERS = set(
  'one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty sixty',
);
const UNITS = set('am pm minutes minute mins min hours hour days day weeks week months month');

export function isTimeHead(word: string): boolean {
  return HEADS.has(word) || CLOCK.test(word);
}

const LONGEST_TIME = 10;
/** Words and clock times that together say when: "by next friday at 5pm". Every place where it could end, the farthest first. */
export const timeEnds: Group = (tokens, at, end) => {
  const ends: number[] = [];
  for (let i = at; i < end && i < at + LONGEST_TIME; i++) {
    const { word, quoted } = tokens[i]!;
    if (quoted) break;
    const counted = NUMBERS.has(word) && (UNITS.has(tokens[i + 1]?.word ?? '') || i > at);
    if (isTimeHead(word) || counted) ends.unshift(i + 1);
    else if (!GLUE.has(word) && !NUMBERS.has(word)) break;
  }
  return ends;
};

/** Where the range says when, if it does. */
export function findWhen(
  tokens: Parameters<Group>[0],
  [from, to]: readonly [number, number],
): readonly [number, number] | undefined {
  for (let i = from; i < to; i++) {
    const end = timeEnds(tokens, i, to)[0];
    if (end !== undefined) return [i, end];
  }
  return undefined;
}
