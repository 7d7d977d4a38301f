import type { Message, Sentence, Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { toClause, readClause } from './grammar.ts';
import { ADDS } from './intents/create.ts';
import { PUTS_ON_LIST } from './intents/new-task.ts';
import { readTaskLines } from './task-lines.ts';
import { NAMES_LIST } from './intents/list.ts';
import { isStrong, type Clause, type Reading, type ReadClause } from './reading.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';

const MOST_CUTS = 19;
const FARTHEST_CUT = 64;

/** Reads ranges of one sentence. */
interface Reader {
  read: (span: Span) => ReadClause;
  /** The same within a budget: undefined once the attempts of a message have read too many words. */
  attempt: (span: Span) => ReadClause | undefined;
}
const MOST_SENTENCES = 12;
const MOST_WORDS_TRIED = 2500;

export function readMessage({ clean, sentences }: Message): ReadClause[] {
  let left = MOST_WORDS_TRIED;
  const lines = readTaskLines(clean, sentences);
  const others = lines ? sentences.filter(({ tokens }) => tokens[0]!.start >= lines.end) : sentences;
  const read = others.slice(0, MOST_SENTENCES).flatMap((sentence) => {
    const read = (span: Span): ReadClause => {
      const clause = toClause(clean, sentence, span);
      return { clause, reading: readClause(clause), cut: span[1] - span[0] < sentence.tokens.length };
    };
    const attempt = (span: Span) => {
      left -= span[1] - span[0];
      return left > 0 ? read(span) : undefined;
    };
    return readSentence(sentence, { read, attempt });
  });
  return lines ? [lines.list, ...read] : read;
}

/** Cuts a sentence where a new command begins: never inside a title, so the part after the cut must be a command beyond doubt. */
function readSentence(sentence: Sentence, reader: Reader): ReadClause[] {
  const found: ReadClause[] = [];
  let from = 0;
  let linked = false;
  const keep = (end: number, inChain: boolean) => {
    const part = reader.read([from, end]);
    found.push(inChain && part.reading ? { ...part, reading: asChained(part.reading) } : part);
  };
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) {
    const cut = nextCut(sentence, reader, from);
    if (cut === undefined) break;
    keep(cut.end, linked || cut.linked);
    [from, linked] = [cut.start, cut.linked];
  }
  keep(sentence.tokens.length, linked);
  return found;
}

/** Ends before the joint, starts after it. */
interface FoundCut {
  end: number;
  start: number;
  /** Between two commands of the list. */
  linked: boolean;
}
function nextCut(sentence: Sentence, reader: Reader, from: number): FoundCut | undefined {
  const { tokens } = sentence;
  const limit = Math.min(tokens.length, from + FARTHEST_CUT);
  for (let i = from + 1; i < limit; i++) {
    const token = tokens[i]!;
    if (token.quoted || !(token.afterComma || JOINTS.has(token.word) || beginsRequest(tokens, i))) continue;
    let start = i;
    while (start < limit && JOINTS.has(tokens[start]!.word)) start++;
    if (start >= limit) continue;
    const cut = { from, end: i, start };
    const linked = isChained(tokens, reader.attempt, cut);
    if (linked || isCut(sentence, reader, cut)) return { end: i, start, linked };
  }
  return undefined;
}

/** Speech has no commas: "… the lawn you can check that off". */
function beginsRequest(tokens: readonly Token[], at: number): boolean {
  const [word, next] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  if (word === 'please') return true;
  if (word === 'you') return ['can', 'may', 'could'].includes(next);
  return ['can', 'could', 'would', 'will'].includes(word) && next === 'you';
}

function isCut({ tokens }: Sentence, { attempt }: Reader, { from, end, start }: Cut): boolean {
  const after = attempt([start, tokens.length]);
  if (!after?.reading || after.reading.rule === NAMES_LIST) return false;
  const { reading, clause } = after;
  // A wish or a duty in the middle of a sentence is part of what was said before.
  const isBare = clause.core[0] === clause.whole[0];
  if (isStrong(reading.strength)) return isBare || clause.asked;
  if (isPointing(reading, clause)) return startsPointing(tokens, end, reading);
  if (isConsequence(tokens, start, reading)) return isBare;
  if (reading.strength !== 'weak' && !deletesNamed(reading)) return false;
  return followsOrder(attempt([from, end])?.reading, reading, isBare);
}

/** "… so delete it": never part of a title. */
function isConsequence(tokens: readonly Token[], start: number, { references }: Reading): boolean {
  return tokens[start - 1]?.word === 'so' && references !== undefined;
}

function startsPointing(tokens: readonly Token[], at: number, { intent }: Reading): boolean {
  return tokens[at]!.afterComma || (intent === 'CREATE_TASK' && beginsRequest(tokens, at));
}

function deletesNamed({ intent, references }: Reading): boolean {
  return intent === 'DELETE_TASK' && references !== undefined;
}

/** Whether a weak command can follow what was read before it. */
function followsOrder(before: Reading | undefined, { rule }: Reading, isBare: boolean): boolean {
  if (rule === ADDS) return before?.rule === PUTS_ON_LIST || before?.intent === 'LIST_TASKS';
  // After "remind me to" a second verb belongs to the text of the task.
  return before !== undefined && isStrong(before.strength) && before.intent !== 'CREATE_TASK' && isBare;
}

const LONGEST_POINTING = 4;
/** "update that", "take it off": means nothing without what was said before. */
function isPointing({ intent, references, descriptions }: Reading, { core }: Clause): boolean {
  const open = intent === 'CREATE_TASK' && descriptions === undefined;
  const points = open || references?.every(({ kind }) => kind === 'recent') === true;
  return points && core[1] - core[0] <= LONGEST_POINTING;
}

const set = (text: string) => new Set(text.split(/\s+/));
/** Words between two commands. */
export const JOINTS = set('and then also plus but or & so');
/** What people say to a list, in the form of a command. Few titles hold one after an "and". */
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

/** "add bread and complete milk": one command after another, each with its own object. */
export function isChained(tokens: Tokens, attempt: Attempt, { from, end, start }: Cut): boolean {
  if (!isCommand(tokens[start])) return false;
  const after = attempt([start, endOfOrder(tokens, start)]);
  if (!after?.reading || !namesSomething(after.reading) || after.clause.core[0] !== after.clause.whole[0])
    return false;
  const before = attempt([from, end]);
  return before?.reading !== undefined && leaves(before.clause, before.reading);
}

/** Nothing else could be meant by a command among commands. */
export function asChained(reading: Reading): Reading {
  return reading.strength === 'unsure' || reading.strength === 'weak'
    ? { ...reading, strength: 'strong' }
    : reading;
}

function isCommand(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && COMMANDS.has(token.word);
}

/** Where the next command begins, if there is one. */
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

/** A command that can end here: not the text of a reminder, nor the first of two verbs ("add review and complete the report"). */
function leaves({ tokens, core, moods }: Clause, reading: Reading): boolean {
  const { intent, rule } = reading;
  if (moods.has('duty') || moods.has('negated') || !namesSomething(reading)) return false;
  if (intent === 'CREATE_TASK' && rule !== ADDS && rule !== PUTS_ON_LIST) return false;
  const [verb, first, ...more] = tokens.slice(...core);
  if (!isCommand(verb)) return rule === PUTS_ON_LIST;
  return !isAction(first) || (rule !== ADDS && more.length > 0);
}

function isAction(token: Token | undefined): boolean {
  return token !== undefined && !token.quoted && ACTION_VERBS.has(token.word);
}
