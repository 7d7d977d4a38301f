import type {
  ChatMessage,
  Classification,
  IntentType,
  MessageClause,
  UserIntent,
} from '../contract/assistant.ts';
import { MESSAGE_MAX_LENGTH } from '../contract/assistant.ts';
import { readSentence, type ReadClause } from './clauses.ts';
import { denies, isPlainNo, isUndecided, readAnswer } from './confirm.ts';
import { isTakeover } from './grammar/guards.ts';
import type { Reading } from './grammar/reading.ts';
import { isBareNoun } from './bare-noun.ts';
import { normalise, type Message } from './normalise.ts';
import { textOf } from './phrase.ts';

export interface ClassifyInput {
  message: string;
  history?: readonly ChatMessage[];
  pending?: { task_description: string };
}

export function classify({ message, pending }: ClassifyInput): Classification {
  if ([...message].length > MESSAGE_MAX_LENGTH)
    return single(message.slice(0, 0), chat(), ['the message is too long to be read']);
  const text = normalise(message);
  const tokens = text.sentences.flatMap((s) => s.tokens);
  if (tokens.length === 0) return single('', chat(), ['the message says nothing']);
  if (text.sentences.some((s) => isTakeover(s.tokens)))
    return single(text.clean.trim(), chat(), ['tries to overrule the assistant']);
  const read = text.sentences.slice(0, 12).flatMap((s) => readSentence(text, s));
  const readings = read.filter((r) => r.reading !== undefined && r.reading.strength !== 'unsure');
  const answer = readAnswer({ message: text, ...(pending && { about: pending.task_description }) });
  const early = fromAnswer(text, answer, Boolean(pending), readings);
  if (early) return single(text.clean.trim(), early.intent, [early.why]);
  if (readings.length > 0) return fromReadings(text, readings);
  const unsure = read.find((r) => r.reading?.strength === 'unsure');
  if (unsure) return single(text.clean.trim(), ambiguous(unsure.reading!.intent), [unsure.reading!.rule]);
  if (isBareNoun(text))
    return single(
      text.clean.trim(),
      ambiguous('CREATE_TASK', 'COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK'),
      ['names a thing, without saying what to do with it'],
    );
  return single(text.clean.trim(), chat(), ['no words that mean tasks']);
}

function fromAnswer(
  text: Message,
  answer: ReturnType<typeof readAnswer>,
  pending: boolean,
  readings: ReadClause[],
) {
  if (answer === 'yes' && (pending || readings.length === 0))
    return { intent: { intent_type: 'CONFIRM_YES', extracted_params: {} } as UserIntent, why: 'says yes' };
  if (
    answer === 'mixed' &&
    (pending || (readings.length === 0 && text.sentences.flatMap((t) => t.tokens).length <= 6))
  )
    return { intent: ambiguous('CONFIRM_YES', 'CONFIRM_NO'), why: 'says yes and no' };
  if (readings.length > 0) return undefined;
  if (isUndecided(text)) return { intent: ambiguous('CONFIRM_YES', 'CONFIRM_NO'), why: 'is undecided' };
  if (pending ? answer === 'no' || denies(text) : answer === 'no' && isPlainNo(text))
    return { intent: { intent_type: 'CONFIRM_NO', extracted_params: {} } as UserIntent, why: 'says no' };
  return undefined;
}

function chat(): UserIntent {
  return { intent_type: 'GENERAL_CHAT', extracted_params: {} };
}
function ambiguous(...possible: IntentType[]): UserIntent {
  return { intent_type: 'AMBIGUOUS', extracted_params: { possible_intents: possible } };
}
function single(text: string, user_intent: UserIntent, reasons: string[]): Classification {
  return { user_intent, clauses: [{ text, user_intent, reasons }], reasons };
}

function fromReadings(text: Message, readings: ReadClause[]): Classification {
  const clauses = readings.flatMap((r) => clausesOf(text, r));
  const types = new Set(clauses.map((c) => c.user_intent.intent_type));
  const user_intent =
    types.size === 1 || !types.has('DELETE_TASK') ? clauses[0]!.user_intent : ambiguous(...types);
  return { user_intent, clauses, reasons: clauses.flatMap((c) => c.reasons) };
}

function clausesOf(text: Message, { clause, reading }: ReadClause): MessageClause[] {
  const words = textOf(text.clean, clause.tokens, clause.whole);
  const references = reading!.references ?? [undefined];
  return references.map((reference) => ({
    text: words,
    user_intent: intentOf(reading!, reference),
    ...(reference && { reference }),
    ...(reading!.change && { change: reading!.change }),
    reasons: [reading!.rule],
  }));
}

function intentOf(
  reading: Reading,
  reference: NonNullable<Reading['references']>[number] | undefined,
): UserIntent {
  const task_reference = reference?.text;
  if (reading.intent === 'CREATE_TASK')
    return {
      intent_type: reading.intent,
      extracted_params: { ...(reading.description && { description: reading.description }) },
    };
  if (reading.intent === 'LIST_TASKS') return { intent_type: reading.intent, extracted_params: {} };
  const params = { ...(task_reference && { task_reference }) };
  if (reading.intent !== 'UPDATE_TASK') return { intent_type: reading.intent, extracted_params: params };
  const { change } = reading;
  return {
    intent_type: reading.intent,
    extracted_params: { ...params, ...(change?.kind === 'replace' && { new_description: change.text }) },
  };
}
