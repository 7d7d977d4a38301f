import type { Sentence, Token } from '../language/token.ts';
import { textOf, type Span } from '../language/phrase.ts';
import { findTarget } from '../language/reference.ts';
import { DETERMINERS, isTaskNoun } from '../language/words/nouns.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE } from '../language/words/verbs.ts';
import { toClause, readClause } from './grammar.ts';
import { isNotOrder } from './guards.ts';
import { unquote } from './intents/new-task.ts';
import type { Reading, TaskIntent } from './reading.ts';

/** What is left where the model is sure and the words allow it, but no rule reads the sentence: the intent, and the task if one is named. */
export function looseReading(clean: string, { tokens }: Sentence, intent: TaskIntent): Reading {
  const reading: Reading = { intent, strength: 'unsure', rule: 'sounds like it, and mentions tasks' };
  if (intent === 'LIST_TASKS') return reading;
  if (intent === 'CREATE_TASK') {
    const text = statedText(clean, tokens);
    return text ? { ...reading, descriptions: [text] } : reading;
  }
  const references = mentioned(clean, tokens);
  return references ? { ...reading, references } : reading;
}

/** The text of a new task where it is set off from the rest: quoted, or after a colon. */
function statedText(clean: string, tokens: readonly Token[]): string | undefined {
  const quote = quotedSpan(tokens);
  if (quote) return unquote(textOf(clean, tokens, quote));
  const colon = tokens.findIndex(({ word }) => word === ':');
  return colon >= 0 && colon + 1 < tokens.length
    ? textOf(clean, tokens, [colon + 1, tokens.length])
    : undefined;
}

function quotedSpan(tokens: readonly Token[]): Span | undefined {
  const from = tokens.findIndex(({ quoted }) => quoted);
  if (from < 0) return undefined;
  const after = tokens.findIndex(({ quoted }, i) => i > from && !quoted);
  return [from, after < 0 ? tokens.length : after];
}

const LONGEST_NAME = 6;
/** A task that is named as one, or the place of one, anywhere in the sentence. */
function mentioned(clean: string, tokens: readonly Token[]): Reading['references'] {
  for (let to = 1; to <= tokens.length; to++) {
    if (!isTaskWord(tokens[to - 1]!)) continue;
    let from = to - 1;
    while (from > 0 && to - from < LONGEST_NAME && !DETERMINERS.has(tokens[from]!.word)) from--;
    if (!DETERMINERS.has(tokens[from]!.word)) continue;
    const target = findTarget(clean, tokens, [from, to]);
    if (target?.plainness === 'task') return target.references;
  }
  const quote = quotedSpan(tokens);
  return quote && [{ kind: 'title', text: unquote(textOf(clean, tokens, quote)) }];
}

function isTaskWord({ word, quoted }: Token): boolean {
  return !quoted && (isTaskNoun(word) || word === 'one' || word === 'entry');
}

const ORDERS: ReadonlySet<string> = new Set([...ADD, ...MAKE, ...CHANGE, ...DELETE, ...FINISH]);
const MOST_STARTS = 24;
const LONGEST_SEARCHED = 80;
/** The reading of the wanted intent from the first place where the rules find one, for its parameters. In a sentence that starts with another
 * command, a question is only part of its object. */
export function findReading(clean: string, sentence: Sentence, wanted: TaskIntent): Reading | undefined {
  const { tokens } = sentence;
  if (tokens.length > LONGEST_SEARCHED || (wanted === 'LIST_TASKS' && ORDERS.has(tokens[0]!.word)))
    return undefined;
  for (let from = 0; from < Math.min(tokens.length, MOST_STARTS); from++) {
    const comma = tokens.findIndex((token, i) => i > from && token.afterComma);
    for (const to of comma > 0 ? [tokens.length, comma] : [tokens.length]) {
      const clause = toClause(clean, sentence, [from, to]);
      if (clause.moods.has('negated') || isNotOrder(tokens, clause.whole)) continue;
      const reading = readClause(clause);
      if (reading?.intent === wanted) return reading;
    }
  }
  return undefined;
}
