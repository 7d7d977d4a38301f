import type { MessageClause } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { clauseOf, readClause } from '../grammar/grammar.ts';
import type { Clause } from '../grammar/reading.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { readAdded } from './added.ts';
import { JOINT } from './joints.ts';
import { readTitled } from './listed-command.ts';
import type { ListedForm } from './listed-forms.ts';

const MOST_ORDERS = 20;

/**
 * The message as commands about titles on the list: one, or several in a row, each of them plain. Undefined where one of them is not; then
 * the grammar reads it.
 */
export function readCommands(
  text: Message,
  tasks: readonly KnownTask[],
  forms: readonly ListedForm[],
): MessageClause[] | undefined {
  if (text.clean.trim().includes('\n')) return undefined;
  const whole = readTitled(text, tasks, forms) ?? readAdded(text) ?? readAbbreviated(text);
  if (whole) return [whole];
  if (tasks.length === 0) return undefined;
  const parts = text.clean.trim().split(JOINT);
  if (parts.length < 2 || parts.length > MOST_ORDERS) return undefined;
  const orders = parts.map((part) => readOrder(normalise(part), tasks));
  // Orders that only add are read by the grammar, which knows what may stand in one text.
  if (!orders.some((order) => order?.reference) || orders.some((order) => order === undefined))
    return undefined;
  return orders as MessageClause[];
}

function readOrder(part: Message, tasks: readonly KnownTask[]): MessageClause | undefined {
  return readTitled(part, tasks) ?? readAddition(part);
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

/** "Add milk", but not "add wash and …", where the title may go on. */
function readAddition({ clean, sentences: [sentence, another] }: Message): MessageClause | undefined {
  if (!sentence || another) return undefined;
  const clause = clauseOf(clean, sentence, [0, sentence.tokens.length]);
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
  const isDeedAlone = DEEDS.has(first.word) && !first.quoted && core[1] - core[0] === 2;
  return verb.word === 'add' && !isDeedAlone;
}
