import type { TaskChange } from '../../../contract/chat.ts';
import { classOf, isPlainVerb } from '../../command/frame-words.ts';
import { phrase } from '../../language/groups.ts';
import { matchAll, matchStart, textOf, type Phrase, type Slots, type Span } from '../../language/phrase.ts';
import { findTarget, type Target } from '../../language/reference.ts';

import { ACTION_VERBS } from '../../language/words/action-verbs.ts';
import { DETERMINERS, namesOwnList, namesTask } from '../../language/words/nouns.ts';
import { SHOW } from '../../language/words/verbs.ts';
import { isTimeHead, timeEnds } from '../../language/words/times.ts';
import { emojiAfter } from '../emoji.ts';
import { isNounPhrase } from '../guards.ts';
import { ASKED, CHANGES, UNWANTED, type ChangeForm } from '../phrases/change.ts';
import type { Clause, Reading } from '../reading.ts';
import { unquote } from './new-task.ts';

/** What a clause wants of a task that is there: a verb, what it is about, and how plainly both are about tasks. */
export function readChange(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated') || isPraise(clause)) return undefined;
  return ofPicture(clause) ?? firstReading(CHANGES, clause, clause.core);
}

/** "Can the milk task be deleted?" */
export function readAsked(clause: Clause): Reading | undefined {
  return firstReading(ASKED, clause, clause.whole);
}

/** Said with a "not" or a "no", yet a command: "I don't need milk any more". */
export function readUnwanted(clause: Clause): Reading | undefined {
  return firstReading(UNWANTED, clause, clause.whole);
}

function firstReading(forms: readonly ChangeForm[], clause: Clause, span: Span): Reading | undefined {
  for (const form of forms) {
    if (isUnlikely(form, clause)) continue;
    const slots = matchAll(form.phrase, clause.tokens, span);
    const target = slots && targetIn(clause, slots, form.phrase);
    const reading = slots && target && readingOf(clause, { form, slots, target });
    if (reading) return reading;
  }
  return undefined;
}

/** A question or a duty does not tell that something is done, and "not done" even less. */
function isUnlikely({ intent, isReport }: ChangeForm, { tokens, core, question, moods }: Clause): boolean {
  if (isReport && (question || moods.has('duty'))) return true;
  if (intent === 'UPDATE_TASK') return moods.has('duty') && !namesTask(tokens, core);
  return (
    intent === 'COMPLETE_TASK' && tokens.slice(...core).some(({ word, quoted }) => word === 'not' && !quoted)
  );
}

/** "Complete 🥛" */
function ofPicture(clause: Clause): Reading | undefined {
  const text = emojiAfter(clause);
  const intent = text === undefined ? undefined : classOf([clause.tokens[clause.core[0]]!.word], false);
  if (text === undefined || !intent) return undefined;
  return { intent, strength: 'strong', rule: RULES[intent], references: [{ kind: 'title', text }] };
}

interface Found {
  form: ChangeForm;
  slots: Slots;
  target: Target;
}

function readingOf(clause: Clause, found: Found): Reading | undefined {
  const { form, slots, target } = found;
  const change = changeIn(clause, slots, form);
  const isEmpty = form.change !== undefined && change === undefined && !isField(form);
  const strength = isEmpty && target.plainness !== 'task' ? undefined : strengthOf(clause, found, change);
  return (
    strength && {
      intent: form.intent,
      strength,
      rule: RULES[form.intent],
      references: target.references,
      ...(change && { change }),
    }
  );
}

const RULES = {
  COMPLETE_TASK: 'says that something is done',
  DELETE_TASK: 'takes something off the list',
  UPDATE_TASK: 'changes a task',
} as const;

const SHOWS: ReadonlySet<string> = new Set(SHOW);
const PARTICLES = new Set(['off', 'on', 'up', 'down', 'out', 'in', 'back', 'away', 'over']);
const NO_THING = new Set('nothing best worst part well great so following below'.split(' '));
const LOOKS = new Set(['check', 'cross', 'strike', 'tick', 'close']);
const PREPOSITIONS = new Set('for with at to'.split(' '));
const POINTER: Target = { references: [{ kind: 'recent', text: 'it' }], plainness: 'task' };

