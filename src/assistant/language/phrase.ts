import type { Token } from './token.ts';

/**
 * Phrases of the grammar, written as people would say them:
 *   word          this word            a|b     one of these words
 *   @name         one of a named group word?   may be missing      word*   any number of times
 *   {name}        one word or more     {name?} any number of words, perhaps none      {name:3}  at most three
 *   name@group    keeps what the group matched under a name
 * A phrase covers the whole range that it is matched with; matchStart() only its beginning. Gaps take as little as they can.
 */
export type Span = readonly [from: number, to: number];
export type Slots = Record<string, Span>;
/** Where a group that starts at a token may end; nothing where it does not start there. The longest first. */
export interface Group {
  (tokens: readonly Token[], at: number, end: number): readonly number[];
  /** The words that it can start with, if known: a fast check. */
  firsts?: ReadonlySet<string>;
}

interface Part {
  kind: 'group' | 'gap';
  optional: boolean;
  repeated: boolean;
  ends: Group;
  name: string;
  most: number;
}
export interface Phrase {
  parts: readonly Part[];
  source: string;
  firsts?: ReadonlySet<string>;
}

/** Longer clauses are matched by their beginning: nobody gives a command of this many words before its object. */
export const LONGEST_MATCH = 48;

const NOWHERE: readonly number[] = [];

export function wordsGroup(phrases: readonly string[]): Group {
  const byFirst = new Map<string, string[][]>();
  for (const words of phrases.map((phrase) => phrase.split(' ')))
    byFirst.set(words[0]!, [...(byFirst.get(words[0]!) ?? []), words]);
  for (const list of byFirst.values()) list.sort((a, b) => b.length - a.length);
  const ends: Group = (tokens, at, end) => {
    const candidates = at < end && !tokens[at]!.quoted ? byFirst.get(tokens[at]!.word) : undefined;
    if (!candidates) return NOWHERE;
    return candidates
      .filter((words) => at + words.length <= end && reads(tokens, at, words))
      .map((words) => at + words.length);
  };
  ends.firsts = new Set(byFirst.keys());
  return ends;
}

function reads(tokens: readonly Token[], at: number, words: readonly string[]): boolean {
  return words.every((word, i) => tokens[at + i]!.word === word && !tokens[at + i]!.quoted);
}

export function phraseMaker(groups: Readonly<Record<string, Group>>): (source: string) => Phrase {
  return (source) => {
    const parts = source.split(' ').map((text) => partOf(text, groups));
    const firsts = firstsOf(parts);
    return { source, parts, ...(firsts && { firsts }) };
  };
}

function firstsOf(parts: readonly Part[]): Set<string> | undefined {
  const firsts = new Set<string>();
  for (const { kind, ends, optional } of parts) {
    if (kind === 'gap' || !ends.firsts) return undefined;
    for (const word of ends.firsts) firsts.add(word);
    if (!optional) return firsts;
  }
  return undefined;
}

function cannotStart({ firsts }: Phrase, tokens: readonly Token[], [from, to]: Span): boolean {
  return firsts !== undefined && (from >= to || !firsts.has(tokens[from]!.word));
}

function partOf(text: string, groups: Readonly<Record<string, Group>>): Part {
  const gap = /^\{(\w+)(\?)?(?::(\d+))?\}$/.exec(text);
  const base = { optional: false, repeated: false, name: '', most: Infinity };
  if (gap)
    return {
      ...base,
      kind: 'gap',
      optional: Boolean(gap[2]),
      ends: () => [],
      name: gap[1]!,
      most: Number(gap[3] ?? Infinity),
    };
  const suffix = /^(.+?)([?*])?$/.exec(text)!;
  const named = /^(\w*)@(\w+)$/.exec(suffix[1]!);
  const ends = named ? groups[named[2]!] : wordsGroup(suffix[1]!.split('|'));
  if (!ends) throw new Error(`the grammar has no group ${text}`);
  const optional = suffix[2] !== undefined;
  return { ...base, kind: 'group', ends, optional, repeated: suffix[2] === '*', name: named?.[1] ?? '' };
}

export function matchAll(phrase: Phrase, tokens: readonly Token[], [from, to]: Span): Slots | undefined {
  if (cannotStart(phrase, tokens, [from, to])) return undefined;
  const slots: Slots = {};
  const limit = Math.min(to, from + LONGEST_MATCH);
  const run = { parts: phrase.parts, tokens, end: limit, whole: true, slots };
  if (step(run, 0, from) === undefined) return undefined;
  for (const [name, span] of Object.entries(slots)) if (span[1] === limit) slots[name] = [span[0], to];
  return slots;
}

