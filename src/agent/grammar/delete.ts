import { matchAll, textOf, type Slots, type Span } from '../phrase.ts';
import { findTarget, type Target } from '../reference.ts';
import { phrases } from '../words/groups.ts';
import { namesTask } from '../words/nouns.ts';
import { isNounPhrase } from './guards.ts';
import type { Clause, Reading } from './reading.ts';

const OFF_LIST = phrases(`
  @delete {obj} @off @list
  take|pull|get|strip|knock|leave|keep|kick|drop|move|strike|scratch|cut {obj} off|out|from|of of? @list
  take|pull|get|knock|kick {obj} off
  i|we do not need|want {obj} on @list any? more|longer|anymore?
  i|we no longer need|want {obj} on @list
  {obj} should|can|could|must|needs to? be|come|go removed|deleted|erased|taken|cleared|dropped|off|from|out of? from? @list?
`);
const DELETE = phrases(`
  @delete {obj} @off it|here|there|my? tasks|reminders?
  @delete {obj} completely|entirely|forever|permanently|altogether|instead|already
  @delete {obj}
  @delete
`);
const NOT_NEEDED = phrases(`
  i|we no longer need|want|require {obj} so|and|anymore {rest?}
  i|we no longer need|want|have|wish to do|be? reminded? of|about|to? {obj}
  i|we no longer need|want|require {obj}
  i|we? do not need|want|require {obj} anymore|longer so|and|take|delete|remove? {rest?}
  i|we? do not need|want|require {obj} any more|longer {rest?}
  i|we? do not want|need more {obj}
  i|we do not need|want|require my|the|any|that|this|those|these {rest?:8} @taskOnly {obj?}
  i|we do not need|want|require @tasks {obj?}
  {obj} is|are no longer|more needed|necessary|relevant|required
  {obj} is|are not needed|necessary|relevant|required anymore
  {obj} is|are not needed|necessary|relevant|required any more|longer
`);
const STOP_REMINDING = phrases(`
  do not remind me to|about|of {obj}
  stop reminding me to|about|of {obj}
  no need to remind me to|about|of {obj}
  you can stop reminding me to|about|of {obj}
  you do not need|have to remind me to|about|of {obj}
`);
const EMPTY_LIST = phrases(`
  make @list blank|empty|clean
  wipe|clear|clean|blank|empty @list out|clean|up|blank
  start @list over|again|fresh
  start a? new|fresh @list
`);
/** Plain enough to be understood of something that is not called a task; the other verbs say many other things. */
const PLAIN = new Set(
  'delete remove erase scrap ditch trash bin deleting removing nix get scratch discard'.split(' '),
);
const LONGEST_PLAIN = 6;
const ELSEWHERE = new Set('from in of on out using with inside into between by via'.split(' '));

export function readDelete(clause: Clause): Reading | undefined {
  return (
    readStop(clause) ??
    (clause.moods.has('negated')
      ? undefined
      : (readOffList(clause) ?? readEmpty(clause) ?? readPlain(clause)))
  );
}

const result = (target: Target, strength: Reading['strength'], rule: string): Reading => ({
  intent: 'DELETE_TASK',
  strength,
  rule,
  references: target.references,
});

function firstTarget(
  clause: Clause,
  list: ReturnType<typeof phrases>,
  span: Span,
): { target: Target; slots: Slots } | undefined {
  for (const item of list) {
    const slots = matchAll(item, clause.tokens, span);
    const obj = slots?.['obj'];
    if (!slots || !obj || !(isNounPhrase(clause.tokens, obj) || namesTask(clause.tokens, obj))) continue;
    const target = findTarget(clause.clean, clause.tokens, obj);
    if (target) return { target, slots };
  }
  return undefined;
}

/** What is not wanted any more: said with a "not", so it is read before negation ends the matter. */
function readStop(clause: Clause): Reading | undefined {
  const stop = firstTarget(clause, STOP_REMINDING, clause.whole);
  if (stop) return result(stop.target, 'strong', 'does not want to be reminded');
  const unneeded = firstTarget(clause, NOT_NEEDED, clause.whole);
  if (!unneeded) {
    const whole = NOT_NEEDED.slice(6, 8).some((item) => matchAll(item, clause.tokens, clause.whole));
    return whole ? unneededTasks(clause) : undefined;
  }
  const named = namesTask(clause.tokens, clause.whole);
  return result(
    unneeded.target,
    named ? 'strong' : unneeded.target.plainness === 'foreign' ? 'unsure' : 'weak',
    'is no longer needed',
  );
}

function unneededTasks(clause: Clause): Reading | undefined {
  const text = textOf(clause.clean, clause.tokens, [clause.whole[0] + 4, clause.whole[1]]);
  const target = findTarget(clause.clean, clause.tokens, [clause.whole[0] + 4, clause.whole[1]]);
  return target && text ? result(target, 'strong', 'is no longer needed') : undefined;
}

function readOffList(clause: Clause): Reading | undefined {
  const found =
    firstTarget(clause, OFF_LIST, clause.core) ??
    (clause.whole[0] < clause.core[0] ? undefined : firstTarget(clause, OFF_LIST, clause.whole));
  if (!found) return undefined;
  const onList =
    clause.tokens.slice(...clause.core).some(({ word }) => word === 'list' || word === 'lists') ||
    namesTask(clause.tokens, clause.core);
  return result(found.target, onList ? 'strong' : 'unsure', 'takes something off the list');
}

function readEmpty(clause: Clause): Reading | undefined {
  if (!EMPTY_LIST.some((item) => matchAll(item, clause.tokens, clause.core))) return undefined;
  const target: Target = {
    references: [{ kind: 'all', text: textOf(clause.clean, clause.tokens, clause.core) }],
    plainness: 'task',
  };
  return result(target, 'strong', 'empties the list');
}

function readPlain(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, DELETE, clause.core);
  const verb = clause.tokens[clause.core[0]]!;
  const said = clause.core[1] - clause.core[0];
  if (!found)
    return said === 1 && PLAIN.has(verb.word)
      ? { intent: 'DELETE_TASK', strength: 'unsure', rule: 'deletes, without saying what' }
      : undefined;
  const { plainness, references } = found.target;
  const named = namesTask(clause.tokens, clause.core);
  const pronoun = references[0]!.kind === 'recent' && !named;
  if (plainness === 'task') {
    if (named || (PLAIN.has(verb.word) && !pronoun)) return result(found.target, 'strong', 'deletes a task');
    return PLAIN.has(verb.word)
      ? result(found.target, 'weak', 'deletes what was spoken of')
      : result(found.target, isList(clause) ? 'strong' : 'unsure', 'deletes something');
  }
  if (plainness === 'foreign' || !PLAIN.has(verb.word) || verb.mended)
    return plainness === 'title' ? result(found.target, 'unsure', 'deletes something') : undefined;
  const obj = found.slots['obj']!;
  const elsewhere = clause.tokens.slice(...obj).some(({ word, quoted }) => !quoted && ELSEWHERE.has(word));
  if (plainness === 'title') return result(found.target, 'weak', 'deletes something');
  return elsewhere || obj[1] - obj[0] > LONGEST_PLAIN
    ? undefined
    : result(found.target, 'weak', 'deletes something');
}

function isList({ tokens, core }: Clause): boolean {
  return tokens
    .slice(...core)
    .some(({ word }) => word === 'list' || word === 'lists' || word === 'everything' || word === 'agenda');
}
