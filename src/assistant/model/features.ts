import { findCore } from '../language/carriers.ts';
import type { Message, Sentence, Token } from '../language/token.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { isTimeHead } from '../language/words/times.ts';
import { ACTION_VERBS, DOING, PAST_VERBS } from '../language/words/action-verbs.ts';
import { ADD, CHANGE, DELETE, FINISH, SHOW } from '../language/words/verbs.ts';

/** Power of two: a feature is the low bits of the hash of its name. Large enough to make collisions rare. */
export const FEATURES = 1 << 20;
const HEAD = 40;
const TAIL = 8;
const MOST_SENTENCES = 4;
/** Pairs of words farther apart than this are left out, to keep the cost linear. */
const WIDEST_PAIR = 10;

const set = (text: string) => new Set(text.split(/\s+/));
/** Function words. */
const GLUE = set(
  `a an the my our your his her their this that these those it its i you he she we they me us him them
   to of in on at by for from with about into onto as per than if when while before after until and or but so because then also too just
   is are was were am be been being do does did have has had having can could would will shall should may might must`,
);
/** Words that shape a sentence; every other word is replaced by its kind. */
const TELLING = set(
  `one ones off out up down over back only already still yet again now not no never need needs want wants done
   what which who whom whose why how where there here all any some every each both everything anything something nothing more else another new
   please thanks thank hello hi hey ok yes sorry like let get got make made take put set give tell show say know think see look
   task tasks todo todos reminder reminders remind reminded list lists item items chore chores errand errands note thing things dont-forget remember forget
   add create delete remove erase cancel clear wipe drop scrap rid mark check tick cross strike complete completed finish finished
   change update edit modify rename move reschedule postpone push shift replace swap left due pending next plate agenda
   read open display shopping grocery groceries today tomorrow anymore longer needed instead going supposed first second third last number
   priority urgent deadline title wording entry later earlier gone taken sorted
   # : + emoji-yes emoji-no`,
);
/** Words of one kind share a feature, so that verbs outside the templates are recognised. */
const KINDS: ReadonlyArray<readonly [string, ReadonlySet<string>]> = [
  ['@far', FOREIGN],
  ['@del', single(DELETE)],
  ['@fin', single(FINISH)],
  ['@chg', single(CHANGE)],
  ['@add', single(ADD)],
  ['@show', single(SHOW)],
  ['@do', ACTION_VERBS],
  ['@did', PAST_VERBS],
  ['@ing', DOING],
];

function single(phrases: readonly string[]): ReadonlySet<string> {
  return new Set(phrases.filter((phrase) => !phrase.includes(' ')));
}

function kindOf({ word, quoted }: Token): string {
  if (quoted) return '"';
  if (TELLING.has(word) || GLUE.has(word)) return word;
  if (/^\d+$/.test(word)) return '9';
  if (isTimeHead(word)) return '@t';
  const kind = KINDS.find(([, words]) => words.has(word));
  if (kind) return kind[0];
  if (word.length > 4 && word.endsWith('ed')) return '@ed';
  return word.length > 5 && word.endsWith('ing') ? '@ing' : '@x';
}

/** The features of a message, each once. Long messages count by their beginning and end. */
export function featuresOf({ sentences }: Pick<Message, 'sentences'>): number[] {
  const all = sentences.flatMap(({ tokens }) => tokens);
  const features = new Set<number>();
  const add = (name: string) => features.add(hash(name) & (FEATURES - 1));
  add('bias');
  add(`length ${Math.min(6, Math.floor(all.length / 3))}`);
  if (sentences.some(({ question }) => question)) add('?');
  for (const sentence of sentences.slice(0, MOST_SENTENCES)) addSentence(sentence, add);
  return [...features];
}

/** Features start after the carrier phrase: "would you mind" says how, not what. */
function addSentence({ tokens }: Sentence, add: (feature: string) => void): void {
  const { span, moods } = findCore(tokens, [0, tokens.length]);
  const core = tokens.slice(...span);
  const words = core.length > HEAD + TAIL ? [...core.slice(0, HEAD), ...core.slice(-TAIL)] : core;
  const kinds = words.map(kindOf);
  const mood = [...moods].sort().join('+');
  add(`m ${mood}`);
  add(`v ${words[0]?.word ?? ''}`);
  add(`v ${mood} ${kinds[0] ?? ''}`);
  for (const { word, quoted } of words) if (!quoted) addWord(word, add);
  addNeighbours(words, add);
  const shape = collapse(kinds);
  shape.forEach((_, i) => {
    for (let n = 1; n <= 4; n++) if (i + n <= shape.length) add(`s ${shape.slice(i, i + n).join(' ')}`);
  });
  addPairs(shape, add);
}

const LONG_WORD = 4;
/** A word, its prefix and its suffix: inflections and typos share these. */
function addWord(word: string, add: (name: string) => void): void {
  add(`w ${word}`);
  if (word.length <= LONG_WORD) return;
  add(`x ${word.slice(0, LONG_WORD)}`);
  add(`y ${word.slice(1 - LONG_WORD)}`);
}

/** Each word with the one before it, and the last one with the end. What is quoted counts as one word, whatever it says. */
function addNeighbours(words: readonly Token[], add: (name: string) => void): void {
  let before = '<';
  for (const { word, quoted } of words) {
    const now = quoted ? '"' : word;
    if (quoted && before === '"') continue;
    add(`b ${before} ${now}`);
    before = now;
  }
  add(`b ${before} >`);
}

/** Pairs of words that belong together: "mark … done", "take … off". */
function addPairs(shape: readonly string[], add: (feature: string) => void): void {
  const telling = shape.flatMap((kind, at) => (GLUE.has(kind) || kind === '@x' ? [] : [{ kind, at }]));
  telling.forEach((first, i) => {
    for (const second of telling.slice(i + 1, i + 6))
      if (second.at - first.at > 1 && second.at - first.at <= WIDEST_PAIR)
        add(`p ${first.kind} ${second.kind}`);
  });
}

/** Consecutive unknown words count as one. */
function collapse(kinds: readonly string[]): string[] {
  return ['<', ...kinds.filter((kind, i) => kind !== '@x' || kinds[i - 1] !== '@x'), '>'];
}

/** FNV-1a over UTF-16 units, finished so that the low bits are well mixed. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value ^= value >>> 15;
  value = Math.imul(value, 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