/** Where the phrase ends, if the range begins with it. */
export function matchStart(phrase: Phrase, tokens: readonly Token[], [from, to]: Span): number | undefined {
  if (cannotStart(phrase, tokens, [from, to])) return undefined;
  const end = Math.min(to, from + LONGEST_MATCH);
  return step({ parts: phrase.parts, tokens, end, whole: false, slots: {} }, 0, from);
}

interface Run {
  parts: readonly Part[];
  tokens: readonly Token[];
  end: number;
  whole: boolean;
  slots: Slots;
}

function step(run: Run, index: number, at: number): number | undefined {
  const part = run.parts[index];
  if (!part) return !run.whole || at === run.end ? at : undefined;
  return part.kind === 'gap' ? gapStep(run, index, at) : groupStep(run, index, at);
}

function gapStep(run: Run, index: number, at: number): number | undefined {
  const { name, optional, most } = run.parts[index]!;
  const last = Math.min(run.end, at + most);
  const isFinal = run.whole && index === run.parts.length - 1;
  for (let to = isFinal ? run.end : at + (optional ? 0 : 1); to <= last; to++) {
    if (to === at && !optional) break;
    const done = step(run, index + 1, to);
    if (done !== undefined) {
      run.slots[name] = [at, to];
      return done;
    }
  }
  return undefined;
}

function groupStep(run: Run, index: number, at: number): number | undefined {
  const part = run.parts[index]!;
  for (const to of part.ends(run.tokens, at, run.end)) {
    const done = step(run, part.repeated ? index : index + 1, to);
    if (done === undefined) continue;
    if (part.name) run.slots[part.name] = [at, to];
    return done;
  }
  return part.optional ? step(run, index + 1, at) : undefined;
}

/** An emoji beside a word belongs to it ("buy 🥛"), up to this distance. */
const FURTHEST_EMOJI = 40;

const MARKS_BEFORE = /(?<=^|\s)[*_~`]{1,3}$/;
const MARKS_AFTER = /^[*_~`]{1,3}/;
const MOST_MARKS = 3;
/** Marks of style that stand around a word, where both of the pair are in the range: "**bold** type". */
function withMarks(clean: string, [first, last]: Span): Span {
  const before = MARKS_BEFORE.exec(clean.slice(Math.max(0, first - MOST_MARKS - 1), first))?.[0] ?? '';
  const after = MARKS_AFTER.exec(clean.slice(last, last + MOST_MARKS))?.[0] ?? '';
  const opens = before !== '' && clean.slice(first, last + after.length).includes(before);
  const closes = after !== '' && clean.slice(first - before.length, last).includes(after);
  return [opens ? first - before.length : first, closes ? last + after.length : last];
}

/** A range of words as written, on one line, with adjacent emoji and the closing quotation mark. */
export function textOf(clean: string, tokens: readonly Token[], [from, to]: Span): string {
  if (to <= from) return '';
  const [first, last] = withMarks(clean, [tokens[from]!.start, tokens[to - 1]!.end]);
  const before = trailingEmoji(clean.slice(Math.max(0, first - FURTHEST_EMOJI), first));
  const after = leadingEmoji(clean.slice(last, last + FURTHEST_EMOJI));
  const [start, end] = [first - before.length, last + after.length];
  const text = clean.slice(start, end);
  const open = (text.match(/"/g) ?? []).length % 2 === 1 && clean[end] === '"';
  const bracket = clean[end] === ')' && text.lastIndexOf('(') > text.lastIndexOf(')') ? ')' : '';
  return (open ? `${text}"` : text + bracket).replace(/\s+/g, ' ').trim();
}

// Emoji that name a thing. Faces and gestures only express a mood, so they are left out.
const EACH = /(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}/gu;
const FIRST = /^(?:\s*(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic})+/u;
const LAST = /(?:(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}\s*)+$/u;
const ALONE = /^\s*((?:(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}\s*)+)[.!]*\s*$/u;

export const emojiIn = (text: string): string[] => text.match(EACH) ?? [];
export const leadingEmoji = (text: string): string => FIRST.exec(text)?.[0] ?? '';
export const trailingEmoji = (text: string): string => LAST.exec(text)?.[0] ?? '';
/** Where a text is nothing else. */
export const emojiOnly = (text: string): string | undefined => ALONE.exec(text)?.[1]?.trim();