function targetIn(clause: Clause, { obj }: Slots, { source }: Phrase): Target | undefined {
  if (!obj) return POINTER;
  const { clean, tokens } = clause;
  const words = tokens.slice(...obj).map(({ word }) => word);
  if (!isThing(words) || (source.startsWith('{obj}') && !mayLead(clause, obj))) return undefined;
  const isNamed = namesTask(tokens, obj) || words[0] === 'everything';
  const target = isNamed || isNounPhrase(tokens, obj) ? findTarget(clean, tokens, obj) : undefined;
  return target && !isSeen(clause, target, source) ? target : undefined;
}

function isThing(words: readonly string[]): boolean {
  const isTime = words.every((word) => isTimeHead(word) && !/^\d{1,2}$/.test(word));
  return (
    !isTime &&
    !PARTICLES.has(words[0]!) &&
    !PREPOSITIONS.has(words[0]!) &&
    !words.some((word) => NO_THING.has(word))
  );
}

/** In front stands a noun phrase and nothing else. */
function mayLead({ tokens }: Clause, obj: Span): boolean {
  const [first, last] = [tokens[obj[0]]!.word, tokens[obj[1] - 1]!.word];
  return isNounPhrase(tokens, obj) && !SHOWS.has(first) && !['to', 'be', 'get'].includes(last);
}

/** "Check reminders" looks at them. */
function isSeen(
  { tokens, core }: Clause,
  { references: [first], plainness }: Target,
  source: string,
): boolean {
  const looks = source.startsWith('@finish {obj}') && LOOKS.has(tokens[core[0]]!.word);
  return looks && plainness === 'task' && first!.kind !== 'position';
}

const ON_LIST = phrase('on|in|from|of @list');
/** "Oat milk on my list": the list is no part of the new text. */
function withoutList(tokens: Clause['tokens'], [from, to]: Span): Span {
  for (let i = from + 1; i < to; i++) if (matchStart(ON_LIST, tokens, [i, to]) === to) return [from, i];
  return [from, to];
}

/** "Change the status of the report": its text is not what is to change. */
const isField = ({ phrase: { source } }: ChangeForm): boolean => source.includes('deadline');
/** Time words that also name other things. */
const ALSO_THINGS = /^(?:work|lunch|dinner|breakfast|first|thing|time|point|moment|far)$/i;

function changeIn(clause: Clause, slots: Slots, form: ChangeForm): TaskChange | undefined {
  const { clean, tokens } = clause;
  const span = slots['new'] && withoutList(tokens, slots['new']);
  const text = span ? unquote(textOf(clean, tokens, span)) : '';
  if (!form.change || !span || text === '' || /^\d{1,2}$/.test(text)) return undefined;
  if (form.change === 'append') return { kind: 'append', text };
  const from = slots['old'] ? unquote(textOf(clean, tokens, slots['old'])) : '';
  return from !== '' ? { kind: 'swap', from, text } : newText(clause, span, { text, form });
}

function newText(
  { clean, tokens }: Clause,
  span: Span,
  { text, form }: { text: string; form: ChangeForm },
): TaskChange | undefined {
  const isWhen = timeEnds(tokens, span[0], span[1])[0] === span[1] && !ALSO_THINGS.test(text);
  if (isField(form) && !isWhen && !/title|name/.test(clean)) return undefined;
  return { kind: isWhen ? 'when' : 'replace', text };
}

const LONGEST = 6;
const SHORT = 4;
type Strength = Reading['strength'] | undefined;

/** A plain verb, or a word for the list, says of itself that a task is meant; with other verbs the object must say it. */
function strengthOf(clause: Clause, found: Found, change: TaskChange | undefined): Strength {
  const { form, target } = found;
  const { tokens, core } = clause;
  const isPlain = form.isPlain || isPlainVerb(tokens[core[0]]!.word);
  const isNamed = namesTask(tokens, core) || namesOwnList(tokens, core);
  if (target.references[0]!.kind === 'all' && change && change.kind !== 'when') return undefined;
  if (target.plainness === 'task') {
    const isMarked = form.isPlain && !form.isReport;
    return ofTask(clause, target, { isNamed: isNamed || isMarked, isPlain, change });
  }
  if (isNamed) return target.plainness === 'foreign' && !form.isPlain ? 'unsure' : 'strong';
  return ofNamed(clause, found, { isNamed, isPlain, change });
}

/** By words that may be the title of a task. */
function ofNamed(clause: Clause, found: Found, { isPlain, change }: Said): Strength {
  const { intent } = found.form;
  if (intent === 'UPDATE_TASK') return ofEdit(found.target, change, isPlain);
  if (intent === 'DELETE_TASK' && clause.tokens[clause.core[0]]!.corrected) return undefined;
  const words = clause.tokens.slice(...found.slots['obj']!);
  if (intent === 'DELETE_TASK' && words.some(({ word }) => isTimeHead(word))) return undefined;
  return isCancelled(clause, found) ? 'certain' : ofThing(clause, found, isPlain);
}

