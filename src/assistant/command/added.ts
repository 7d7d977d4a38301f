import type { MessageClause } from '../../contract/chat.ts';
import { titleOnly } from '../grammar/intents/describe.ts';
import { clauseOf } from '../grammar/grammar.ts';
import type { Clause } from '../grammar/reading.ts';
import type { Message, Sentence } from '../language/token.ts';
import { JOINT } from './joints.ts';

const OWN_LIST = String.raw`(?:my|the|our)\s+(?:(?:to-?do|to do|task|shopping|grocery|chores?)\s+)?list`;
/** Between "put" and "on my list" stands the text, whatever it says. */
export const ON_LIST = new RegExp(
  String.raw`^(?:add|put|note|write|jot|stick|include)(?:\s+down)?\s+(?<x>\S.*?)(?<!\s)\s+(?:to|on|onto)\s+${OWN_LIST}$`,
  'isu',
);
/** So it does behind "new task:". */
const BEHIND_COLON =
  /^(?:(?:add|create|make|put|set|new)\s+(?:(?:an?|another|new|quick|one more|me)\s+)*(?:task|to-?do|reminder|item)|to-?do|reminder)\s*:\s*(?<x>\S.*)$/isu;
/** It points at what was said before, or at a row of things. */
const POINTS =
  /^(?:it|this|that|them|these|those|everything|something|anything|stuff|things?|one|some|all)\b|[,;&]/iu;
/** Most messages name neither, and need no closer look. */
const NAMES_LIST = /\blist\b|(?:task|do|reminder|item)\s*:/iu;
const LONGEST = 1200;
const NOT_ORDERS = ['negated', 'duty', 'wish'] as const;

function isOrder({ moods }: Clause, sentences: readonly Sentence[]): boolean {
  const asks = sentences.some(({ question }) => question);
  return !NOT_ORDERS.some((mood) => moods.has(mood)) && (!asks || moods.has('request'));
}

/** An order to add that names the list or the task: the text is all that stands in its place. */
export function readAdded({ clean, sentences }: Message): MessageClause | undefined {
  const [sentence] = sentences;
  if (!sentence || clean.length > LONGEST || !NAMES_LIST.test(clean)) return undefined;
  const clause = clauseOf(clean, sentence, [0, sentence.tokens.length]);
  if (!isOrder(clause, sentences)) return undefined;
  const body = titleOnly(clean.slice(clause.tokens[clause.core[0]]!.start));
  const said = (ON_LIST.exec(body) ?? BEHIND_COLON.exec(body))?.groups?.['x'];
  if (said === undefined || POINTS.test(said) || JOINT.test(body)) return undefined;
  const description = titleOnly(said);
  return {
    text: clean.trim(),
    user_intent: { intent_type: 'CREATE_TASK', confidence: 1, extracted_params: { description } },
    reasons: ['puts something on the list'],
  };
}
