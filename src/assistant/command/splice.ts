import { wordsOf } from '../reply/task-words.ts';

/** A part of a title, said again with something new in it. */
export interface Splice {
  /** The title with the new words in it. */
  text: string;
  old: string;
  put: string;
  /** How many words of the title were said. */
  shared: number;
  /** One word takes the place of one, or the words on both sides are the same: nothing else can be meant. */
  isPlain: boolean;
}

interface Word {
  key: string;
  start: number;
  end: number;
}

const wordsIn = (text: string): Word[] =>
  [...text.matchAll(/[^\s,;"“”()]+/gu)].map(({ 0: word, index }) => ({
    key: word.toLowerCase().replace(/(?<![.!])[.!]+$/, ''),
    start: index,
    end: index + word.length,
  }));

const MOST_WORDS = 40;
const MOST_NEW = 5;
const ARTICLES = new Set(['the', 'a', 'an', 'my']);

/** "Meet Tom in the cafe" of "meet Tom in the lobby": the words that both have stay, and the new ones replace the ones between. */
export function splice(title: string, said: string): Splice | undefined {
  const own = wordsIn(title);
  const all = wordsIn(said);
  const from = all.findIndex(({ key }) => !ARTICLES.has(key));
  const words = all.slice(Math.max(from, 0));
  if (words.length === 0 || words.length > MOST_WORDS || own.length > MOST_WORDS) return undefined;
  for (let at = 0; at < own.length; at++) {
    const head = common(words, own.slice(at));
    if (head > 0 && isNaming(words.slice(0, head)))
      return joined({ title, said }, { words, own: own.slice(at) }, head);
  }
  for (let end = own.length; end > 0; end--) {
    const tail = common(words, own.slice(0, end), true);
    if (tail > 0 && isNaming(words.slice(-tail)))
      return beforeTail({ title, said }, { words, own: own.slice(0, end) }, tail);
  }
  return undefined;
}

function isNaming(words: readonly Word[]): boolean {
  return words.some(({ key }) => wordsOf(key).content.size > 0);
}

/** How many words two rows share from the start, or from the end. */
function common(a: readonly Word[], b: readonly Word[], fromEnd = false): number {
  let count = 0;
  const pick = (row: readonly Word[]) => row[fromEnd ? row.length - 1 - count : count]?.key;
  while (count < a.length && count < b.length && pick(a) === pick(b)) count++;
  return count;
}

interface Texts {
  title: string;
  said: string;
}

interface Rows {
  words: readonly Word[];
  own: readonly Word[];
}

/** The row of the title starts where the said words do. */
function joined(texts: Texts, { words, own }: Rows, head: number): Splice | undefined {
  const [news, olds] = [words.slice(head), own.slice(head)];
  if (news.length === 0 || news.length > MOST_NEW) return undefined;
  const tail = Math.min(common(news, olds, true), news.length - 1);
  const [put, rest] = [news.slice(0, news.length - tail), olds.slice(0, olds.length - tail)];
  const old = tail > 0 ? rest : rest.slice(0, Math.max(1, Math.min(put.length, rest.length)));
  const isPlain = tail > 0 || (old.length === rest.length && old.length === put.length);
  return put.length === 0
    ? undefined
    : placed(texts, { put, old, after: own[head - 1]!.end }, { shared: head + tail, isPlain });
}

/** "3 liters of milk" of "buy 2 liters of milk": new words before the ones that both have. */
function beforeTail(texts: Texts, { words, own }: Rows, tail: number): Splice | undefined {
  const put = words.slice(0, words.length - tail);
  const old = own.slice(0, own.length - tail).slice(-put.length);
  if (put.length === 0 || put.length > MOST_NEW || old.length === 0) return undefined;
  const isPlain = put.length === 1 && /^\d/.test(put[0]!.key) && /^\d/.test(old[0]!.key);
  return placed(texts, { put, old, after: 0 }, { shared: tail, isPlain });
}

function placed(
  { title, said }: Texts,
  { put, old, after }: { put: readonly Word[]; old: readonly Word[]; after: number },
  rest: Pick<Splice, 'shared' | 'isPlain'>,
): Splice {
  const words = said.slice(put[0]!.start, put.at(-1)!.end);
  const [start, end] = old.length > 0 ? [old[0]!.start, old.at(-1)!.end] : [after, after];
  const gap = old.length > 0 ? '' : ' ';
  return {
    text: `${title.slice(0, start)}${gap}${words}${title.slice(end)}`,
    old: title.slice(start, end),
    put: words,
    ...rest,
  };
}
