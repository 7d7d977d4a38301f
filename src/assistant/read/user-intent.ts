import type {
  Classification,
  IntentType,
  MessageClause,
  TaskReference,
  UserIntent,
} from '../../contract/chat.ts';
import type { Reading } from '../grammar/reading.ts';
import type { Agreed, Disputed, Agreement } from '../model/agreement.ts';
import type { Message } from '../language/token.ts';
import { textOf } from '../language/phrase.ts';

export function plain(intent_type: 'GENERAL_CHAT' | 'CONFIRM_YES' | 'CONFIRM_NO'): UserIntent {
  return { intent_type, extracted_params: {} };
}

export function ambiguous(possible_intents: readonly IntentType[]): UserIntent {
  return { intent_type: 'AMBIGUOUS', extracted_params: { possible_intents: [...possible_intents] } };
}

/** Reasons complete the sentence "it …". */
export function single(text: string, user_intent: UserIntent, reasons: string[]): Classification {
  return { user_intent, clauses: [{ text, user_intent, reasons }], reasons };
}

/** In the order of the message, with the disputed clauses. */
export function fromAgreement(text: Message, { agreed, disputed }: Agreement): Classification {
  const parts = [
    ...agreed.map((item) => ({ at: placeOf(item), clauses: clausesOf(text, item) })),
    ...disputed.map((item) => ({ at: placeOf(item), clauses: [unclear(text, item)] })),
  ].sort((a, b) => a.at - b.at);
  return fromClauses(parts.flatMap((part) => part.clauses));
}

export function fromClauses(clauses: MessageClause[]): Classification {
  return {
    user_intent: together(clauses),
    clauses,
    reasons: [...new Set(clauses.flatMap(({ reasons }) => reasons))],
  };
}

function placeOf({ clause: { tokens, whole } }: Agreed | Disputed): number {
  return tokens[whole[0]]?.start ?? 0;
}

/** Keeps the reference, so that the list can be checked for the task. */
function unclear(text: Message, { clause, intent, reasons, reading }: Disputed): MessageClause {
  const references = reading?.references ?? [];
  const [reference] = references.length === 1 ? references : [];
  const { change } = reading ?? {};
  return {
    text: textOf(text.clean, clause.tokens, clause.whole),
    user_intent: ambiguous([intent]),
    reasons,
    ...(reference && { reference }),
    ...(change && { change }),
  };
}

/** The intent of several clauses. Ambiguous if a delete or an unclear clause is among others. */
function together(clauses: readonly MessageClause[]): UserIntent {
  const first = clauses[0]!.user_intent;
  const types = [...new Set(clauses.map(({ user_intent }) => user_intent.intent_type))];
  const asks = types.includes('DELETE_TASK') || types.includes('AMBIGUOUS');
  return types.length > 1 && asks ? ambiguous(types.filter((type) => type !== 'AMBIGUOUS')) : first;
}

/** One clause per task: "complete 2 and 3" are two. */
function clausesOf(text: Message, { clause, reading, confidence, reasons }: Agreed): MessageClause[] {
  const base = { text: textOf(text.clean, clause.tokens, clause.whole), reasons };
  if (reading.intent === 'LIST_TASKS')
    return [{ ...base, user_intent: { intent_type: reading.intent, confidence, extracted_params: {} } }];
  if (reading.intent === 'CREATE_TASK')
    return (reading.descriptions ?? [undefined]).map((description) => ({
      ...base,
      user_intent: {
        intent_type: 'CREATE_TASK',
        confidence,
        extracted_params: { ...(description && { description }) },
      },
    }));
  return (reading.references ?? [undefined]).map((reference) => ({
    ...base,
    user_intent: aimed(reading, reference, confidence),
    ...(reference && { reference }),
    ...(reading.change && { change: reading.change }),
  }));
}

function aimed(reading: Reading, reference: TaskReference | undefined, confidence: number): UserIntent {
  const params = { ...(reference && { task_reference: reference.text }) };
  if (reading.intent === 'COMPLETE_TASK' || reading.intent === 'DELETE_TASK')
    return { intent_type: reading.intent, confidence, extracted_params: params };
  const { change } = reading;
  const new_description = change?.kind === 'replace' ? { new_description: change.text } : {};
  return { intent_type: 'UPDATE_TASK', confidence, extracted_params: { ...params, ...new_description } };
}
