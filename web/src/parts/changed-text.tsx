import { visibleText } from '../../../src/lib/visible-text.ts';

const MAX_SHOWN = 1000;

interface Parts {
  start: string;
  removed: string;
  added: string;
  end: string;
}

/** The common beginning and end of two texts, and what differs between them. */
export function differenceOf(before: string, after: string): Parts {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  start = wordStart(before, start);
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  end = wordEnd([before, after], start, end);
  return {
    start: before.slice(0, start),
    removed: before.slice(start, before.length - end),
    added: after.slice(start, after.length - end),
    end: before.slice(before.length - end),
  };
}

const LONGEST_WORD = 40;
const isInWord = (character: string | undefined) => /[\p{L}\p{N}_]/u.test(character ?? '');

/** A word that differs is shown whole. */
function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < LONGEST_WORD && isInWord(text[start - 1])) start--;
  return start;
}

/** The common end without the rest of a word whose beginning differs. */
function wordEnd(texts: readonly [string, string], start: number, common: number): number {
  const cutsWord = (end: number) =>
    isInWord(texts[0].at(-end)) &&
    texts.some((text) => text.length - end > start && isInWord(text.at(-1 - end)));
  let end = common;
  while (end > 0 && common - end < LONGEST_WORD && cutsWord(end)) end--;
  return end;
}

const cut = (text: string) => visibleText(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
const endOf = (text: string) => visibleText(text.length > MAX_SHOWN ? `…${text.slice(-MAX_SHOWN)}` : text);

/** Untrusted text before and after a change, in one: what is gone is struck out, what is new is underlined, both in colour. */
export function ChangedText({ before, after }: { before: string | undefined; after: string | undefined }) {
  const { start, removed, added, end } = differenceOf(before ?? '', after ?? '');
  return (
    <p className="untrusted changed-text">
      <bdi>
        {endOf(start)}
        {removed !== '' && <del>{cut(removed)}</del>}
        {added !== '' && <ins>{cut(added)}</ins>}
        {cut(end)}
      </bdi>
    </p>
  );
}
