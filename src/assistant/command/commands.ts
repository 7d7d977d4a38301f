import type { MessageClause } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { toClause, readClause } from '../grammar/grammar.ts';
import type { Clause } from '../grammar/reading.ts';
import { normalise } from '../language/normalise.ts';
import type { Message, Sentence } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { readTitleCommand } from './title-commands.ts';
import type { CommandForm } from './command-forms.ts';
import { trimTitle } from '../grammar/intents/new-task.ts';

const ORDER = String.raw`(?:please\s+)?(?:add|complete|finish|delete|remove|erase|cancel|rename|change|update|edit|mark|tick|check off|cross off)\s`;

/** A separator before another command. */
export const JOINT = new RegExp(
  String.raw`(?:[,;.!]\s*|(?<!\s)\s+)(?:and then|and also|then|and|also|plus|&)\s+(?=${ORDER})|[,;.!]\s+(?=${ORDER})`,
  'iu',
);

const OWN_LIST = String.raw`(?:my|the|our)\s+(?:(?:to-?do|to do|task|shopping|grocery|chores?)\s+)?list`;
/** Everything between "put" and "on my list" is the text. */
export const ON_LIST = new RegExp(
  String.raw`^(?:add|put|note|write|jot|stick|include)(?:\s+down)?\s+(?<x>\S.*?)(?<!\s)\s+(?:to|on|onto)\s+${OWN_LIST}$`,
  'isu',
);
/** Everything after "new task:" is the text. */
const BEHIND_COLON =
  /^(?:(?:add|create|make|put|set|new)\s+(?:(?:an?|another|new|quick|one more|me)\s+)*(?:task|to-?do|reminder|item)|to-?do|reminder)\s*:\s*(?<x>\S.*)$/isu;
/** Refers to an earlier message, or to several things. */
const POINTS =
  /^(?:it|this|that|them|these|those|everything|something|anything|stuff|things?|one|some|all)\b|[,;&]/iu;
/** Fast check: most messages name neither. */
const NAMES_LIST = /\blist\b|(?:task|do|reminder|item)\s*:/iu;
const LONGEST = 1200;
const NOT_ORDERS = ['negated', 'duty', 'wish'] as const;

function isOrder({ moods }: Clause, sentences: readonly Sentence[]): boolean {
  const asks = sentences.some(({ question }) => question);
  return !NOT_ORDERS.some((mood) => moods.has(mood)) && (!asks || moods.has('request'));
}

/** A command to add that names the list or the task. */
export function readAddToList({ clean, sentences }: Message): MessageClause | undefined {
  const [sentence] = sentences;
  if (!sentence || clean.length > LONGEST || !NAMES_LIST.test(clean)) return undefined;
  const clause = toClause(clean, sentence, [0, sentence.tokens.length]);
  if (!isOrder(clause, sentences)) return undefined;
  const body = trimTitle(clean.slice(clause.tokens[clause.core[0]]!.start));
  const said = (ON_LIST.exec(body) ?? BEHIND_COLON.exec(body))?.groups?.['x'];
  if (said === undefined || POINTS.test(said) || JOINT.test(body)) return undefined;
  const description = trimTitle(said);
  return {
    text: clean.trim(),
    user_intent: { intent_type: 'CREATE_TASK', confidence: 1, extracted_params: { description } },
    reasons: ['puts something on the list'],
  };
}

const MOST_ORDERS = 20;

/**
 * The message as one or several commands about titles on the list. Undefined if one part is not such a command; then
 * the grammar reads it.
 */
export function readCommands(
  text: Message,
  tasks: readonly KnownTask[],
  forms: readonly CommandForm[],
): MessageClause[] | undefined {
  if (text.clean.trim().includes('\n')) return undefined;
  const whole = readTitleCommand(text, tasks, forms) ?? readAddToList(text) ?? readAbbreviated(text);
  if (whole) return [whole];
  if (tasks.length === 0) return undefined;
  const parts = text.clean.trim().split(JOINT);
  if (parts.length < 2 || parts.length > MOST_ORDERS) return undefined;
  const orders = parts.map((part) => readOrder(normalise(part), tasks));
  // Commands that only add are read by the grammar, which knows where a text ends.
  if (!orders.some((order) => order?.reference) || orders.some((order) => order === undefined))
    return undefined;
  return orders as MessageClause[];
}

function readOrder(part: Message, tasks: readonly KnownTask[]): MessageClause | undefined {
  return readTitleCommand(part, tasks) ?? readAddition(part);
}

const ABBREVIATION = /(?<![\p{L}.])(?:(?:\p{L}\.)+\p{L}|jr|sr|ave|blvd|apt|dept|ltd|inc|tel|ext)\.(?=\s)/giu;

/** "Add R.S.V.P. to Kim" is one sentence. */
function readAbbreviated({ clean, sentences }: Message): MessageClause | undefined {
  if (sentences.length < 2) return undefined;
  const undotted = normalise(clean.replace(ABBREVIATION, (found) => `${found.slice(0, -1)} `));
  return undotted.sentences.length === 1 && undotted.clean.length === clean.length
    ? readAddition({ ...undotted, clean })
    : undefined;
}

/** "Add milk", but not "add wash and …", where the title may continue. */
function readAddition({ clean, sentences: [sentence, another] }: Message): MessageClause | undefined {
  if (!sentence || another) return undefined;
  const clause = toClause(clean, sentence, [0, sentence.tokens.length]);
  const reading = readClause(clause);
  if (!reading?.command || reading.descriptions?.length !== 1 || !isPlainAdd(clause)) return undefined;
  const description = reading.descriptions[0]!;
  return {
    text: clean.trim(),
    user_intent: { intent_type: 'CREATE_TASK', confidence: 1, extracted_params: { description } },
    reasons: [reading.rule],
  };
}

function isPlainAdd({ tokens, core }: Clause): boolean {
  const [verb, first] = [tokens[core[0]]!, tokens[core[0] + 1]!];
  const isDeedAlone = ACTION_VERBS.has(first.word) && !first.quoted && core[1] - core[0] === 2;
  return verb.word === 'add' && !isDeedAlone;
}
