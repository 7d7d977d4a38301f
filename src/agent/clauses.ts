import { clauseOf, readClause } from './grammar/grammar.ts';
import type { Clause, Reading } from './grammar/reading.ts';
import type { Message, Sentence } from './normalise.ts';
import type { Span } from './phrase.ts';

/** A part of the message, and what the grammar makes of it. */
export interface ReadClause {
  clause: Clause;
  reading: Reading | undefined;
}

const JOINTS = new Set(['and', 'then', 'also', 'plus', 'but', 'or', '&', 'so']);
/** Words that begin a reason or an afterthought. */
const ENDINGS = new Set(['because', 'since', 'as', 'so', 'but', 'and', 'cos']);
const MOST_SPLITS = 6;

/** Cuts a sentence where a new order begins: never inside a title, so the part after the cut must be an order beyond doubt. */
export function readSentence(message: Message, sentence: Sentence): ReadClause[] {
  const found: ReadClause[] = [];
  let from = 0;
  for (let splits = 0; splits < MOST_SPLITS; splits++) {
    const cut = nextCut(message, sentence, from);
    if (cut === undefined) break;
    found.push(readPart(message, sentence, [from, cut.end]));
    from = cut.start;
  }
  found.push(readPart(message, sentence, [from, sentence.tokens.length]));
  return found;
}

function read(message: Message, sentence: Sentence, span: Span): ReadClause {
  const clause = clauseOf(message.clean, sentence, span);
  return { clause, reading: readClause(clause) };
}

const MOST_PREFIXES = 4;
/** As a whole; where that says nothing, without what follows a comma: "delete the gym task, I am not going". */
function readPart(message: Message, sentence: Sentence, [from, to]: Span): ReadClause {
  const whole = read(message, sentence, [from, to]);
  if (whole.reading && whole.reading.strength !== 'unsure') return whole;
  let tries = 0;
  for (let i = to - 1; i > from && tries < MOST_PREFIXES; i--) {
    const token = sentence.tokens[i]!;
    if (token.quoted || !(token.afterComma || ENDINGS.has(token.word))) continue;
    tries++;
    const part = read(message, sentence, [from, i]);
    if (part.reading?.strength === 'strong') return part;
  }
  return whole;
}

/** Ends before the joint, starts after it. */
function nextCut(
  message: Message,
  { tokens, question }: Sentence,
  from: number,
): { end: number; start: number } | undefined {
  const limit = Math.min(tokens.length, from + 64);
  for (let i = from + 1; i < limit; i++) {
    const token = tokens[i]!;
    if (token.quoted || tokens[i - 1]!.quoted !== token.quoted) continue;
    const joint = JOINTS.has(token.word);
    if (!joint && !token.afterComma && !beginsRequest(tokens, i)) continue;
    let start = i;
    while (start < limit && JOINTS.has(tokens[start]!.word)) start++;
    if (start < limit && startsOrder(message, { tokens, question }, [start, tokens.length]))
      return { end: i, start };
  }
  return undefined;
}

/** Speech has no commas: "… the lawn you can check that off". */
function beginsRequest(tokens: Sentence['tokens'], at: number): boolean {
  const [word, next] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  if (word === 'please') return true;
  return (
    (word === 'you' && ['can', 'may', 'could'].includes(next)) ||
    (['can', 'could', 'would', 'will'].includes(word) && next === 'you')
  );
}

function startsOrder(message: Message, sentence: Sentence, span: Span): boolean {
  const { reading, clause } = read(message, sentence, span);
  if (reading?.strength !== 'strong' || reading.rule === 'names the list') return false;
  // A wish or a question in the middle of a sentence is part of what was said before.
  return clause.core[0] === clause.whole[0] || clause.moods.has('request') || clause.asked;
}
