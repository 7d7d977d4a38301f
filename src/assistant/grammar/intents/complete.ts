import type { Token } from '../../language/token.ts';
import { matchAll } from '../../language/phrase.ts';
import type { Target } from '../../language/reference.ts';
import { ACTION_VERBS } from '../../language/words/action-verbs.ts';
import { DETERMINERS, namesTask, namesTaskList } from '../../language/words/nouns.ts';
import { isTimeHead } from '../../language/words/times.ts';
import { PAST_ACTION, DONE_ALONE, FINISH, MARK, REPORT } from '../phrases/complete.ts';
import type { Clause, Reading } from '../reading.ts';
import { emojiAfter, firstTarget, type TargetMatch } from '../targets.ts';

export function readComplete(clause: Clause): Reading | undefined {
  const praise =
    clause.tokens[clause.core[0] - 1]?.word === 'well' && clause.tokens[clause.core[0]]!.word === 'done';
  if (clause.moods.has('negated') || praise || saysNotDone(clause)) return undefined;
  return (
    readMark(clause) ??
    readFinish(clause) ??
    readAlone(clause) ??
    readReport(clause) ??
    readPastAction(clause)
  );
}

function result(
  { references }: Pick<Target, 'references'>,
  strength: Reading['strength'],
  rule: string,
): Reading {
  return { intent: 'COMPLETE_TASK', strength, rule, references };
}

function readMark(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, MARK);
  return (
    found &&
    result(
      found.target,
      found.target.plainness === 'foreign' && !namesTaskList(clause.tokens, clause.core)
        ? 'unsure'
        : found.target.plainness === 'plain'
          ? 'strong'
          : 'certain',
      'marks something as done',
    )
  );
}

const DONE_WORDS = new Set('done complete completed finished off'.split(' '));
/** "mark milk as not done", "the report is not finished". */
function saysNotDone({ tokens, core: [from, to] }: Clause): boolean {
  for (let i = from + 1; i + 1 < to; i++)
    if (tokens[i]!.word === 'not' && !tokens[i]!.quoted) {
      const next = tokens[i + 1]!.word === 'yet' ? tokens[i + 2] : tokens[i + 1];
      if (next && DONE_WORDS.has(next.word)) return true;
    }
  return false;
}

/** These verbs are also said of sentences, commands and downloads. */
const OTHERWISE = new Set(['complete', 'completing', 'finish']);
const CHECKS = new Set(['check', 'cross', 'strike', 'tick']);
function readFinish(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, FINISH);
  if (!found || clause.moods.has('duty')) return undefined;
  if (CHECKS.has(verbOf(clause)) && !isTickOff(clause, found.target)) return undefined;
  return found.target.plainness === 'task' ? finishTask(clause, found) : finishThing(clause, found);
}

function verbOf({ tokens, core }: Clause): string {
  return tokens[core[0]]!.word;
}

function isTickOff(clause: Clause, { references: [first] }: Target): boolean {
  return !takesFrom(clause) && first?.kind !== 'recent' && first?.kind !== 'all';
}

function finishTask(clause: Clause, { target, phrase }: TargetMatch): Reading {
  const isNamed = namesTask(clause.tokens, clause.core);
  const isUsual = OTHERWISE.has(verbOf(clause));
  if (target.references[0]?.kind !== 'recent' || isNamed)
    return result(target, isUsual && isNamed ? 'certain' : 'strong', 'completes a task');
  const isLoose = phrase.source === '@finish {obj}';
  return result(target, !isLoose ? 'strong' : isUsual ? 'weak' : 'unsure', 'completes it');
}

const LISTED_BELOW = new Set(['following', 'below']);
function finishThing(clause: Clause, { target, slots }: TargetMatch): Reading | undefined {
  const obj = clause.tokens.slice(...slots['obj']!);
  if (obj.some(({ word }) => LISTED_BELOW.has(word))) return undefined;
  if (!OTHERWISE.has(verbOf(clause)) || target.plainness === 'foreign') return undefined;
  return result(target, strengthOfThing(clause, target, obj), 'completes something');
}

