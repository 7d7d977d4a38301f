import type { MessageClause } from '../../contract/chat.ts';
import type { EditScope } from '../edit/name-task.ts';
import { readEdit } from '../edit/read-edit.ts';
import { isNotOrder } from '../grammar/guards.ts';
import { titleText } from '../grammar/intents/new-task.ts';
import { findOrder, type Core, type Mood } from '../language/carriers.ts';
import { textOf, type Span } from '../language/phrase.ts';
import type { Message, Token } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { ambiguous } from '../read/user-intent.ts';
import { readAdded } from './add-forms.ts';
import { classOf, isFrameWord, isPlainVerb, type FrameClass } from './frame-words.ts';
import { isMention, MENTION, type Mention } from './mentions.ts';

const LONGEST = 200;
const MOST_ORDERS = 20;

export const isTitle = (token: Token | undefined) => token !== undefined && isMention(token) && token.isExact;

/** Verbs that are said of tasks, each with one or several tasks of the list. */
export function readOrders(
  { clean, sentences }: Message,
  tokens: readonly Token[],
  scope: EditScope,
): MessageClause[] | undefined {
  if (tokens.length > LONGEST || !tokens.some(isMention)) return undefined;
  const asks = sentences.some(({ question }) => question);
  const source = { clean, tokens, asks, scope };
  const spans = split(source);
  const one = readOrder(source, [0, tokens.length]);
  if (one || spans.length < 2 || spans.length > MOST_ORDERS) return one;
  const parts = spans.map((span) => readOrder(source, span) ?? readPart(source, span));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

interface Source {
  clean: string;
  tokens: readonly Token[];
  asks: boolean;
  scope: EditScope;
}

const JOINTS = new Set(['and', 'then', 'also', 'plus', '&', 'but', '+']);
/** Where a new command begins: after a comma, a full stop or an "and", at a verb that is said of tasks. */
function split({ clean, tokens }: Source): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (let i = 1; i < tokens.length; i++) {
    const isJoint = JOINTS.has(tokens[i]!.word);
    const isStop = /[.!,;\n]/.test(clean.slice(tokens[i - 1]!.end, tokens[i]!.start));
    if (!isJoint && !isStop) continue;
    let start = i;
    while (start < tokens.length && JOINTS.has(tokens[start]!.word)) start++;
    if (start >= tokens.length || !startsOrder(tokens, start)) continue;
    if (i > from) spans.push([from, i]);
    from = start;
    i = start;
  }
  return [...spans, [from, tokens.length]];
}

const STARTS = new Set('add put remind check take get drop move reschedule postpone replace'.split(' '));
export function startsOrder(tokens: readonly Token[], at: number): boolean {
  const word = tokens[tokens[at]!.word === 'please' ? at + 1 : at]?.word ?? '';
  return isPlainVerb(word) || STARTS.has(word);
}

/** A part of several commands that adds something. */
function readPart({ clean, tokens }: Source, [from, to]: Span): MessageClause[] | undefined {
  return readAdded(clean.slice(tokens[from]!.start, tokens[to - 1]!.end));
}

const QUESTIONS = new Set(
  'what which who whom whose when where why how did does do is are was were has have had should shall if will would'.split(
    ' ',
  ),
);
const NEGATIONS = new Set(['not', 'never', 'no', 'nor', 'without', 'unless', 'nobody', 'nothing']);
const UNWANTED = new Set(['need', 'needed', 'want', 'wanted', 'necessary', 'relevant', 'required', 'mind']);
/** Not a command after a wish: "I want to finish it" does not say that it is done. */
const FINISHES = /^(?:complet|finish|clos|resolv|wrap|finali|do$|check$)/;

/** One command about tasks of the list. */
function readOrder(source: Source, span: Span): MessageClause[] | undefined {
  const { clean, tokens, scope } = source;
  const order = findOrder(tokens, span);
  const mentions = tokens.slice(...span).filter(isMention);
  if (mentions.length === 0 || isNone(source, order, mentions)) return undefined;
  const { moods, span: core, start } = order;
  const said = textOf(clean, tokens, span);
  const isNegated = moods.has('negated');
  const asked = isNegated || !moods.has('request') ? [] : tokens.slice(core[0], span[1]);
  const changed = isNegated || span[1] - span[0] === tokens.length ? undefined : readEdit(said, scope);
  if (changed) return [changed];
  const rest = tokens.slice(start, span[1]);
  const intent =
    intentOf(rest, mentions, isNegated) ?? intentOf(asked, mentions, false) ?? intentAmong(rest, moods);
  if (!intent || isOnlyWished(intent, moods, tokens[core[0]]!)) return undefined;
  return mentions.map((mention) => toClause(said, intent, mention));
}

const OF_OTHERS = new Set(['cancel', 'edit']);
/** "Cancel my alarm", "delete my account": words of a title that name what other programs keep. */
function isElsewhere({ isExact, said, place }: Mention): boolean {
  return (
    !isExact &&
    !place &&
    said
      .toLowerCase()
      .split(' ')
      .every((word) => FOREIGN.has(word))
  );
}

