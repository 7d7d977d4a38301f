import { findCore } from '../language/carriers.ts';
import type { Message, Sentence, Token } from '../language/normalise.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { isTimeHead } from '../language/words/times.ts';
import { DEEDS, DOING, PAST_DEEDS } from '../language/words/deeds.ts';

/** Power of two: a feature's bucket is the low bits of its hash. */
export const BUCKETS = 1 << 14;
const HEAD = 40;
const TAIL = 8;
const MOST_SENTENCES = 4;

/** Words that carry the shape of a sentence; every other word is replaced by what kind of word it is. */
const SHAPE = new Set(
  `a an the my our your his her their this that these those it its i you he she we they me us him them one ones
   to of in on at by for from with about into onto off out up down over back as per than if when while before after until
   and or but so because then also too just only already still yet again now not no never
   is are was were am be been being do does did done have has had having can could would will shall should may might must need needs want wants
   what which who whom whose why how where there here all any some every each both everything anything something nothing more else another new
   please thanks thank hello hi hey ok yes sorry like let get got make made take put set give tell show say know think see look
   task tasks todo todos reminder reminders remind reminded list lists item items chore chores errand errands note thing things dont-forget remember forget
   add create delete remove erase cancel clear wipe drop scrap rid mark check tick cross strike complete completed finish finished
   change update edit modify rename move reschedule postpone push shift replace swap add-to left due pending next plate agenda
   read open display shopping grocery groceries today tomorrow anymore longer needed instead going supposed first second third last number
   # : + emoji-yes emoji-no`.split(/\s+/),
);

function kindOf({ word, quoted }: Token): string {
  if (quoted) return '"';
  if (SHAPE.has(word)) return word;
  if (/^\d+$/.test(word)) return '9';
  if (isTimeHead(word)) return '@t';
  if (DEEDS.has(word)) return '@do';
  if (PAST_DEEDS.has(word)) return '@did';
  if (DOING.has(word)) return '@ing';
  if (FOREIGN.has(word)) return '@far';
  return '@x';
}

/** The buckets that a message falls into, each once. Long messages count by their beginning and end. */
export function featuresOf({ sentences }: Pick<Message, 'sentences'>): number[] {
  const all = sentences.flatMap(({ tokens }) => tokens);
  const tokens = all.length > HEAD + TAIL ? [...all.slice(0, HEAD), ...all.slice(-TAIL)] : all;
  const buckets = new Set<number>();
  const add = (feature: string) => buckets.add(hash(feature) & (BUCKETS - 1));
  add('bias');
  add(`length ${Math.min(6, Math.floor(tokens.length / 3))}`);
  if (sentences.some(({ question }) => question)) add('?');
  for (const { word, quoted } of tokens) if (!quoted) add(`w ${word}`);
  const shape = collapse(tokens.map(kindOf));
  shape.forEach((_, i) => {
    for (let n = 2; n <= 4; n++) if (i + n <= shape.length) add(`s ${shape.slice(i, i + n).join(' ')}`);
  });
  for (let i = 1; i < tokens.length; i++) add(`b ${tokens[i - 1]!.word} ${tokens[i]!.word}`);
  for (const sentence of sentences.slice(0, MOST_SENTENCES)) addPoint(sentence, add);
  return [...buckets];
}

/** How a sentence begins once its carrier phrase is cut off: the verb, mostly. */
function addPoint({ tokens }: Sentence, add: (feature: string) => void): void {
  const { span, moods } = findCore(tokens, [0, tokens.length]);
  const words = tokens.slice(span[0], span[0] + 3);
  const shape = words.map(kindOf);
  const mood = [...moods].sort().join('+');
  add(`m ${mood}`);
  add(`v ${words[0]?.word ?? ''}`);
  add(`v ${mood} ${shape[0] ?? ''}`);
  add(
    `v2 ${words
      .slice(0, 2)
      .map(({ word }) => word)
      .join(' ')}`,
  );
  for (let n = 1; n <= 3; n++) add(`^ ${shape.slice(0, n).join(' ')}`);
  add(
    `$ ${tokens
      .slice(Math.max(span[0], span[1] - 2), span[1])
      .map(kindOf)
      .join(' ')}`,
  );
}

/** A run of words without shape counts as one. */
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
