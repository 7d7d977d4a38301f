import type { Token } from './token.ts';
import { DEEDS } from './words/deeds.ts';

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
    if (commaNext) tokens[i]!.afterComma = true;
    commaNext = false;
    if (token.word === '-' && !token.quoted) {
      i++;
      if (BEFORE_DASH.has(joined.at(-1)?.word ?? '')) joined.push({ ...token, word: ':' });
      else commaNext = true;
      continue;
    }
    const owner = isOwner(tokens, i);
    if (owner) joined.push({ ...token, word: owner });
    const forget =
      token.quoted || !FORGET_STARTS.has(token.word)
        ? undefined
        : FORGETS.find((words) => words.every((word, k) => tokens[i + k]?.word === word));
    if (forget) {
      joined.push({ ...token, word: 'dont-forget', end: tokens[i + forget.length - 1]!.end });
      i += forget.length;
    } else if (isToDo(tokens, i)) {
      const plural = ['dos', "do's"].includes(tokens[i + 1]!.word);
      joined.push({ ...token, word: plural ? 'todos' : 'todo', end: tokens[i + 1]!.end });
      i += 2;
    } else {
      joined.push({
        ...token,
        word: owner ? 'is' : TODO.has(token.word) ? oneWord(token.word) : digitWord(tokens, i),
      });
      i++;
    }
  }
  return joined;
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
  if (word === '2' && (DEEDS.has(after) || ['my', 'the', 'me', 'be'].includes(after))) return 'to';
  return word === '4' && ['me', 'my', 'the', 'today', 'tomorrow', 'tonight', 'you'].includes(after)
    ? 'for'
    : word;
}

function oneWord(word: string): string {
  if (word.endsWith('list')) return 'to-do-list';
  return word.endsWith('s') ? 'todos' : 'todo';
}

function isToDo(tokens: readonly Token[], at: number): boolean {
  const [first, second, third] = [tokens[at]!, tokens[at + 1], tokens[at + 2]];
  if (first.word !== 'to' || first.quoted || !second) return false;
  if (["do's", 'dos'].includes(second.word)) return true;
  if (second.word !== 'do') return false;
  if (third && TODO_NOUNS.has(third.word)) return true;
  const before = tokens[at - 1]?.word ?? '';
  if (ORDERS.has(before) && at === 1) return !AFTER_VERB.has(third?.word ?? '');
  return BEFORE_TODO.has(before) && !AFTER_VERB.has(third?.word ?? '');
}