function strengthOfThing(clause: Clause, { plainness }: Target, obj: readonly Token[]): Reading['strength'] {
  if (plainness === 'title' && verbOf(clause) === 'complete' && obj.length <= LONGEST_ACTION)
    return 'certain';
  if (isBareOrder(clause, obj)) return 'strong';
  return plainness === 'title' ? 'weak' : 'unsure';
}

const LONGEST_NAME = 4;
/** "complete waste of time" completes nothing. */
const NO_NAME = new Set('of utter utterly total with in'.split(' '));
/** "complete tea and jam": nothing but names after the verb; or asked for ("would you mind completing buy milk"). */
function isBareOrder({ tokens, core, whole, moods }: Clause, obj: readonly Token[]): boolean {
  const { word } = tokens[core[0]]!;
  if (word === 'completing') return moods.has('request') && ACTION_VERBS.has(obj[0]!.word);
  const first = word === 'complete' && core[0] === whole[0] && core[0] === 0;
  const names = obj.every(
    ({ word: name, quoted }) => quoted || !(DETERMINERS.has(name) || NO_NAME.has(name)),
  );
  return first && obj.length <= LONGEST_NAME && names && obj[0]!.word !== 'and';
}

/** "strike milk from the list" is no tick. */
function takesFrom({ tokens, core }: Clause): boolean {
  return tokens.slice(...core).some(({ word }) => word === 'from');
}

function readAlone(clause: Clause): Reading | undefined {
  const picture = clause.tokens[clause.core[0]]!.word === 'complete' ? emojiAfter(clause) : undefined;
  if (picture)
    return result({ references: [{ kind: 'title', text: picture }] }, 'strong', 'completes a task');
  const alone = DONE_ALONE.some((item) => matchAll(item, clause.tokens, clause.core));
  if (!alone || clause.question) return undefined;
  return result({ references: [{ kind: 'recent', text: 'it' }] }, 'weak', 'says that something is done');
}

/** "I did nothing", "I did my best". */
const NO_ACTION = new Set('nothing best worst part well great so'.split(' '));
function readReport(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, REPORT);
  if (!found || clause.question) return undefined;
  const { plainness, references } = found.target;
  const anything = references[0]!.kind === 'all' && !namesTask(clause.tokens, clause.core);
  const obj = found.slots['obj']!;
  if (clause.tokens.slice(...obj).some(({ word }) => NO_ACTION.has(word))) return undefined;
  if (clause.tokens.slice(...obj).every(({ word }) => isTimeHead(word))) return undefined;
  const doubtful = anything || (plainness !== 'task' && obj[1] - obj[0] > LONGEST_ACTION);
  const strength = doubtful ? 'unsure' : plainness === 'task' ? 'strong' : 'weak';
  return result(found.target, strength, 'says that something is done');
}

/** Things that were new to the person are no tasks: "I bought a car". */
const INDEFINITE = new Set(
  `a an some something someone somebody nothing this these more another so you your myself many lots two three new way too him her them
   us everyone nobody`.split(/\s+/),
);
const LONGEST_ACTION = 7;
const SHORT = 3;
function readPastAction(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, PAST_ACTION);
  const obj = found?.slots['obj'];
  if (!found || !obj || clause.question) return undefined;
  const first = clause.tokens[obj[0]]!.word;
  const length = obj[1] - obj[0];
  const nothing = clause.tokens.slice(...obj).some(({ word }) => NO_ACTION.has(word));
  if (nothing || INDEFINITE.has(first) || length > LONGEST_ACTION) return undefined;
  const definite = (DETERMINERS.has(first) || length <= SHORT) && found.target.plainness !== 'foreign';
  return result(
    found.target,
    namesTask(clause.tokens, obj) ? 'strong' : definite ? 'weak' : 'unsure',
    'says that it was done',
  );
}
