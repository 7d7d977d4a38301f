import { isTaskNoun, namesOwnList, namesTask, namesTaskList } from '../../language/words/nouns.ts';
import { type Phrase, type Slots, type Span } from '../../language/phrase.ts';
import { ACTION_VERBS, SERVICE_VERBS, NOUN_VERBS } from '../../language/words/action-verbs.ts';
import { CHANGE, DELETE, SHOW } from '../../language/words/verbs.ts';
import { findWhen } from '../../language/words/times.ts';
import { emojiAfter } from '../emoji.ts';
import {
  splitDescription,
  firstMatch,
  hasForeign,
  isPlainText,
  MOST_TASKS,
  newTaskReading,
  PUTS_ON_LIST,
} from './new-task.ts';
import { isNounPhrase, isTitle } from '../guards.ts';
import { ADD_ALONE, MAKE_TASK, MAKE_TASKS, ON_LIST, ON_LIST_VERBLESS } from '../phrases/create.ts';
import type { Clause, Reading } from '../reading.ts';
import { readRemind } from './remind.ts';
import { isSum } from '../title-checks.ts';

export const ADDS = 'adds something';
export const ASKS_FOR_NEW = 'asks for a new task';

const set = (text: string) => new Set(text.split(/\s+/));
/** What cannot stand between the article and "task". */
const NOT_A_KIND = set(
  `the this that all every any list lists of my me i you from to app for with tasks reminders and how is are on in complete done out off away rid`,
);
/** What stands there without being the text of the task. */
const EMPTY_KIND = set(
  `daily weekly monthly hourly nightly quick new pop up pop-up recurring repeating simple another little small general todo brand more single
   personal work urgent important further extra fresh high priority high-priority next second different -`,
);

/** Phrases that can mean nothing else. */
export function readNewTask(clause: Clause): Reading | undefined {
  return readRemind(clause) ?? readSeveral(clause) ?? readMake(clause);
}

export function readCreate(clause: Clause): Reading | undefined {
  return readDuty(clause) ?? readAlone(clause);
}

function readSeveral(clause: Clause): Reading | undefined {
  const what = firstMatch(clause, MAKE_TASKS)?.slots['what'];
  if (!what) return undefined;
  const descriptions = splitDescription(clause, what);
  return {
    intent: 'CREATE_TASK',
    strength: 'strong',
    rule: 'asks for new tasks',
    ...(descriptions.length <= MOST_TASKS && { descriptions }),
  };
}

/** "Send a reminder to call Bob", but not "to Bob". */
const SENT_TO = 'send|give @a? @taskOnly to {what}';
const NAMED_LAST = '@make @a* {what} @taskOnly';
function readMake(clause: Clause): Reading | undefined {
  const { tokens } = clause;
  if (isNumbered(tokens, clause.core)) return undefined;
  const found = firstMatch(clause, MAKE_TASK, (slots, { source }) => asksForTask(clause, slots, source));
  if (!found) return undefined;
  const { kind, what } = found.slots;
  const title = titleKind(clause, kind);
  const text = what ?? title;
  const { source } = found.phrase;
  const named =
    source.startsWith('set my') || (source.startsWith('@make') && isTaskNoun(wordBefore(clause, kind, what)));
  const strength = text && named && isPlainText(clause, text) ? 'certain' : 'strong';
  const whole = source.startsWith('@make') ? wholeTitle(clause, title, what) : undefined;
  const slots = whole ? { what: whole } : { ...found.slots, ...(text && { what: text }) };
  return newTaskReading(clause, slots, { strength, rule: ASKS_FOR_NEW });
}

function asksForTask(clause: Clause, { kind, what }: Slots, source: string): boolean {
  if (!isKind(clause, source === NAMED_LAST ? what : kind) || (what && goesOn(clause, what))) return false;
  return source !== SENT_TO || ACTION_VERBS.has(clause.tokens[what![0]]!.word);
}

function isKind({ tokens }: Clause, kind: Span | undefined): boolean {
  return !kind || tokens.slice(...kind).every(({ word, quoted }) => quoted || !NOT_A_KIND.has(word));
}

/** What stands between the article and "task", where it says something about the task. */
function titleKind({ tokens }: Clause, kind: Span | undefined): Span | undefined {
  return kind && tokens.slice(...kind).some(({ word }) => !EMPTY_KIND.has(word)) ? kind : undefined;
}

const NAMES_TITLE = set('called named titled entitled labelled labeled saying :');
/** "Add school task maths": the words before "task" are part of the title, unless it is named by itself after "called". */
function wholeTitle({ tokens }: Clause, title: Span | undefined, what: Span | undefined): Span | undefined {
  if (!title || !what || NAMES_TITLE.has(tokens[what[0] - 1]!.word)) return undefined;
  return [title[0], what[1]];
}

const TO_TEXT = set('to for about of that called named titled : saying');
/** The word that the text of the task follows, without "to", "called" and the like. */
function wordBefore({ tokens }: Clause, kind: Span | undefined, what: Span | undefined): string {
  let at = (what ? what[0] : kind![1] + 1) - 1;
  if (what) while (at > 0 && TO_TEXT.has(tokens[at]!.word)) at--;
  return tokens[at]?.word ?? '';
}

