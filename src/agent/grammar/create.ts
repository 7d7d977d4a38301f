import { matchAll, matchStart, type Slots, type Span } from '../phrase.ts';
import { FOREIGN } from '../words/foreign.ts';
import { phrases } from '../words/groups.ts';
import { findList, isTaskNoun, namesTask } from '../words/nouns.ts';
import { DEEDS, SERVICE_DEEDS } from '../words/verbs.ts';
import { findWhen } from '../words/times.ts';
import { describeTask } from './describe.ts';
import { isNounPhrase, isTitle } from './guards.ts';
import type { Clause, Reading } from './reading.ts';

const REMIND = phrases(`
  remind|reminder me|us|myself? when@when? to {what}
  remind me|us|myself? when@when? about|of|that|regarding|: {what}
  remind me|us|myself when@when
  remind me|us|myself {what}
  remind me|us|myself again|later|please*
  remind me|us
  be reminded when@when? to|about|of|that|regarding {what}
  be|get reminded when@when?
  dont-forget to|about|that {what}
  dont-forget : {what}
  dont-forget {what}
  remember to {what}
  help me? remember to|about|that {what}
  help me? not forget to {what}
  note to self : {what}
  note to self {what}
  note : {what}
  make|take|leave|write me? a|quick|another? mental? note when@when? to|of|that|about|:|saying|for {what}
  make|take @a? quick? note {what}
  ping|nudge|notify|alert|prompt|poke|buzz|warn|bug|pester me|us when@when? to|about|that|of|when {what}
  tell|message|text me when@when? to {what}
  tell|message|text me to {what} when@when
  give|send|shoot|drop me|us a|an|some notice|notification|alert|nudge|heads-up|ping|prompt|poke when@when? to|about|for|that|of {what}
  set @a? alarm|timer|notification|alert when@when? to remind me|us to|about|of {what}
  set @a? notification|alert when@when? to|for|about {what}
  keep in mind to {what}
  put|note|jot|write|mark|take down that|to|: {what}
  put|note|jot|write|mark|take it|this down that|to|: {what}
  note|ensure|make that|sure that? i|we am|are|get reminded to|of|about {what}
  note that i|we need|have|must|should to? {what}
  make me remember to? {what}
  remind me|us|myself for|on|at {what}
  make sure i|we remember? to? {what}
  make sure i|we do|dont-forget not? forget? to? {what}
  see that i {what}
`);

const MAKE_TASK = phrases(`
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when? to|about|of|that|called|named|titled|:|saying|which|regarding|labelled|labeled|with|as|so {what}
  @make @a* {kind?:4} @taskOnly for me|us to {what}
  @make @a* {kind?:4} @taskOnly for|on|at|in {what}
  @make @a* {kind?:4} @taskOnly when@when {what}
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when?
  @make @a* {kind?:4} @taskOnly {what}
  i need|want|require|could|would use|like? @a {kind?:4} @taskOnly set? up? for? me? when@when? to|about|for|of|that|called|: {what}
  i need|want|require|could|would use|like? @a {kind?:4} @taskOnly set? up? for? me? when@when?
  @a {kind?:4} @taskOnly when@when? to|about|for|of|that|:|called|named {what}
  @a {kind?:3} @taskOnly when@when?
  new|another|next|quick|extra @taskOnly : {what}
  new|another|quick|extra @taskOnly {what}
  @make for me @a* {kind?:3} @taskOnly to|:|called|for|about? {what}
  @make @a* {kind?:4} @taskOnly in|up|down for|to|about|on|that {what}
  @taskOnly : {what}
  @taskOnly to|for|about|that {what}
  when@when @taskOnly to|for|about|that|: {what}
  @taskOnly when@when to|for|about|that|: {what}
  @make {what} as @a* {kind?:2} @taskOnly
  add|save|create|put the|this|my {kind?:2} @taskOnly to|:|of|called|named|for|about {what}
  turn|make|convert that|this|it into @a* @taskOnly
  @make @a* {what} @taskOnly
`);

