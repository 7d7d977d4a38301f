import type { Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { findList, isTaskNoun, namesOwnList, namesTask } from '../language/words/nouns.ts';
import { isTimeHead } from '../language/words/times.ts';
import { ADDS, ASKS_FOR_NEW, isSum } from './intents/create.ts';
import { PUTS_ON_LIST } from './intents/new-task.ts';
import { titleText } from './intents/describe.ts';
import { listedItems } from './listed.ts';
import type { Clause, Reading } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/**
 * "Add X" adds X, whatever X is about: a plain order with a verb of adding in front is decisive, and the model is not asked. Only what
 * says itself that it is no order to a list stays out: sums, what goes into something else, and talk.
 */
export function readAddForm(clause: Clause, reading: Reading | undefined): Reading | undefined {
  if (!isPlainOrder(clause)) return undefined;
  if (reading && isNamedForm(clause, reading)) return { ...reading, command: true };
  const what = objectOf(clause);
  if (!what || isNoTitle(clause, what, reading)) return undefined;
  const description = titleText(clause, what);
  if (!description) return undefined;
  return {
    intent: 'CREATE_TASK',
    strength: reading?.intent === 'CREATE_TASK' ? reading.strength : 'weak',
    rule: ADDS,
    descriptions: listedItems(clause, what) ?? [description],
    command: true,
  };
}

const WISHED = set('want like love let can could may');
/** "I will add salt" tells of something; "I would like to add salt" asks for it. */
function isPlainOrder({ tokens, core, whole, moods, question }: Clause): boolean {
  if (moods.has('negated') || moods.has('duty')) return false;
  if (moods.has('wish') && !tokens.slice(whole[0], core[0]).some(({ word }) => WISHED.has(word)))
    return false;
  return !question || moods.size > 0;
}

const MAKES = set('add create make new another put set');
const SELF = set('me us myself');
/** The order names the list, a task, or the wish to be reminded. */
function isNamedForm({ tokens, core: [at, end] }: Clause, { intent, rule, descriptions }: Reading): boolean {
  if (intent !== 'CREATE_TASK' || !descriptions) return false;
  const [first, second] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  if (rule === PUTS_ON_LIST) return namesOwnList(tokens, [at, end]);
  if (first === 'remind') return SELF.has(second) && tokens[at + 2]?.word === 'to';
  if (first === 'todo' || (first === 'reminder' && second === ':')) return true;
  if (first === 'add' && rule === ASKS_FOR_NEW) return true;
  if (!MAKES.has(first)) return false;
  let i = at + 1;
  while (i < end && ARTICLES.has(tokens[i]!.word)) i++;
  if (i >= end || !isTaskNoun(tokens[i]!.word) || tokens[i]!.quoted) return false;
  return ADDS_TASK.has(first) || TO_TEXT.has(tokens[i + 1]?.word ?? '');
}
const ADDS_TASK = set('add create new');
const TO_TEXT = set('to : called named titled for about that saying');
const ARTICLES = set('a an another new one more quick me the following my');

const DOWN = set('jot note write take');
/** What stands behind the verb, where a verb of adding stands first. */
function objectOf(clause: Clause): Span | undefined {
  const { tokens, core } = clause;
  const [at, end] = [core[0], endOf(clause)];
  const [first, second] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  const down = DOWN.has(first) && second === 'down';
  if (!down && first !== 'add' && first !== 'create' && first !== 'note') return undefined;
  let from = at + (down ? 2 : 1);
  while (from < end && tokens[from]!.word === ':') from++;
  const object = tokens[from];
  if (from >= end || !object) return undefined;
  if (object.quoted) return [from, end];
  if (first === 'create' && isMade(tokens, [from, end])) return undefined;
  if (first === 'note' && !down && REMARKED.has(object.word)) return undefined;
  return [from, end];
}

/** Whom it is said to, which is left out before; but a title may end so ("letter to a friend") where no comma stands before it. */
const VOCATIVES = set('man dude mate buddy bro love friend assistant alexa siri google');
const COURTESIES = set('thanks please cheers ta you ok');
function endOf({ tokens, core: [, end] }: Clause): number {
  const [before, last] = [tokens[end - 1], tokens[end]];
  const isLast =
    last !== undefined &&
    VOCATIVES.has(last.word) &&
    !last.quoted &&
    tokens.slice(end + 1).every(({ word }) => COURTESIES.has(word));
  return isLast && !last.afterComma && !COURTESIES.has(before?.word ?? '') ? end + 1 : end;
}

/** "Create a story": something is to be made, not to be remembered. */
const BEFORE_WORKS = set('a an the my our your this that these those some any more me us');
const WORKS = set(
  `playlist playlists account password folder file table chart graph image picture portrait code function component script website page
   app story poem song essay logo database query shortcut`,
);
const OF_WORKS = set('for about with named called that of using from');
const SHORT = 3;
function isMade(tokens: readonly Token[], span: Span): boolean {
  return BEFORE_WORKS.has(tokens[span[0]]!.word) || isWork(tokens, span);
}

/** Other programs make it. */
export function isWork(tokens: readonly Token[], [from, to]: Span): boolean {
  const [first, last] = [tokens[from]!, tokens[to - 1]!];
  if (WORKS.has(first.word) && OF_WORKS.has(tokens[from + 1]?.word ?? '')) return true;
  return to - from <= SHORT && !isDeed(first) && WORKS.has(last.word);
}
/** "Note the irony": a remark. */
const REMARKED = set(
  'that the this these those how what why when where who which if your my our its one two three any',
);

/** They point at something that is there already, or at a person. */
const NOT_FIRST = set(
  'me us him her you them yourself myself to up it these those whatever everything following rid there here',
);
/** Verbs of titles: what follows them belongs to the title. */
const COMMANDS = set(
  'add create delete remove complete finish cancel update rename change mark list show put note move check edit erase set make',
);
function isDeed({ word, quoted }: Token): boolean {
  return !quoted && (DEEDS.has(word) || COMMANDS.has(word));
}

function isNoTitle(clause: Clause, [from, to]: Span, reading: Reading | undefined): boolean {
  const { tokens } = clause;
  const first = tokens[from]!;
  if (first.quoted && tokens[to - 1]!.quoted) return false;
  if (isSum(clause, [from, to]) || isCount(tokens, [from, to])) return true;
  if (!first.quoted && (pointsElsewhere(tokens, from) || IDIOMS.has(first.word))) return true;
  if (to - from > 1 && isDeed(first)) return false;
  const named = findList(tokens, [from, to]) !== undefined || namesTask(tokens, [from, to]);
  const ruled =
    reading !== undefined && !(CHORES.has(first.word) && !TO_TEXT.has(tokens[from + 1]?.word ?? ''));
  if (named && (ruled || isNounAlone(tokens, [from, to]))) return true;
  return goesElsewhere(tokens, [from, to]) || isOfTexts(tokens, [from, to]) || tellsMore(tokens, [from, to]);
}

/** "This song", but not "this year's goals" nor "what to pack". */
function pointsElsewhere(tokens: readonly Token[], from: number): boolean {
  const [{ word }, next = ''] = [tokens[from]!, tokens[from + 1]?.word];
  if (word === 'what') return next !== 'to';
  if (word === 'this' || word === 'that') return !(next.endsWith("'s") || isTimeHead(next));
  return NOT_FIRST.has(word);
}

/** "Chore chart": by themselves they lead to no text. */
const CHORES = set('chore chores errand errands');
const NAMES_NOTHING = set(
  'a an the my our your new another some more few list lists to-do-list todo to do item items',
);
/** "Add a task", "add my list": names what things are called here, and no thing. */
function isNounAlone(tokens: readonly Token[], [from, to]: Span): boolean {
  return tokens.slice(from, to).every(({ word }) => NAMES_NOTHING.has(word) || isTaskNoun(word));
}

const IDIOMS = set('insult fuel');

const NUMBERS = set(
  'one two three four five six seven eight nine ten eleven twelve twenty thirty hundred and plus seventeen',
);
/** "Add two and seventeen", "add a 10% tip". */
function isCount(tokens: readonly Token[], [from, to]: Span): boolean {
  const words = tokens.slice(from, to).filter(({ word }) => word !== 'a');
  if (words.every(({ word }) => NUMBERS.has(word))) return words.length > 1;
  return /^\d/.test(words[0]!.word) && words.some(({ word }) => word === 'tip');
}

const INTO = set('to into onto');
const WITHIN = set('to into onto in on at inside');
const OWN = set('my our');
const OTHERS = set('the his her their a an');
const POINTING = set('this that these those your it them its');
/** What other programs and cooks keep: more goes into it than onto a list. */
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

const TEXTS = set(
  'text line lines flag flags detail details attachment attachments recipient recipients contact contacts row rows column columns comment comments paragraph',
);
/** "Add more text", "add a line": other programs add that. */
function isOfTexts(tokens: readonly Token[], [from, to]: Span): boolean {
  const last = tokens[Math.min(to, from + 3) - 1]!;
  return (
    QUANTITIES.has(tokens[from]!.word) &&
    !last.quoted &&
    hasAny(tokens, [from + 1, Math.min(to, from + 3)], TEXTS)
  );
}
const QUANTITIES = set('a an some more another the few two three');

const SUBJECTS = set('i we you he she they it this that');
const JOINTS = set('and so because but since then');
const FINITE = set(
  'is are was were am will would has have had can could should sounds looks needs need want',
);
/** A sentence of its own behind it: "… and it will be perfect". */
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