/** A question, or talk. With a whole title every word is checked later. */
function isNone(
  { tokens, asks }: Source,
  { span, moods, start }: Core,
  mentions: readonly Mention[],
): boolean {
  const isOther = tokens.some(
    (token, i) => OF_OTHERS.has(token.word) || (token.word === 'my' && isMention(tokens[i + 1] ?? token)),
  );
  if (span[1] <= span[0] || (mentions.some(isElsewhere) && isOther)) return true;
  if (!mentions.every(({ isExact }) => isExact) && isNotOrder(tokens, [start, span[1]])) return true;
  return (asks || asksFirst(tokens.slice(start).map(({ word }) => word))) && !moods.has('request');
}

/** "Did I …", but not "did the laundry" nor "have it say …". */
function asksFirst([first = '', second]: readonly string[]): boolean {
  return (
    QUESTIONS.has(first) && second !== 'not' && !(second === MENTION && (first === 'did' || first === 'have'))
  );
}

function intentOf(
  tokens: readonly Token[],
  mentions: readonly Mention[],
  isNegated: boolean,
): FrameClass | undefined {
  const words = tokens.map(({ word }) => word).filter((word) => word !== MENTION);
  const denies = isNegated || words.some((word) => NEGATIONS.has(word));
  if (denies && !words.some((word) => UNWANTED.has(word))) return undefined;
  const intent = classOf(
    words,
    mentions.every(({ isExact }) => isExact),
  );
  return denies && intent !== 'DELETE_TASK' ? undefined : intent;
}

const REASONS = new Set('it its because since cause as i we they he she there not'.split(' '));
const MOST_UNKNOWN = 5;
const SUPPOSES = new Set(
  'if when until unless before once will would should hope wish must almost nearly half'.split(' '),
);
/** "Remove the tent, it is not happening": a plain verb, a whole title, and a reason. */
function intentAmong(tokens: readonly Token[], moods: ReadonlySet<Mood>): FrameClass | undefined {
  const [at, another] = tokens.flatMap((token, i) => (isTitle(token) ? [i] : []));
  if (at === undefined || another !== undefined) return undefined;
  const words = tokens.map(({ word }) => word);
  const before = words.slice(0, at);
  if (isPlainVerb(before[0] ?? ''))
    return REASONS.has(words[at + 1] ?? '') ? classOf(before, true) : undefined;
  const isLong = (tokens[at] as Mention).said.includes(' ');
  return isLong && !moods.has('duty') ? intentTold(words.filter((_, i) => i !== at)) : undefined;
}

/** "The red tent is done thank god": words of a report, and words that ask for nothing. */
function intentTold(words: readonly string[]): FrameClass | undefined {
  const others = words.filter((word) => !isFrameWord(word) && classOf([word], true) === undefined);
  const isDoubtful = words.some((word) => NEGATIONS.has(word) || SUPPOSES.has(word));
  if (isDoubtful || others.length > MOST_UNKNOWN || others.some(isOther)) return undefined;
  const known = words.filter((word) => !others.includes(word));
  const intent = classOf(known, true);
  return intent === 'UPDATE_TASK' ? undefined : intent;
}

const isOther = (word: string) => [QUESTIONS, STARTS, ACTION_VERBS].some((words) => words.has(word));

function isOnlyWished(intent: FrameClass, moods: ReadonlySet<Mood>, { word }: Token): boolean {
  return intent === 'COMPLETE_TASK' && (moods.has('wish') || moods.has('duty')) && FINISHES.test(word);
}

const RULES: Record<FrameClass, string> = {
  COMPLETE_TASK: 'completes a task',
  UPDATE_TASK: 'changes a task',
  DELETE_TASK: 'deletes a task',
};

function toClause(text: string, intent: FrameClass, { tasks, isExact, said, place }: Mention): MessageClause {
  const task_reference = isExact ? tasks[0]!.description : said;
  const how = place ? 'its place in the list' : isExact ? 'its title' : 'words of its title';
  return {
    text,
    user_intent: { intent_type: intent, confidence: 1, extracted_params: { task_reference } },
    reference: place ?? { kind: 'title', text: task_reference },
    reasons: [`${RULES[intent]} by ${how}`],
  };
}

const NOT_NAMES = new Set('off the my task of'.split(' '));
const AS_DONE = new Set('as is to done complete completed finished off from my the list'.split(' '));
const NOT_ORDERS: readonly Mood[] = ['negated', 'duty', 'wish'];

/** A verb that is said of tasks, and a name that no task has: the reply says so. */
export function readUnknownTask({ clean, sentences }: Message): MessageClause | undefined {
  const [sentence, another] = sentences;
  if (!sentence || another || sentence.question) return undefined;
  const { tokens } = sentence;
  const { span, moods } = findOrder(tokens, [0, tokens.length]);
  const intent = classOf([tokens[span[0]]?.word ?? ''], false);
  const name = intent && nameAfter(tokens, span);
  if (!name || NOT_ORDERS.some((mood) => moods.has(mood))) return undefined;
  return {
    text: clean.trim(),
    user_intent: ambiguous([intent]),
    reference: { kind: 'title', text: titleText({ clean, tokens }, name) },
    reasons: [`${RULES[intent]} that is not on the list`],
  };
}

function nameAfter(tokens: readonly Token[], [at, end]: Span): Span | undefined {
  let [from, to] = [at + 1, end];
  while (from < to && NOT_NAMES.has(tokens[from]!.word)) from++;
  while (to > from && AS_DONE.has(tokens[to - 1]!.word)) to--;
  return from < to ? [from, to] : undefined;
}