const ON_LIST = phrases(`
  @add {what} down? @onto @list when@when?
  @add {what} down? @onto @list {rest:8}
  @onto @list please? @add {what}
  @add @a* item|items|entry|thing|things|something|line|product|products|task|todo @onto @list : {what}
  @add @onto @list :? {what}
  @add please|also? @onto @list :? {what}
  @add {what} on|in|to|onto there|it when@when?
  put {what} down for? me? when@when?
  @onto @list i need|want|would|have like? {what} added|put|placed|included|written?
  i need|want|would|have like? {what} added|put|placed|included|written|noted|listed|on|down down? @onto @list
  i need|want {what} @onto @list
  {what} should|must|needs|need|has|have|ought|can|could to? also? be|go|get added|put|placed|included|written|noted|listed|inserted|appended? @onto? @list
  {what} goes|belongs @onto @list
  sure? that? {what} is|are|gets|get added|put? @onto @list
  make sure that? {what} is|are|gets|get added|put? @onto @list
  {what} to|on|onto|into @list
  @list : {what}
  @list needs {what}
  @list add {what}
  + {what}
  {what} + 1
  @list + {what}
`);

const VERBLESS = '{what} to|on|onto|into @list';
const ALONE = phrases(`
  @addAlone : {what}
  @addAlone {what}
  @addAlone
  todo {what}
`);
const NOTHING_SAID = new Set([
  'something',
  'that',
  'it',
  'this',
  'them',
  'these',
  'those',
  'a',
  'some',
  'thing',
  'another',
  'new',
  'one',
  'anything',
  'stuff',
  'things',
  'more',
  'else',
  'item',
  'items',
  'do',
  'get',
  'done',
  'later',
  'finish',
  'please',
]);
const QUESTION_WORDS = new Set([
  'what',
  'when',
  'where',
  'who',
  'how',
  'why',
  'which',
  'if',
  'whether',
  'whose',
]);
const NOT_A_KIND = new Set([
  'the',
  'this',
  'that',
  'all',
  'every',
  'any',
  'list',
  'lists',
  'of',
  'my',
  'me',
  'i',
  'you',
  'from',
  'to',
  'app',
  'for',
  'with',
  'tasks',
  'reminders',
  'and',
  'how',
  'is',
  'are',
  'on',
  'in',
  'complete',
  'done',
]);
const EMPTY_KIND = new Set([
  'daily',
  'weekly',
  'monthly',
  'quick',
  'new',
  'pop',
  'up',
  'pop-up',
  'recurring',
  'simple',
  'another',
  'little',
  'small',
  'the',
  'general',
  'todo',
  'brand',
  'more',
  'single',
  'personal',
  'work',
  'urgent',
  'important',
  'further',
  'extra',
  'fresh',
  'high',
  'priority',
  'next',
  'hourly',
  'nightly',
  'repeating',
  'second',
  'different',
]);

export function readCreate(clause: Clause): Reading | undefined {
  return readOnList(clause) ?? readDuty(clause) ?? readAlone(clause);
}

/** Phrases that can mean nothing else, whatever verbs follow in the text of the task. */
export function readNewTask(clause: Clause): Reading | undefined {
  return readRemind(clause) ?? readMake(clause);
}

function firstMatch(
  clause: Clause,
  list: ReturnType<typeof phrases>,
  fits: (slots: Slots, source: string) => boolean = () => true,
) {
  for (const item of list) {
    const slots = matchAll(item, clause.tokens, clause.core);
    if (slots && fits(slots, item.source)) return { slots, source: item.source };
  }
  return undefined;
}

function reading(clause: Clause, slots: Slots, strength: Reading['strength'], rule: string): Reading {
  const what = slots['what'];
  const said =
    what && !clause.tokens.slice(...what).every(({ word, quoted }) => NOTHING_SAID.has(word) && !quoted);
  const description = said ? describeTask(clause, what, slots['when']) : undefined;
  return { intent: 'CREATE_TASK', strength, rule, ...(description && { description }) };
}

function readRemind(clause: Clause): Reading | undefined {
  const found = firstMatch(clause, REMIND);
  if (!found) return undefined;
  const what = found.slots['what'];
  if (what && QUESTION_WORDS.has(clause.tokens[what[0]]!.word) && !isOccasion(clause, what)) return undefined;
  return reading(clause, found.slots, 'strong', 'a wish to be reminded');
}

/** "when i get home to water the plants": a time, not a question. */
function isOccasion(clause: Clause, [from, to]: Span): boolean {
  const words = clause.tokens.slice(from, to).map(({ word }) => word);
  if (words[0] !== 'when' && words[0] !== 'if') return false;
  return (
    words.some((word, i) => word === 'to' && DEEDS.has(words[i + 1] ?? '')) ||
    ['i', 'we', 'it'].includes(words[1] ?? '')
  );
}

