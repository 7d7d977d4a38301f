import { stemmer } from 'stemmer';
import type { KnownTask } from '../context.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';

/** Words that do not identify a task. */
const FILLER = new Set(
  (
    'a an the this that these those my our your his her their me i we you it its one ones of to for from on in at by with and or so please ' +
    'task tasks todo todos item items thing things entry entries reminder reminders list called named titled about do does did done doing ' +
    'is are was were be been am just now already have has had'
  ).split(' '),
);

/** People report in the past tense; titles use the infinitive. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    'bought:buy brought:bring built:build chose:choose caught:catch did:do drank:drink drew:draw drove:drive ate:eat fed:feed fixed:fix ' +
    'found:find flew:fly forgot:forget gave:give got:get gotten:get went:go gone:go grew:grow hung:hang held:hold kept:keep laid:lay led:lead ' +
    'left:leave lent:lend lit:light lost:lose made:make met:meet mown:mow paid:pay ran:run rode:ride sang:sing sat:sit saw:see seen:see ' +
    'sent:send sold:sell sewn:sew shot:shoot slept:sleep spent:spend spoke:speak spoken:speak stuck:stick swam:swim swept:sweep taken:take ' +
    'took:take taught:teach told:tell thought:think threw:throw thrown:throw took:take understood:understand woke:wake wore:wear won:win ' +
    'wrote:write written:write'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const MAX_WORDS = 1000;

/** The words of a text, prepared for comparison. */
export interface Words {
  /** Lower case, normalised, words only. Texts with the same key are the same title. */
  key: string;
  /** The key without filler words around it: "the groceries task" names "groceries". */
  core: string;
  stems: ReadonlySet<string>;
  /** The stems of the words that carry meaning. */
  content: ReadonlySet<string>;
}

export function wordsOf(text: string): Words {
  const words = plainWords(text);
  const stems = words.map(stem);
  return {
    key: words.join(' '),
    core: coreOf(words),
    stems: new Set(stems),
    content: new Set(stems.filter((_, i) => !FILLER.has(words[i]!))),
  };
}

function coreOf(words: readonly string[]): string {
  let [from, to] = [0, words.length];
  while (from < to && FILLER.has(words[from]!)) from++;
  while (to > from && FILLER.has(words[to - 1]!)) to--;
  return words.slice(from, to).join(' ');
}

function plainWords(text: string): string[] {
  const lower = text.normalize('NFKC').toLowerCase();
  return (lower.match(WORD) ?? []).slice(0, MAX_WORDS).map((word) => word.replace(/['’]/g, ''));
}

const stemCache = new Map<string, string>();
const STEM_CACHE_SIZE = 10_000;

/** Cache: lists repeat their words. Cleared when full. */
export function stem(word: string): string {
  const known = stemCache.get(word);
  if (known !== undefined) return known;
  const base = IRREGULAR.get(word) ?? word;
  const result = /^[a-z]{3,64}$/.test(base) ? stemmer(base) : base;
  if (stemCache.size >= STEM_CACHE_SIZE) stemCache.clear();
  stemCache.set(word, result);
  return result;
}

/** Whether two words differ by one typo: a letter added, removed or changed, or two swapped. */
export function isTypoOf(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 4 || long.length - short.length > 1) return false;
  let i = 0;
  while (i < short.length && short[i] === long[i]) i++;
  const rest = (text: string, from: number) => text.slice(from);
  if (short.length < long.length) return rest(short, i) === rest(long, i + 1);
  const swapped =
    short[i] === long[i + 1] && short[i + 1] === long[i] && rest(short, i + 2) === rest(long, i + 2);
  return swapped || rest(short, i + 1) === rest(long, i + 1);
}

const titles = new Map<string, Words>();
const MOST_CHARACTERS = 500_000;
let characters = 0;

/** The words of a title. Cached, because lists change little between messages. Cleared when full. */
export function titleWords({ description }: KnownTask): Words {
  const known = titles.get(description);
  if (known) return known;
  const words = wordsOf(description);
  characters += description.length;
  if (characters > MOST_CHARACTERS) {
    titles.clear();
    characters = description.length;
  }
  titles.set(description, words);
  return words;
}

export function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}

/** "The book" is a thing, and no name of "book a flight". */
export function isThingOnly(text: string, { description }: KnownTask): boolean {
  const thing = /^(?:the|my|a|an|this|that) (\p{L}+)$/iu.exec(text.trim())?.[1]?.toLowerCase();
  const [first = '', more] = description.toLowerCase().split(/\s+/);
  return thing !== undefined && more !== undefined && first === thing && ACTION_VERBS.has(first);
}
