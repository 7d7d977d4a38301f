import type { TaskReference } from '../../contract/chat.ts';
import { phrases } from '../language/groups.ts';
import { matchAll, textOf, matchStart, type Span } from '../language/phrase.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { type ReadClause, isStrong, type Clause, type Reading } from './reading.ts';
import { ADDS } from './intents/create.ts';
import { isPurchaseRequest, isNounPhrase } from './guards.ts';
import { NAMES_LIST } from './intents/list.ts';
import type { Message } from '../language/token.ts';
import { findTarget } from '../language/reference.ts';
import { asChained } from './clauses.ts';
import { toClause, readClause } from './grammar.ts';

/**
 * Joins what belongs together: "I bought the eggs, you can remove them from the list" is one delete, of the eggs; "we need milk, add it" is
 * one new task. The later clause says what is wanted, the earlier one of what.
 */
export function mergeClauses(clauses: readonly ReadClause[]): ReadClause[] {
  const merged: ReadClause[] = [];
  for (const item of clauses) {
    const before = merged.at(-1);
    if (before && !item.reading && saysIfNot(item.clause)) continue;
    if (item.reading && merged.some((earlier) => isOrdered(earlier, item.reading!))) continue;
    const reading = before && item.reading && joined(before, item.reading);
    if (before && reading)
      merged[merged.length - 1] = { clause: span(before.clause, item.clause), cut: true, reading };
    else merged.push(item);
  }
  return merged;
}

/** "I'd like a coffee, and add milk" is a purchase. */
function isOrdered({ clause, reading }: ReadClause, { rule }: Reading): boolean {
  return !reading && rule === ADDS && isPurchaseRequest(clause.tokens, clause.whole);
}

function joined(before: ReadClause, second: Reading): Reading | undefined {
  // The list was named before, so what is done to it needs no other word for it.
  if (leadsTo(before, second)) return { ...second, strength: 'strong' };
  return (
    unlessThere(before, second) ??
    (before.reading ? mergeReadings(before.reading, second) : fillIn(before, second))
  );
}

/** Both clauses together, where they are of one sentence. */
function span(first: Clause, second: Clause): Clause {
  return first.tokens === second.tokens ? { ...second, whole: [first.whole[0], second.whole[1]] } : second;
}

const OPENS = new Set('open find get take see view access load look check on in for to'.split(' '));
/** "Open my list and add milk" wants milk on the list, not to see it. */
function leadsTo({ clause, reading }: ReadClause, second: Reading): boolean {
  if (reading?.intent !== 'LIST_TASKS' || second.intent === 'LIST_TASKS') return false;
  return reading.rule === NAMES_LIST || OPENS.has(clause.tokens[clause.core[0]]!.word);
}

function mergeReadings(first: Reading, second: Reading): Reading | undefined {
  if (isStrong(first.strength) && first.intent !== second.intent) return undefined;
  if (second.intent === 'CREATE_TASK' && !second.descriptions)
    return first.descriptions && { ...second, descriptions: first.descriptions };
  return second.references?.every(isPointer) ? pointAt(first, second) : undefined;
}

/** The second reading, of the tasks that the first one names. */
function pointAt(first: Reading, second: Reading): Reading | undefined {
  const references =
    first.references ?? first.descriptions?.map((text): TaskReference => ({ kind: 'title', text }));
  if (!references) return undefined;
  const change = second.change ?? first.change;
  const strength = second.strength === 'unsure' ? 'weak' : second.strength;
  return { ...second, strength, references, ...(change && { change }) };
}

const ASKED_FOR = phrases(`
  is|are|was|were there? any|some|the? {what:6} already|listed|added|written? on|in @list {rest?:4}
  do|did|have i|we already? have|put|add|added|got? any|some|the? {what:6} already|listed? on|in|to @list {rest?:4}
`);
const IF_NOT = phrases(`
  if not
  if it|they is|are not
  if i|we do|have not
`);
function saysIfNot({ tokens, whole }: Clause): boolean {
  return IF_NOT.some((item) => matchAll(item, tokens, whole));
}

/** "Is milk on my list? If not, add it" wants milk on the list. */
function unlessThere({ clause, reading }: ReadClause, second: Reading): Reading | undefined {
  if (reading?.intent !== 'LIST_TASKS' || second.intent !== 'CREATE_TASK') return undefined;
  if (second.descriptions && !/^(?:it|them|that|those|if)\b/i.test(second.descriptions[0]!)) return undefined;
  const { clean, tokens, whole } = clause;
  const what = ASKED_FOR.map((item) => matchAll(item, tokens, whole)?.['what']).find(Boolean);
  return what && { ...second, strength: 'certain', descriptions: [textOf(clean, tokens, what)] };
}

const LONGEST_TITLE = 10;
/** What people say before "add that". */
const LACKS = phrases(`
  i|we am|are? almost|nearly|running|completely? out of {what}, i|we am|are? running|getting? low on {what}
  i|we need|want more|some? {what}, i|we do not have any|enough more? {what}, there is|are no more? {what}, no more {what}
`);
/** "Buy tickets, add that to my list", "I am out of apples, add them": what was said before is the task. */
function fillIn(
  { clause: { clean, tokens, core, whole } }: ReadClause,
  reading: Reading,
): Reading | undefined {
  if (reading.intent !== 'CREATE_TASK' || reading.descriptions) return undefined;
  const lacked = LACKS.map((item) => matchAll(item, tokens, whole)?.['what']).find(
    (span) => span !== undefined,
  );
  const deed =
    ACTION_VERBS.has(tokens[core[0]]?.word ?? '') && core[1] - core[0] <= LONGEST_TITLE ? core : undefined;
  const span = lacked ?? deed;
  return span && { ...reading, descriptions: [textOf(clean, tokens, span)] };
}

function isPointer({ kind, text }: TaskReference): boolean {
  return kind === 'recent' || (kind === 'all' && /^(?:them|those|these|all of them)$/i.test(text));
}

const MEANT = phrases(`
  no|nope|nah|wait|sorry|oops|actually|oh* i meant|mean the? other? one? :?
`);
/** After these it is said what was meant of the question, not which task. */
const OF_THE_ANSWER = new Set('to no not yes it that this them what is was keep do yeah yep'.split(' '));
const LONGEST_NAME = 8;

/** "No, I meant book flights", while a delete waits: another task is to be deleted, or something else to be done. */
export function readCorrectedTarget({
  clean,
  sentences: [sentence, another],
}: Message): ReadClause | undefined {
  if (!sentence || another || sentence.question) return undefined;
  const { tokens } = sentence;
  const from = MEANT.map((item) => matchStart(item, tokens, [0, tokens.length])).find(
    (end) => end !== undefined && end < tokens.length,
  );
  if (from === undefined || OF_THE_ANSWER.has(tokens[from]!.word)) return undefined;
  const span: Span = [from, tokens.length];
  const clause = toClause(clean, sentence, span);
  const order = readClause(clause);
  if (order) return { clause, cut: true, reading: asChained(order) };
  const target = isNounPhrase(tokens, span) ? findTarget(clean, tokens, span) : undefined;
  if (!target || tokens.length - from > LONGEST_NAME || target.references[0]!.kind === 'all')
    return undefined;
  const rule = 'names another task to delete';
  const { references } = target;
  return { clause, cut: true, reading: { intent: 'DELETE_TASK', strength: 'certain', rule, references } };
}
