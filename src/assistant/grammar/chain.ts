import type { Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { ADDS } from './intents/create.ts';
import { PUTS_ON_LIST } from './intents/new-task.ts';
import type { Clause, Reading } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** Words between two orders. */
export const JOINTS = set('and then also plus but or & so');
/** What people say to a list, in the form of an order. Few titles hold one behind an "and". */
const COMMANDS = set('add complete delete remove erase rename mark tick uncheck reopen');
const LOOKS = set('show list');

type Tokens = readonly Token[];
/** What a part of the sentence reads as. */
type Attempt = (span: Span) => { clause: Clause; reading: Reading | undefined } | undefined;
export interface Cut {
  from: number;
  end: number;
  start: number;
}

/** "add bread and complete milk": one order of the list after another, each with something of its own to be done to. */
export function isChained(tokens: Tokens, attempt: Attempt, { from, end, start }: Cut): boolean {
  if (!isCommand(tokens[start])) return false;
  const after = attempt([start, endOfOrder(tokens, start)]);
  if (!after?.reading || !namesSomething(after.reading) || after.clause.core[0] !== after.clause.whole[0])
    return false;
  const before = attempt([from, end]);
  return before?.reading !== undefined && leaves(before.clause, before.reading);
}

/** Nothing else could be meant by an order among orders. */
export function chained(reading: Reading): Reading {
  return reading.strength === 'unsure' || reading.strength === 'weak'
    ? { ...reading, strength: 'strong' }
    : reading;
}

function isCommand(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && COMMANDS.has(token.word);
}

/** Where the next order begins, if there is one. */
function endOfOrder(tokens: Tokens, start: number): number {
  for (let i = start + 2; i < tokens.length; i++) {
    const { word, quoted, afterComma } = tokens[i]!;
    if (quoted || !(afterComma || JOINTS.has(word))) continue;
    let next = i;
    while (next < tokens.length && JOINTS.has(tokens[next]!.word)) next++;
    const order = tokens[next];
    if (isCommand(order) || (order && !order.quoted && LOOKS.has(order.word))) return i;
  }
  return tokens.length;
}

/** By a name or a place: "delete it" belongs to what was said before. */
function namesSomething({ descriptions, references }: Reading): boolean {
  return descriptions !== undefined || references?.some(({ kind }) => kind !== 'recent') === true;
}

/** An order that can end here: not the text of a reminder, nor the first of two verbs ("add review and complete the report"). */
function leaves({ tokens, core, moods }: Clause, reading: Reading): boolean {
  const { intent, rule } = reading;
  if (moods.has('duty') || moods.has('negated') || !namesSomething(reading)) return false;
  if (intent === 'CREATE_TASK' && rule !== ADDS && rule !== PUTS_ON_LIST) return false;
  const [verb, first, ...more] = tokens.slice(...core);
  if (!isCommand(verb)) return rule === PUTS_ON_LIST;
  return !isDeed(first) || (rule !== ADDS && more.length > 0);
}

function isDeed(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && DEEDS.has(token.word);
}