function ofEdit({ plainness }: Target, change: TaskChange | undefined, isPlain: boolean): Strength {
  if (change?.kind === 'when') return plainness === 'foreign' ? 'unsure' : 'weak';
  if (plainness === 'foreign') return undefined;
  return isPlain || change?.kind === 'append' ? 'weak' : undefined;
}

/** A thing that is not called a task. */
function ofThing(clause: Clause, { form, slots, target: { plainness } }: Found, isPlain: boolean): Strength {
  const obj = slots['obj']!;
  const verb = clause.tokens[clause.core[0]]!.word;
  if (plainness === 'title') return verb === 'complete' ? 'certain' : isPlain ? 'strong' : 'weak';
  if (plainness === 'foreign') return form.isPlain ? 'unsure' : undefined;
  if (obj[1] - obj[0] > LONGEST) return 'unsure';
  if (!isPlain && !form.isReport) return undefined;
  return isPlainVerb(verb) && isRowOfNames(clause, obj, form.intent) ? 'strong' : 'weak';
}

const NO_NAME = new Set(
  'of utter utterly total with in from on out using yourself myself him her them us me you everyone'.split(
    ' ',
  ),
);
/** "Complete tea and jam": nothing but a few names after the verb. */
function isRowOfNames({ tokens, core, moods }: Clause, obj: Span, intent: ChangeForm['intent']): boolean {
  if ((core[0] > 0 && !moods.has('request')) || obj[1] - obj[0] > SHORT) return false;
  const words = tokens.slice(...obj).map(({ word }) => word);
  const isRow = intent === 'COMPLETE_TASK' || words.every((word, i) => i % 2 === 0 || word === 'and');
  return isRow && words.every((word) => !DETERMINERS.has(word) && !NO_NAME.has(word));
}

const CANCELS = new Set(['cancel', 'forget']);
/** The assistant cannot reach these services, so cancelling one means the task. */
const SERVICES = new Set(
  'netflix spotify youtube hulu disney+ audible dropbox paypal amazon prime adobe icloud linkedin'.split(' '),
);
/** "Cancel netflix", "forget the dentist", "cancel the dentist appointment". */
function isCancelled({ tokens, core }: Clause, { slots, target: { plainness } }: Found): boolean {
  const thing = tokens.slice(...slots['obj']!).map(({ word }) => word);
  const verb = tokens[core[0]]!.word;
  if (!CANCELS.has(verb) || thing.length > SHORT || thing.some(isTimeHead)) return false;
  if (thing.every((word) => SERVICES.has(word))) return true;
  if (plainness !== 'foreign') return verb === 'forget' && DETERMINERS.has(thing[0]!) && thing.length > 1;
  return thing[0] === 'the' && thing.length > 2 && thing.at(-1) === 'appointment';
}

interface Said {
  isNamed: boolean;
  isPlain: boolean;
  change: TaskChange | undefined;
}

function ofTask(clause: Clause, { references: [first] }: Target, said: Said): Strength {
  const { isNamed, isPlain } = said;
  if (isNamed || (isPlain && first!.kind === 'position')) return isPlain ? 'certain' : 'strong';
  if (first!.kind === 'recent') return ofPronoun(clause, said);
  return isPlain ? 'strong' : 'weak';
}

function ofPronoun({ tokens, core }: Clause, { isPlain, change }: Said): Strength {
  const verb = tokens[core[0]]!.word;
  if (change?.kind === 'when' || /^(?:rename|retitle|edit|complete)$/.test(verb)) return 'strong';
  if (/^(?:make|set|turn|have)$/.test(verb) && change)
    return startsWithAction(change.text) ? 'weak' : undefined;
  return isPlain || change ? 'weak' : 'unsure';
}

/** "Make it buy two gifts", but not "make it work". */
function startsWithAction(text: string): boolean {
  const [first = '', ...rest] = text.toLowerCase().split(' ');
  return rest.length > 0 && ACTION_VERBS.has(first);
}

/** "Well done!" */
function isPraise({ tokens, core }: Clause): boolean {
  return tokens[core[0] - 1]?.word === 'well' && tokens[core[0]]!.word === 'done';
}
