import { matchAll, type Phrase, type Slots, type Span, emojiOnly } from '../language/phrase.ts';
import { findTarget, type Target } from '../language/reference.ts';
import { namesTask } from '../language/words/nouns.ts';
import { SHOW } from '../language/words/verbs.ts';
import { isNounPhrase } from './guards.ts';
import type { Clause } from './reading.ts';

/** They belong to the verb: "turn off". */
const SHOWS: ReadonlySet<string> = new Set(SHOW);
const PARTICLES = new Set(['off', 'on', 'up', 'down', 'out', 'in', 'back', 'away', 'over']);

export interface TargetMatch {
  target: Target;
  slots: Slots;
  phrase: Phrase;
}

/** The first phrase whose object could be a task. */
export function firstTarget(
  clause: Clause,
  list: readonly Phrase[],
  span: Span = clause.core,
): TargetMatch | undefined {
  for (const phrase of list) {
    const slots = matchAll(phrase, clause.tokens, span);
    const obj = slots?.['obj'];
    if (!slots || !obj || !isObject(clause, obj, phrase.source.startsWith('{obj}'))) continue;
    const target = findTarget(clause.clean, clause.tokens, obj);
    if (target) return { target, slots, phrase };
  }
  return undefined;
}

/** A gap at the beginning takes whatever comes, so there it must be a noun phrase and nothing else. */
export function isObject({ tokens }: Clause, obj: Span, leads: boolean): boolean {
  if (
    PARTICLES.has(tokens[obj[0]]!.word) ||
    (leads && obj[1] - obj[0] === 1 && SHOWS.has(tokens[obj[0]]!.word))
  )
    return false;
  if (!leads)
    return isNounPhrase(tokens, obj) || namesTask(tokens, obj) || tokens[obj[0]]!.word === 'everything';
  return isNounPhrase(tokens, obj) && !['to', 'be', 'get'].includes(tokens[obj[1] - 1]!.word);
}

const LONGEST = 100;

/** "add 🚀🚀🚀": the emoji after a command of one word. */
export function emojiAfter({ clean, tokens, core }: Clause): string | undefined {
  if (core[1] - core[0] !== 1 || core[1] !== tokens.length) return undefined;
  const rest = clean.slice(tokens[core[0]]!.end);
  return rest.length > LONGEST ? undefined : emojiOnly(rest);
}
