import type { Message } from '../language/token.ts';
import { phrases } from '../language/groups.ts';
import { matchStart, type Span } from '../language/phrase.ts';
import { findTarget } from '../language/reference.ts';
import { chained } from './chain.ts';
import type { ReadClause } from './reading.ts';
import { clauseOf, readClause } from './grammar.ts';
import { isNounPhrase } from './guards.ts';

const MEANT = phrases(`
  no|nope|nah|wait|sorry|oops|actually|oh* i meant|mean the? other? one? :?
`);
/** After these it is said what was meant of the question, not which task. */
const OF_THE_ANSWER = new Set('to no not yes it that this them what is was keep do yeah yep'.split(' '));
const LONGEST_NAME = 8;

/** "No, I meant book flights", while a delete waits: another task is to be deleted, or something else to be done. */
export function readMeant({ clean, sentences: [sentence, another] }: Message): ReadClause | undefined {
  if (!sentence || another || sentence.question) return undefined;
  const { tokens } = sentence;
  const from = MEANT.map((item) => matchStart(item, tokens, [0, tokens.length])).find(
    (end) => end !== undefined && end < tokens.length,
  );
  if (from === undefined || OF_THE_ANSWER.has(tokens[from]!.word)) return undefined;
  const span: Span = [from, tokens.length];
  const clause = clauseOf(clean, sentence, span);
  const order = readClause(clause);
  if (order) return { clause, cut: true, reading: chained(order) };
  const target = isNounPhrase(tokens, span) ? findTarget(clean, tokens, span) : undefined;
  if (!target || tokens.length - from > LONGEST_NAME || target.references[0]!.kind === 'all')
    return undefined;
  const rule = 'names another task to delete';
  const { references } = target;
  return { clause, cut: true, reading: { intent: 'DELETE_TASK', strength: 'certain', rule, references } };
}
