import { diffWordsWithSpace } from 'diff';
import { visibleText } from '../../../../src/lib/visible-text.ts';

const MAX_SHOWN = 1000;
/** More than this is shown as removed and added, so that no text of a server can keep the page busy. */
const MAX_COMPARED = 8000;
const MAX_EDITS = 600;

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

interface Piece {
  text: string;
  kind: 'same' | 'removed' | 'added';
}

/** The words that two texts share, and those that only one of them has. A change is found however far from the beginning it is. */
export function piecesOf(before: string, after: string): Piece[] {
  const { start, removed, added, end } = differenceOf(before, after);
  const isLong = removed.length + added.length > MAX_COMPARED;
  const changes = isLong ? undefined : diffWordsWithSpace(removed, added, { maxEditLength: MAX_EDITS });
  const middle: Piece[] = changes
    ? changes.map(({ value, added: isNew, removed: isGone }) => ({
        text: value,
        kind: isNew ? 'added' : isGone ? 'removed' : 'same',
      }))
    : [
        { text: removed, kind: 'removed' },
        { text: added, kind: 'added' },
      ];
  const all: Piece[] = [{ text: start, kind: 'same' }, ...middle, { text: end, kind: 'same' }];
  return all.filter(({ text }) => text !== '');
}

/** Of a long text the parts beside a change are shown. What changed is cut later than what did not. */
function shortened(
  { kind, text }: Piece,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): string {
  const most = kind === 'same' ? MAX_SHOWN : MAX_SHOWN * 4;
  if (text.length <= most) return text;
  const more = ` … (${(text.length - most).toLocaleString('en')} more characters)`;
  if (kind !== 'same') return `${text.slice(0, most)}${more}`;
  if (isFirst && !isLast) return `…${text.slice(-most)}`;
  return isLast ? `${text.slice(0, most)}…` : `${text.slice(0, most / 2)} … ${text.slice(-most / 2)}`;
}

const TAGS = { same: 'span', removed: 'del', added: 'ins' } as const;

/** Untrusted text before and after a change, in one: what is gone is struck out, what is new is underlined, both in colour. */
export function ChangedText({ before, after }: { before: string | undefined; after: string | undefined }) {
  const pieces = piecesOf(before ?? '', after ?? '');
  return (
    <p className="untrusted changed-text">
      <bdi>
        {pieces.map((piece, index) => {
          const Tag = TAGS[piece.kind];
          const place = { isFirst: index === 0, isLast: index === pieces.length - 1 };
          return <Tag key={index}>{visibleText(shortened(piece, place))}</Tag>;
        })}
      </bdi>
    </p>
  );
}