/** "task 2" exists already. */
function isNumbered(tokens: Clause['tokens'], [from, to]: Span): boolean {
  for (let i = from; i + 1 < to; i++)
    if (isTaskNoun(tokens[i]!.word) && /^(?:\d{1,2}|#|number|no)$/.test(tokens[i + 1]!.word)) return true;
  return false;
}

/** Words that go on from "task" instead of being its text: "task list", "reminder app". */
const LINKS = set(
  'list lists app apps manager is are was force bar completed done complete finished management number # has from can does in template emails letter card service',
);
const WRITTEN = set('email message text');
const WRITE = set('draft write compose generate prepare send');
function goesOn({ tokens, core }: Clause, [from]: Span): boolean {
  const { word } = tokens[from]!;
  const before = tokens[from - 1]?.word ?? '';
  if (!isTaskNoun(before)) return false;
  // "draft a reminder email" is about the email; "add task email Bob" is not.
  if (WRITTEN.has(word)) return WRITE.has(tokens[core[0]]!.word);
  return LINKS.has(word) || /^\d{1,2}$/.test(word);
}

export function readOnList(clause: Clause): Reading | undefined {
  const { tokens } = clause;
  const isThing = ({ what }: Slots, { source }: Phrase) => {
    const deed = ACTION_VERBS.has(tokens[what![0]]!.word);
    if (tokens[what![0]]!.word === 'everything') return false;
    if (source.startsWith('@add') || source.startsWith('@make') || source.startsWith('+'))
      return (deed || isTitle(tokens, what)) && tokens[what![0]]!.word !== 'rid';
    return (
      isNounPhrase(tokens, what) &&
      !(source.startsWith('@list') && ORDERS.has(tokens[what![0]]!.word)) &&
      !(source.startsWith('{what}') && (deed || ORDERS.has(tokens[what![0]]!.word)))
    );
  };
  const found = firstMatch(clause, ON_LIST, isThing);
  if (found) {
    const what = found.slots['what']!;
    const certain =
      isPlainText(clause, what) &&
      namesOwnList(tokens, clause.core) &&
      (namesTaskList(tokens, clause.core) || !hasForeign(clause, what));
    const points = tokens[what[1] + 1]?.word === 'it' && !certain;
    // More of a text, not another task.
    if (points && tokens[clause.core[0]]!.word === 'append') return undefined;
    return newTaskReading(clause, found.slots, {
      strength: certain ? 'certain' : points ? 'weak' : 'strong',
      rule: PUTS_ON_LIST,
    });
  }
  const verbless = firstMatch(clause, ON_LIST_VERBLESS, isThing);
  return (
    verbless &&
    newTaskReading(clause, verbless.slots, { strength: 'weak', rule: 'names something and the list' })
  );
}

/** Another command: "delete everything on my list". */
const ORDERS: ReadonlySet<string> = new Set([...DELETE, ...SHOW, ...CHANGE]);

/** "I need to buy milk." People say such things of tasks, and also when they want something else done for them. */
function readDuty(clause: Clause): Reading | undefined {
  const { tokens, core } = clause;
  if (!saysDuty(clause)) return undefined;
  const deed = tokens[core[0]]?.word ?? '';
  if (!ACTION_VERBS.has(deed) || core[1] - core[0] < 2) return undefined;
  const [service, foreign] = [SERVICE_VERBS.has(deed), hasForeign(clause, core)];
  const elsewhere = (service && foreign) || ((service || foreign) && !findWhen(tokens, core));
  return newTaskReading(
    clause,
    { what: core },
    { strength: elsewhere ? 'unsure' : 'weak', rule: 'says what has to be done' },
  );
}

function saysDuty({ moods, question }: Clause): boolean {
  return moods.has('duty') && !moods.has('negated') && !moods.has('request') && !question;
}

function readAlone(clause: Clause): Reading | undefined {
  const found = firstMatch(clause, ADD_ALONE, ({ what }) => !what || !goesOn(clause, what));
  if (!found) return undefined;
  const what = found.slots['what'];
  if (!what) return readWithoutText(clause);
  if (!mayGoOnList(clause, what)) return undefined;
  const strength = strengthOfAddition(clause, what, found.phrase);
  const reading = newTaskReading(clause, found.slots, { strength, rule: ADDS });
  // Nothing else is said of a row of things.
  const isRow = (reading.descriptions?.length ?? 0) > 1 && isAdd(clause);
  return isRow && strength !== 'unsure' ? { ...reading, strength: 'certain' } : reading;
}

function readWithoutText(clause: Clause): Reading {
  const picture = emojiAfter(clause);
  if (picture) return { intent: 'CREATE_TASK', strength: 'strong', rule: ADDS, descriptions: [picture] };
  return { intent: 'CREATE_TASK', strength: 'unsure', rule: 'adds something, without saying what' };
}

function isAdd({ tokens, core }: Clause): boolean {
  return tokens[core[0]]!.word === 'add';
}

/** No sum, no task that is there already, and nothing that goes elsewhere or that another program looks after. */
function mayGoOnList(clause: Clause, what: Span): boolean {
  if (isSum(clause, what) || namesTask(clause.tokens, what)) return false;
  return !hasForeign(clause, what) || ACTION_VERBS.has(clause.tokens[what[0]]!.word);
}

function strengthOfAddition(clause: Clause, what: Span, { source }: Phrase): Reading['strength'] {
  const { tokens, core } = clause;
  const isNote = source === '@addAlone {what}' && tokens[core[0]]!.word === 'note';
  if (isNote) return 'unsure';
  const first = tokens[what[0]]!.word;
  const isTitled = what[1] - what[0] > 1 && ACTION_VERBS.has(first);
  if (isTitled) return isAdd(clause) && !NOUN_VERBS.has(first) ? 'certain' : 'strong';
  const isShort = what[1] - what[0] <= SHORT && isAdd(clause);
  return isShort || source === '@addAlone : {what}' ? 'strong' : 'weak';
}

/** "Add milk": whatever it is, it can only be meant for the list. */
const SHORT = 2;
