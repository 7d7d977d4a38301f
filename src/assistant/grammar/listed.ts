import type { Span } from '../language/phrase.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { isTimeHead } from '../language/words/times.ts';
import { describeTask, MOST_TASKS } from './intents/describe.ts';
import { NOUNS_TOO } from './nouns-too.ts';
import type { Clause } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** They tie the things of a list to one deed: "dinner with tom, dick and harry". */
const TIES = set(
  'with for to at on by from of about in into onto before after until between without using via as like than',
);
const FEWEST = 3;
const LONGEST_THING = 3;

/** "eggs, milk and bread" as three tasks; "buy eggs, milk and bread" and "wash, dry and fold the laundry" are one. */
export function listedItems(clause: Clause, what: Span): string[] | undefined {
  const spans = partsOf(clause, what);
  if (spans.length < FEWEST || spans.length > MOST_TASKS) return undefined;
  const alike =
    spans.every((span) => isThing(clause, span)) ||
    spans.every((span) => span[1] - span[0] > 1 && isDeed(clause, span));
  if (!alike) return undefined;
  const texts = spans.map((span) => describeTask(clause, span));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Between commas, the last one perhaps behind an "and". */
function partsOf(clause: Clause, [from, to]: Span): Span[] {
  const { tokens } = clause;
  const spans: Span[] = [];
  let start = from;
  for (let i = from + 1; i <= to; i++) {
    if (i < to && !hasCommaBefore(clause, i) && !(spans.length > 0 && hasAndBefore(clause, i))) continue;
    if (isAnd(tokens[start]!.word) && !tokens[start]!.quoted) start++;
    if (start < i) spans.push([start, i]);
    start = i;
  }
  return spans;
}

function hasCommaBefore({ clean, tokens }: Clause, at: number): boolean {
  return clean.slice(tokens[at - 1]!.end, tokens[at]!.start).includes(',');
}

function hasAndBefore({ clean, tokens }: Clause, at: number): boolean {
  const { word, quoted, start } = tokens[at]!;
  return clean.slice(tokens[at - 1]!.end, start).includes('&') || (!quoted && isAnd(word));
}

function isAnd(word: string): boolean {
  return word === 'and' || word === '&';
}

function isDeed({ tokens }: Clause, [from, to]: Span): boolean {
  const { word, quoted } = tokens[from]!;
  return !quoted && DEEDS.has(word) && (to - from > 1 || !NOUNS_TOO.has(word));
}

function isThing(clause: Clause, span: Span): boolean {
  const words = clause.tokens.slice(...span);
  if (words.every(({ quoted }) => quoted)) return true;
  if (words.length > LONGEST_THING || isDeed(clause, span)) return false;
  return words.every(({ word, quoted }) => quoted || (!TIES.has(word) && !isTimeHead(word)));
}
