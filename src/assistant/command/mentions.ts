import type { TaskReference } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { readPositions } from '../language/positions.ts';
import type { Span } from '../language/phrase.ts';
import type { Message, Token } from '../language/token.ts';
import { isThingOnly, isTypoOf, stem, titleWords } from '../reply/task-words.ts';
import { isFrameWord, isPlainVerb } from './frame-words.ts';

/** Stands for words of the message that name tasks. */
export interface Mention extends Token {
  word: typeof MENTION;
  tasks: KnownTask[];
  /** The whole title, not only some of its words. */
  isExact: boolean;
  /** As written. */
  said: string;
  /** A place in the list, where no title is named. */
  place?: TaskReference;
}

export const MENTION = 'X';

export function isMention(token: Token): token is Mention {
  return token.word === MENTION;
}

interface Word {
  text: string;
  start: number;
  end: number;
}
interface Found {
  from: number;
  to: number;
  tasks: KnownTask[];
  isExact: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*/gu;
const ARTICLES = new Set(['the', 'a', 'an', 'my', 'our', 'your']);
/** Never a title by themselves. */
const POINTERS = new Set(
  'it that this them those these one ones all everything both last first second third task tasks list todo'.split(
    ' ',
  ),
);
const MOST_WORDS = 400;

function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    if (words.length >= MOST_WORDS) break;
    words.push({
      text: match[0].toLowerCase().replaceAll("'", ''),
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return words;
}

function titleOf(task: KnownTask): string[] {
  const words = titleWords(task).key.split(' ').filter(Boolean);
  const from = words.findIndex((word) => !ARTICLES.has(word));
  return from < 0 ? words : words.slice(from);
}

/** The tokens of a message, with one token for each place that names a task: by its title, or else by some of its words. */
export function withMentions({ clean, sentences }: Message, tasks: readonly KnownTask[]): Token[] {
  const words = wordsIn(clean);
  const exact = findTitles(words, tasks);
  const found = joinedParts(exact.length > 0 ? exact : findPart(words, tasks), words, tasks);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  return found.reduceRight((all, one) => collapse(all, one, { clean, words }), tokens);
}

/** "Entferne 1", "borra la segunda": the tokens with one for each place in the list, where nothing else follows. */
export function withPlaces(clean: string, tokens: readonly Token[], [from, to]: Span): Token[] {
  const places = readPositions(clean, tokens, [from, to]);
  if (!places) return [...tokens];
  const [first, last] = [tokens[from]!, tokens[to - 1]!];
  const token = { start: first.start, end: last.end, quoted: false, corrected: false, afterComma: false };
  const mentions = places.map((place): Mention => ({
    word: MENTION,
    ...token,
    tasks: [],
    isExact: false,
    said: place.text,
    place,
  }));
  return [...tokens.slice(0, from), ...mentions, ...tokens.slice(to)];
}

function collapse(
  tokens: readonly Token[],
  { from, to, ...what }: Found,
  { clean, words }: { clean: string; words: readonly Word[] },
): Token[] {
  const start = words[from]!.start;
  const end = words[to - 1]!.end + signsAfter(clean, words[to - 1]!.end, what);
  const [first, last] = [
    tokens.findIndex((one) => one.end > start),
    tokens.findLastIndex((one) => one.start < end),
  ];
  if (first < 0 || last < first) return [...tokens];
  const { afterComma } = tokens[first]!;
  const said = clean.slice(start, end);
  const place = { start, end, quoted: false, corrected: false, afterComma };
  const mention: Mention = { word: MENTION, ...place, ...what, said };
  return [...tokens.slice(0, first), mention, ...tokens.slice(last + 1)];
}

/** How many characters after its last word belong to the title: "vote!", "cake (chocolate)". */
function signsAfter(clean: string, end: number, { tasks, isExact }: Omit<Found, 'from' | 'to'>): number {
  const signs = isExact ? (/[^\p{L}\p{M}\p{N}\s]+$/u.exec(tasks[0]!.description)?.[0] ?? '') : '';
  return clean.startsWith(signs, end) ? signs.length : 0;
}

/** Titles that the message contains, word for word; if there are none, with one typo. The longest title has priority. */
function findTitles(words: readonly Word[], tasks: readonly KnownTask[]): Found[] {
  const titles = tasks
    .map((task) => ({ task, title: titleOf(task) }))
    .filter(({ title }) => title.length > 1 || (title.length === 1 && isName(title[0]!)))
    .sort((a, b) => b.title.length - a.title.length);
  const same = occurrences(words, titles, (a, b) => a === b);
  return same.length > 0 ? same : occurrences(words, titles, isSlip);
}

function isName(word: string): boolean {
  return !POINTERS.has(word) && !/^\d+$/.test(word);
}

const SHORTEST_SLIP = 5;
function isSlip(said: string, word: string): boolean {
  return said === word || (word.length >= SHORTEST_SLIP && !isFrameWord(said) && isTypoOf(said, word));
}

function occurrences(
  words: readonly Word[],
  titles: ReadonlyArray<{ task: KnownTask; title: string[] }>,
  isSame: (said: string, word: string) => boolean,
): Found[] {
  const found: Found[] = [];
  for (const { task, title } of titles)
    for (let from = 0; from + title.length <= words.length; from++) {
      if (!title.every((word, i) => isSame(words[from + i]!.text, word))) continue;
      const to = from + title.length;
      const at = found.find((one) => one.from < to && from < one.to);
      if (!at) found.push({ from, to, tasks: [task], isExact: true });
      else if (at.from === from && at.to === to && !at.tasks.includes(task)) at.tasks.push(task);
    }
  return found.sort((a, b) => a.from - b.from);
}

const JOINTS = new Set(['and', 'und', 'et', 'y', 'e', 'en', 'plus', 'one', 'task', ...ARTICLES]);
/** "Dinner and the invoice": what is joined to a mention names a task too. */
function joinedParts(found: Found[], words: readonly Word[], tasks: readonly KnownTask[]): Found[] {
  const all = [...found];
  for (let next = found.at(-1); next;) {
    let from: number = next.to;
    while (from < words.length && JOINTS.has(words[from]!.text)) from++;
    const isJoined: boolean = words.slice(next.to, from).some(({ text }) => !ARTICLES.has(text));
    const rest = isJoined ? findPart(words.slice(from), tasks) : [];
    next = rest.find((one) => one.from === 0 && one.tasks.length === 1);
    if (next) all.push((next = { ...next, from: next.from + from, to: next.to + from }));
  }
  return all;
}

/** The longest run of words that are all in the title of one task, or of several. */
function findPart(words: readonly Word[], tasks: readonly KnownTask[]): Found[] {
  let best: Found | undefined;
  const stems = words.map(({ text }) => (isFrameWord(text) ? undefined : stem(text)));
  for (const task of tasks) {
    const run = longestRun(words, stems, titleWords(task).stems);
    if (!run || isThingOnly(textOfRun(words, run), task)) continue;
    const length = run[1] - run[0];
    const known = best ? best.to - best.from : 0;
    if (length > known) best = { from: run[0], to: run[1], tasks: [task], isExact: false };
    else if (length === known && best?.from === run[0]) best.tasks.push(task);
  }
  return best ? [best] : [];
}

/** With the article before it. */
function textOfRun(words: readonly Word[], [from, to]: readonly [number, number]): string {
  const start = ARTICLES.has(words[from - 1]?.text ?? '') ? from - 1 : from;
  return words
    .slice(start, to)
    .map(({ text }) => text)
    .join(' ');
}

function longestRun(
  words: readonly Word[],
  stems: ReadonlyArray<string | undefined>,
  title: ReadonlySet<string>,
): readonly [number, number] | undefined {
  let best: readonly [number, number] | undefined;
  for (let from = 0; from < words.length; from++) {
    if (stems[from] === undefined || !title.has(stems[from]!) || isPlainVerb(words[from]!.text)) continue;
    let to = from + 1;
    for (let i = to; i < words.length && title.has(stems[i] ?? stem(words[i]!.text)); i++)
      if (stems[i] !== undefined) to = i + 1;
    if (!best || to - from > best[1] - best[0]) best = [from, to];
    from = to;
  }
  return best;
}
