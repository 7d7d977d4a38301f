import type { Token } from './token.ts';
import { ACTION_VERBS } from './words/action-verbs.ts';
import { FOREIGN } from './words/foreign.ts';
import { isTimeHead, timeEnds } from './words/times.ts';

const TODO = new Set(['to-do', 'todo', "todo's", 'to-dos', "to-do's", 'todos', 'to-do-list', 'todolist']);
const TODO_NOUNS = new Set(['list', 'lists', 'item', 'items', 'task', 'tasks', ':', 'things', 'app']);
const BEFORE_TODO = new Set(['my', 'a', 'the', 'new', 'another', 'our', 'every', 'this']);
/** "delete to do buy milk", "show to do": at the beginning only, elsewhere "to do" is the verb. */
const ORDERS = new Set(
  'delete remove erase create show check view see list complete update open display'.split(' '),
);
const AFTER_VERB = new Set([
  'the',
  'a',
  'my',
  'it',
  'that',
  'this',
  'some',
  'something',
  'anything',
  'with',
  'so',
  'what',
  'not',
]);
/** After these a dash is a colon: "todo - buy milk". Elsewhere it is nothing: "work - related". */
const BEFORE_DASH = new Set([
  'todo',
  'task',
  'reminder',
  'note',
  'self',
  'me',
  'add',
  'list',
  'done',
  'finished',
  'forget',
  'dont-forget',
]);
/** "do not let me forget to": five words that mean one thing, the opposite of what each says. */
const FORGETS = [
  ['do', 'not', 'let', 'me', 'forget'],
  ['do', 'not', 'forget'],
  ['do', 'not', 'you', 'forget'],
  ['can', 'not', 'forget'],
  ['must', 'not', 'forget'],
  ['should', 'not', 'forget'],
  ['not', 'forget'],
  ['let', 'me', 'not', 'forget'],
  ['do', 'not', 'want', 'to', 'forget'],
  ['not', 'to', 'forget'],
];

const FORGET_STARTS = new Set(FORGETS.map(([first]) => first));

/** Makes one word of what is one: "to do" before "list", and "do not forget". */
export function joinTokens(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  let commaNext = false;
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i]!;
    if (commaNext) token.afterComma = true;
    const isDash = token.word === '-' && !token.quoted;
    commaNext = isDash && !BEFORE_DASH.has(joined.at(-1)?.word ?? '');
    const owner = isDash ? undefined : isOwner(tokens, i);
    if (owner) joined.push({ ...token, word: owner });
    const { word, length } = isDash ? COLON : joinedAt(tokens, i, owner !== undefined);
    if (!commaNext) joined.push({ ...token, word, end: tokens[i + length - 1]!.end });
    i += length;
  }
  return joined;
}

/** A word of the result, and how many tokens it takes. */
interface Joined {
  word: string;
  length: number;
}
const COLON: Joined = { word: ':', length: 1 };

function joinedAt(tokens: readonly Token[], at: number, isOwned: boolean): Joined {
  const { word, quoted } = tokens[at]!;
  const forget = quoted || !FORGET_STARTS.has(word) ? undefined : forgetAt(tokens, at);
  if (forget) return { word: 'dont-forget', length: forget.length };
  if (isToDo(tokens, at)) return { word: PLURAL_DO.has(tokens[at + 1]!.word) ? 'todos' : 'todo', length: 2 };
  if (isOwned) return { word: 'is', length: 1 };
  return { word: TODO.has(word) ? oneWord(word) : digitWord(tokens, at), length: 1 };
}

function forgetAt(tokens: readonly Token[], at: number): readonly string[] | undefined {
  return FORGETS.find((words) => words.every((word, k) => tokens[at + k]?.word === word));
}

const STATES = new Set(
  'done finished complete completed sorted ready overdue due off cancelled canceled over'.split(' '),
);
/** "the laundry's done": not the laundry's, but the laundry is. Gives the word without its "is". */
function isOwner(tokens: readonly Token[], at: number): string | undefined {
  const { word, quoted } = tokens[at]!;
  const states =
    STATES.has(tokens[at + 1]?.word ?? '') ||
    (tokens[at + 1]?.word === 'all' && STATES.has(tokens[at + 2]?.word ?? ''));
  return !quoted && states && word.endsWith("'s") && !TODO.has(word) ? word.slice(0, -2) : undefined;
}

const NO_DIGIT_WORD = new Set([
  'task',
  'number',
  '#',
  'item',
  'no',
  'todo',
  'reminder',
  'option',
  'position',
  'entry',
  'buy',
  'get',
  'add',
  'order',
  'at',
  'by',
  'the',
]);
/** "2" and "4" for "to" and "for", as in text messages. */
function digitWord(tokens: readonly Token[], at: number): string {
  const { word, quoted } = tokens[at]!;
  const [before, after] = [tokens[at - 1]?.word ?? '#', tokens[at + 1]?.word ?? ''];
  if (quoted || NO_DIGIT_WORD.has(before) || !/^[a-z]/.test(before)) return word;
  const long = DIGIT_WORDS.get(word);
  return long?.before.has(after) ? long.word : word;
}
const DIGIT_WORDS = new Map([
  ['2', { word: 'to', before: new Set([...ACTION_VERBS, 'my', 'the', 'me', 'be']) }],
  ['4', { word: 'for', before: new Set(['me', 'my', 'the', 'today', 'tomorrow', 'tonight', 'you']) }],
]);

