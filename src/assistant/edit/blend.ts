import { isTypoOf, stem, wordsOf } from '../reply/task-words.ts';

/** A title with something new said over a part of it. */
export interface Blend {
  text: string;
  /** The words that are gone. */
  lost: string[];
  /** How many words with a meaning both have. */
  shared: number;
  /** In how many places. */
  changes: number;
  /** Each new word stands for one of the title: nothing was guessed. */
  isAll: boolean;
  /** What is replaced stands between words that both have, or is as long as what replaces it. */
  isPlain: boolean;
}

interface Word {
  text: string;
  key: string;
  start: number;
  end: number;
}

const MOST_WORDS = 40;
const AMOUNT = /^([#$€£]?)\d+(?:[.,]\d+)*(%|\p{L}{0,3})$/u;

const wordsIn = (text: string): Word[] =>
  [...text.matchAll(/[#$€£]?[\p{L}\p{M}\p{N}]+(?:[.,:/'’-][\p{L}\p{M}\p{N}]+)*%?/gu)].map(
    ({ 0: word, index }) => ({ text: word, key: word.toLowerCase(), start: index, end: index + word.length }),
  );

/** How alike two words are: the same, another form of it, or of one kind (numbers, a slip and its correction). */
function likeness(a: Word, b: Word): number {
  if (a.key === b.key) return 4;
  if (stem(a.key) === stem(b.key)) return 3;
  return isSameAmount(a.key, b.key) || (a.key.length > 3 && isTypoOf(a.key, b.key)) ? 2 : 0;
}

/** "$20" and "$30", "5k" and "10k", but not "3" and "3pm". */
export function isSameAmount(a: string, b: string): boolean {
  const [one, two] = [AMOUNT.exec(a), AMOUNT.exec(b)];
  return one !== null && two !== null && one[1] === two[1] && one[2] === two[2];
}

/** "Under $30 for Ella": nothing is new but an amount, wherever it stands. */
function oneValue({
  title,
  own,
  news,
}: {
  title: string;
  own: readonly Word[];
  news: readonly Word[];
}): Blend | undefined {
  const added = news.filter(
    ({ key }) => !own.some((word) => word.key === key || stem(word.key) === stem(key)),
  );
  const [put, another] = added;
  const olds = put && !another ? own.filter(({ key }) => isSameAmount(key, put.key)) : [];
  const [old] = olds;
  if (!put || !old || olds.length > 1 || news.length < 2) return undefined;
  const text = `${title.slice(0, old.start)}${put.text}${title.slice(old.end)}`;
  return { text, lost: [old.text], changes: 1, shared: news.length - 1, isAll: true, isPlain: true };
}

type Pair = readonly [said: number, own: number];

/** "Meet Tom in the cafe" over "meet Tom in the lobby": words that both have stay; what stands between them is replaced. */
export function blend(title: string, said: string): Blend | undefined {
  const [own, news] = [wordsIn(title), wordsIn(said)];
  if (news.length === 0 || news.length > MOST_WORDS || own.length > MOST_WORDS) return undefined;
  const pairs = pairUp(news, own);
  if (pairs.length === 0) return undefined;
  const parts = partsOf(pairs, news, own);
  const lost = parts.flatMap(({ from, to }) => own.slice(from, to)).map(({ text }) => text);
  const shared = pairs.filter(
    ([i, j]) => likeness(news[i]!, own[j]!) > 2 && wordsOf(news[i]!.text).content.size > 0,
  ).length;
  const values = pairs.filter(([i, j]) => likeness(news[i]!, own[j]!) === 2).map(([, j]) => own[j]!.text);
  const mixed = {
    text: rebuilt({ title, said }, { news, own }, { pairs, parts }),
    lost: [...lost, ...values],
    changes: parts.length + values.length,
    shared,
    isAll: parts.length === 0,
    isPlain: parts.every(({ isPlain }) => isPlain),
  };
  return mixed.isAll ? mixed : (oneValue({ title, own, news }) ?? mixed);
}

/** The best pairs of like words, in the order of both. */
function pairUp(news: readonly Word[], own: readonly Word[]): Pair[] {
  const best: Array<Array<{ score: number; pairs: readonly Pair[] }>> = [];
  const at = (i: number, j: number) => best[i]?.[j] ?? { score: 0, pairs: [] };
  for (let i = news.length - 1; i >= 0; i--) {
    best[i] = [];
    for (let j = own.length - 1; j >= 0; j--) {
      const like = likeness(news[i]!, own[j]!);
      const both = {
        score: like + at(i + 1, j + 1).score,
        pairs: [[i, j] as const, ...at(i + 1, j + 1).pairs],
      };
      const [a, b] = [at(i + 1, j), at(i, j + 1)];
      const rest = a.score >= b.score ? a : b;
      best[i]![j] = like > 0 && both.score >= rest.score ? both : rest;
    }
  }
  return [...at(0, 0).pairs];
}

interface Part {
  /** New words. */
  put: readonly [number, number];
  /** Of the title, what they replace. */
  from: number;
  to: number;
  isPlain: boolean;
}

/** The new words without a like one: before, between and after those that have one. */
function partsOf(pairs: readonly Pair[], news: readonly Word[], own: readonly Word[]): Part[] {
  const parts: Part[] = [];
  for (let k = 0; k <= pairs.length; k++) {
    const [i0, j0] = k === 0 ? [-1, pairs[0]![1] - 1] : pairs[k - 1]!;
    const [i1, j1] = k === pairs.length ? [news.length, own.length] : pairs[k]!;
    const put = [i0 + 1, i1] as const;
    const [count, room] = [i1 - i0 - 1, j1 - j0 - 1];
    if (count === 0 && (room === 0 || k === 0 || k === pairs.length)) continue;
    const isLast = k === pairs.length;
    const to = isLast ? j0 + 1 + Math.min(room, count) : j1;
    const isPlain = isLast ? room === 0 || room === count : true;
    parts.push({ put, from: j0 + 1, to, isPlain });
  }
  return parts;
}

function rebuilt(
  { title, said }: { title: string; said: string },
  { news, own }: { news: readonly Word[]; own: readonly Word[] },
  { pairs, parts }: { pairs: readonly Pair[]; parts: readonly Part[] },
): string {
  const same = pairs
    .filter(([i, j]) => news[i]!.key !== own[j]!.key)
    .map(([i, j]) => ({ start: own[j]!.start, end: own[j]!.end, text: news[i]!.text }));
  const put = parts.map(({ put: [a, b], from, to }) => {
    const text = a < b ? said.slice(news[a]!.start, news[b - 1]!.end) : '';
    if (from < to) return { start: own[from]!.start, end: own[to - 1]!.end, text };
    const isEnd = from >= own.length;
    const place = isEnd ? own.at(-1)!.end : own[from]!.start;
    return { start: place, end: place, text: isEnd ? ` ${text}` : `${text} ` };
  });
  return [...same, ...put]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: one }) => `${text.slice(0, start)}${one}${text.slice(end)}`, title)
    .replace(/ {2,}/g, ' ')
    .trim();
}