function readMake(clause: Clause): Reading | undefined {
  const { tokens } = clause;
  if (isNumbered(tokens, clause.core)) return undefined;
  const found = firstMatch(clause, MAKE_TASK, ({ kind, what }) => {
    const kindWords = kind ? tokens.slice(...kind) : [];
    return (
      kindWords.every(({ word, quoted }) => quoted || !NOT_A_KIND.has(word)) &&
      !(what && startsWithLink(clause, what))
    );
  });
  if (!found) return undefined;
  const { kind, what } = found.slots;
  const named = kind && tokens.slice(...kind).some(({ word }) => !EMPTY_KIND.has(word)) ? kind : undefined;
  return reading(
    clause,
    { ...found.slots, ...(!what && named && { what: named }) },
    'strong',
    'asks for a new task',
  );
}

/** "task 2" exists already. */
function isNumbered(tokens: Clause['tokens'], [from, to]: Span): boolean {
  for (let i = from; i + 1 < to; i++)
    if (isTaskNoun(tokens[i]!.word) && /^(?:\d{1,2}|#|number|no)$/.test(tokens[i + 1]!.word)) return true;
  return false;
}

/** A noun that the gap took for the task's text, though it goes on from "task": "task list", "reminder app". */
const LINKS = new Set([
  'list',
  'lists',
  'app',
  'apps',
  'manager',
  'is',
  'are',
  'was',
  'force',
  'bar',
  'completed',
  'done',
  'complete',
  'finished',
  'management',
  'number',
  '#',
  'has',
  'from',
  'can',
  'does',
  'in',
]);
function startsWithLink(clause: Clause, [from]: Span): boolean {
  const { word } = clause.tokens[from]!;
  return LINKS.has(word) || /^\d{1,2}$/.test(word);
}

function readOnList(clause: Clause): Reading | undefined {
  const { tokens } = clause;
  const found = firstMatch(clause, ON_LIST, ({ what }, source) => {
    const deed = DEEDS.has(tokens[what![0]]!.word);
    if (source.startsWith('@add') || source.startsWith('+')) return deed || isTitle(tokens, what);
    return isNounPhrase(tokens, what) && !(deed && source.startsWith('{what}'));
  });
  if (!found) return undefined;
  return reading(
    clause,
    found.slots,
    found.source === VERBLESS ? 'weak' : 'strong',
    'puts something on the list',
  );
}

/** "I need to buy milk." People say such things of tasks, and also when they want something else done for them. */
function readDuty(clause: Clause): Reading | undefined {
  const { tokens, core } = clause;
  if (!clause.moods.has('duty') || clause.moods.has('negated') || clause.moods.has('request'))
    return undefined;
  const deed = tokens[core[0]]?.word ?? '';
  if (!DEEDS.has(deed) || core[1] - core[0] < 2) return undefined;
  if (clause.question) return undefined;
  const strength =
    (SERVICE_DEEDS.has(deed) && !findWhen(tokens, core)) || hasForeign(clause, core) ? 'unsure' : 'weak';
  return reading(clause, { what: core }, strength, 'says what has to be done');
}

function readAlone(clause: Clause): Reading | undefined {
  const found = firstMatch(clause, ALONE);
  if (!found) return undefined;
  const what = found.slots['what'];
  if (!what)
    return { intent: 'CREATE_TASK', strength: 'unsure', rule: 'adds something, without saying what' };
  if (isSum(clause, what) || namesTask(clause.tokens, what)) return undefined;
  if (hasForeign(clause, what) && !DEEDS.has(clause.tokens[what[0]]!.word)) return undefined;
  return reading(clause, found.slots, hasDestination(clause, what) ? 'unsure' : 'weak', 'adds something');
}

function hasForeign({ tokens }: Clause, span: Span): boolean {
  return tokens.slice(...span).some(({ word, quoted }) => !quoted && FOREIGN.has(word));
}

function isSum({ tokens }: Clause, [from, to]: Span): boolean {
  const words = tokens.slice(from, to).map(({ word }) => word);
  return words[0] === 'up' || words.filter((word) => /^\d/.test(word)).length > 1;
}

const DESTINATION = phrases(`
  to|into|onto|in|between|on a|an|the|my|our|your|this|that|his|her|all|it|them
`);
function hasDestination({ tokens }: Clause, [from, to]: Span): boolean {
  if (findList(tokens, [from, to]) || DEEDS.has(tokens[from]!.word)) return false;
  for (let i = from + 1; i < to; i++)
    if (matchStart(DESTINATION[0]!, tokens, [i, to]) !== undefined) return true;
  return false;
}