function oneWord(word: string): string {
  if (word.endsWith('list')) return 'to-do-list';
  return word.endsWith('s') ? 'todos' : 'todo';
}

function isToDo(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at]!, tokens[at + 1]];
  if (first.word !== 'to' || first.quoted || !second) return false;
  return PLURAL_DO.has(second.word) || (second.word === 'do' && isToDoNoun(tokens, at));
}
const PLURAL_DO = new Set(["do's", 'dos']);

/** "My to do", "to do list"; but not "to do the dishes". */
function isToDoNoun(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1]?.word ?? '', tokens[at + 2]?.word ?? ''];
  if (TODO_NOUNS.has(after)) return true;
  return ((ORDERS.has(before) && at === 1) || BEFORE_TODO.has(before)) && !AFTER_VERB.has(after);
}

const set = (text: string) => new Set(text.split(/\s+/));
/** "Notify me to …", "give me a nudge about …": a reminder by another name. */
const VERBS = set('notify alert nudge ping poke buzz prompt pester');
const NOUNS = set('notification alert notice nudge ping prompt poke heads-up');
const SELF = set('me us myself');
/** "Alert me when it rains": of what happens elsewhere, not of what is to be done. */
const OCCASIONS = set('when if whenever once unless with');
const LEADS = set('about for at on in that regarding by around next this every');
/** Notifications of other programs. */
const NEWS = set(
  'news weather stock stocks price prices traffic score scores email emails message messages forecast sale sales updates update',
);
const BEFORE = set(
  `a an my the any another that this delete remove cancel erase clear trash scrap drop add create set make schedule no out of send give`,
);
/** What is switched on and off belongs to a device. */
const SWITCHES = set(
  'turn switch enable disable mute silence activate deactivate read show open check got received sent',
);
const LONGEST_TIME = 8;
const NEAR = 16;

/** The same words, where another one stands for "remind" or "reminder". */
export function unifyReminderWords(tokens: readonly Token[]): Token[] {
  return tokens.map((token, at) => {
    if (token.quoted) return token;
    if (isVerb(tokens, at)) return { ...token, word: 'remind' };
    return isNoun(tokens, at) ? { ...token, word: 'reminder' } : token;
  });
}

function isVerb(tokens: readonly Token[], at: number): boolean {
  const [word, next] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  if (!SELF.has(next)) return at === 0 && VERBS.has(word) && reachesAction(tokens, 1);
  const after = tokens[at + 2]?.word ?? '';
  if (word === 'tell') return reachesAction(tokens, at + 2);
  return VERBS.has(word) && after !== '' && !OCCASIONS.has(after) && !ofNews(tokens, at);
}

function isNoun(tokens: readonly Token[], at: number): boolean {
  if (!NOUNS.has(tokens[at]!.word) || !BEFORE.has(tokens[at - 1]?.word ?? '')) return false;
  return !isOfDevice(tokens, at) && leadsToText(tokens, at);
}

function isOfDevice(tokens: readonly Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - NEAR), at).some(({ word }) => SWITCHES.has(word));
}

/** "A notification to call mum", "an alert for nine". */
function leadsToText(tokens: readonly Token[], at: number): boolean {
  const [next, after] = [tokens[at + 1]?.word ?? '', tokens[at + 2]?.word ?? ''];
  if (FOREIGN.has(after) || ofNews(tokens, at)) return false;
  if (next === 'to') return isAction(after);
  return LEADS.has(next) || timeEnds(tokens, at + 1, tokens.length).length > 0;
}

/** Commands to the assistant are actions here: the person is to be told to do them. */
const MORE_ACTIONS = set('remind delete remove lay look keep hold come stay sit stand bring be have get');
function isAction(word: string): boolean {
  return ACTION_VERBS.has(word) || MORE_ACTIONS.has(word);
}

function ofNews(tokens: readonly Token[], at: number): boolean {
  return tokens.slice(at, at + NEAR).some(({ word }) => NEWS.has(word)) && !reachesAction(tokens, at + 2);
}

/** A time, if anything, and then what is to be done: "at nine to call mum". */
function reachesAction(tokens: readonly Token[], from: number): boolean {
  for (let i = from; i < tokens.length && i < from + LONGEST_TIME; i++) {
    const { word } = tokens[i]!;
    if (word === 'to' && isAction(tokens[i + 1]?.word ?? '')) return true;
    if (!isTimeHead(word) && !LEADS.has(word) && !/^(?:a|the|half|past|from|later|to|\w+teen)$/.test(word))
      return false;
  }
  return false;
}
