import type { Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { findList, namesTask } from '../language/words/nouns.ts';
import { isTimeHead } from '../language/words/times.ts';
import type { Clause, Reading } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** Words that lead to the text of a task. */
export const TO_TEXT = set('to : called named titled for about that saying');

/** "Create a story": something is to be made, not to be remembered. */
const BEFORE_WORKS = set('a an the my our your this that these those some any more me us');
const WORKS = set(
  `playlist playlists account password folder file table chart graph image picture portrait code function component script website page
   app story poem song essay logo database query shortcut`,
);
const OF_WORKS = set('for about with named called that of using from');
const SHORT = 3;
export function isMade(tokens: readonly Token[], span: Span): boolean {
  return BEFORE_WORKS.has(tokens[span[0]]!.word) || isWork(tokens, span);
}

/** Other programs make it. */
export function isWork(tokens: readonly Token[], [from, to]: Span): boolean {
  const [first, last] = [tokens[from]!, tokens[to - 1]!];
  if (WORKS.has(first.word) && OF_WORKS.has(tokens[from + 1]?.word ?? '')) return true;
  return to - from <= SHORT && !isAction(first) && WORKS.has(last.word);
}

/** They point at something that is there already, or at a person. */
const NOT_FIRST = set(
  'me us him her you them yourself myself to up it these those whatever everything following rid there here',
);
/** Verbs of titles: what follows them belongs to the title. */
const COMMANDS = set(
  'add create delete remove complete finish cancel update rename change mark list show put note move check edit erase set make',
);
function isAction({ word, quoted }: Token): boolean {
  return !quoted && (ACTION_VERBS.has(word) || COMMANDS.has(word));
}

export function isNotTitle(clause: Clause, what: Span, reading: Reading | undefined): boolean {
  const { tokens } = clause;
  const [from, to] = what;
  const first = tokens[from]!;
  if (first.quoted && tokens[to - 1]!.quoted) return false;
  if (isSum(clause, what) || startsElsewhere(tokens, from)) return true;
  if (to - from > 1 && isAction(first)) return false;
  if (namesTaskOrList(tokens, what, reading)) return true;
  return goesElsewhere(tokens, what) || tellsMore(tokens, what);
}

function startsElsewhere(tokens: readonly Token[], from: number): boolean {
  const { word, quoted } = tokens[from]!;
  return !quoted && (pointsElsewhere(tokens, from) || IDIOMS.has(word));
}

/** Names the list or a task, in words that another rule reads or that name nothing else. */
function namesTaskOrList(tokens: readonly Token[], what: Span, reading: Reading | undefined): boolean {
  if (findList(tokens, what) === undefined && !namesTask(tokens, what)) return false;
  const [from] = what;
  const isChore = CHORES.has(tokens[from]!.word) && !TO_TEXT.has(tokens[from + 1]?.word ?? '');
  return reading !== undefined && !isChore;
}

/** "This song", but not "this year's goals" nor "what to pack". */
function pointsElsewhere(tokens: readonly Token[], from: number): boolean {
  const [{ word }, next = ''] = [tokens[from]!, tokens[from + 1]?.word];
  if (word === 'what') return next !== 'to';
  // "To the Lighthouse", but not "to the list".
  if (word === 'to' && next === 'the') return hasAny(tokens, [from + 2, from + 2 + NEAR], NAMED_LIST);
  if (word === 'this' || word === 'that') return !(next.endsWith("'s") || isTimeHead(next));
  return NOT_FIRST.has(word);
}

/** "Chore chart": by themselves they lead to no text. */
const CHORES = set('chore chores errand errands');
const IDIOMS = set('insult fuel');

export function isSum({ tokens }: Clause, [from, to]: Span): boolean {
  const words = tokens.slice(from, to).map(({ word }) => word);
  const numbers = words.filter((word) => /^\d/.test(word) && !/^\d+(?:[:/.-]\d|[ap]\.?m)/.test(word));
  return words[0] === 'up' || /^\d+$/.test(words.join('')) || numbers.length > 1;
}

const INTO = set('to into onto');
const WITHIN = set('to into onto in on at inside');
const OWN = set('my our');
const OTHERS = set('the his her their a an');
const POINTING = set('this that these those your it them its');
/** Containers in other programs and in recipes. */
const THE_CONTAINERS = set(
  `playlist playlists calendar queue basket cart bag order booking reservation photo photos picture image images video code function script essay
   text paragraph sentence speech poem document doc docs file files folder spreadsheet sheet table chat channel thread whitelist recipe
   mixture mix pan pot bowl dough batter sauce soup salad wash repo repository branch slide deck line org album track tracks group invite
   guestlist watchlist wishlist favorites favourites contacts database server screen end top bottom beginning one item entry`,
);
const CONTAINERS: ReadonlySet<string> = new Set([
  ...THE_CONTAINERS,
  ...set(
    `contact account accounts card email emails message messages page pages site website blog app conversation meeting event invitation feed
     post profile bookmarks presentation cover wallet balance bill tab plan story form`,
  ),
]);
const NAMED_LIST: ReadonlySet<string> = new Set([
  ...set('list to-do-list lists tasks todos task'),
  ...CONTAINERS,
]);
/** Said with "in" and "on" as well; a bug "in the form" may be a title. */
const KEPT_INSIDE = set(
  'calendar playlist queue contacts cart basket spreadsheet essay paragraph code script org end top bottom',
);
const NEAR = 5;
function goesElsewhere(tokens: readonly Token[], [from, to]: Span): boolean {
  for (let i = from + 1; i + 1 < to; i++) {
    const { word, quoted } = tokens[i]!;
    if (quoted || !WITHIN.has(word)) continue;
    const next = tokens[i + 1]!.word;
    if (INTO.has(word) && POINTING.has(next)) return true;
    const kept = !INTO.has(word) ? KEPT_INSIDE : OWN.has(next) ? CONTAINERS : THE_CONTAINERS;
    if (
      (OWN.has(next) || OTHERS.has(next) || POINTING.has(next)) &&
      hasAny(tokens, [i + 2, Math.min(to, i + 2 + NEAR)], kept)
    )
      return true;
  }
  return tokens
    .slice(from + 1, to)
    .some(
      ({ word, quoted }, i, rest) =>
        !quoted && word === 'as' && /^(?:an?|the)$/.test(rest[i + 1]?.word ?? ''),
    );
}

const SUBJECTS = set('i we you he she they it this that');
const JOINTS = set('and so because but since then');
const FINITE = set(
  'is are was were am will would has have had can could should sounds looks needs need want',
);
/** A separate sentence after it: "… and it will be perfect". */
function tellsMore(tokens: readonly Token[], [from, to]: Span): boolean {
  for (let i = from + 1; i + 1 < to; i++) {
    const { word, quoted, afterComma } = tokens[i]!;
    if (quoted || !SUBJECTS.has(word) || !(afterComma || JOINTS.has(tokens[i - 1]!.word))) continue;
    if (tokens.slice(i + 1, Math.min(to, i + 3)).some((token) => FINITE.has(token.word))) return true;
  }
  return false;
}

function hasAny(tokens: readonly Token[], [from, to]: Span, words: ReadonlySet<string>): boolean {
  return tokens.slice(from, to).some(({ word, quoted }) => !quoted && words.has(word));
}
