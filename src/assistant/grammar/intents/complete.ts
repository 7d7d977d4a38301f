import type { Token } from '../../language/token.ts';
import { matchAll } from '../../language/phrase.ts';
import type { Target } from '../../language/reference.ts';
import { DEEDS } from '../../language/words/deeds.ts';
import { DETERMINERS, namesTask, namesTaskList } from '../../language/words/nouns.ts';
import { isTimeHead } from '../../language/words/times.ts';
import { DEED, DONE_ALONE, FINISH, MARK, REPORT } from '../phrases/complete.ts';
import type { Clause, Reading } from '../reading.ts';
import { pictureAfter } from '../picture.ts';
import { firstTarget } from '../targets.ts';

export function readComplete(clause: Clause): Reading | undefined {
  const praise =
    clause.tokens[clause.core[0] - 1]?.word === 'well' && clause.tokens[clause.core[0]]!.word === 'done';
  if (clause.moods.has('negated') || praise || saysNotDone(clause)) return undefined;
  return (
    readMark(clause) ?? readFinish(clause) ?? readAlone(clause) ?? readReport(clause) ?? readDeed(clause)
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

/** These verbs are also said of sentences, orders and downloads. */
const OTHERWISE = new Set(['complete', 'completing', 'finish']);
const CHECKS = new Set(['check', 'cross', 'strike', 'tick']);
function readFinish(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, FINISH);
  const verb = clause.tokens[clause.core[0]]!.word;
  if (!found || clause.moods.has('duty') || (CHECKS.has(verb) && takesFrom(clause))) return undefined;
  const { plainness, references } = found.target;
  const [first] = references;
  const obj = clause.tokens.slice(...found.slots['obj']!);
  if (CHECKS.has(verb) && (first?.kind === 'recent' || first?.kind === 'all')) return undefined;
  if (plainness !== 'task' && obj.some(({ word }) => word === 'following' || word === 'below'))
    return undefined;
  if (plainness === 'task' && first?.kind === 'recent' && !namesTask(clause.tokens, clause.core))
    return result(
      found.target,
      found.phrase.source !== '@finish {obj}' ? 'strong' : OTHERWISE.has(verb) ? 'weak' : 'unsure',
      'completes it',
    );
  if (plainness === 'task')
    return result(
      found.target,
      OTHERWISE.has(verb) && namesTask(clause.tokens, clause.core) ? 'certain' : 'strong',
      'completes a task',
    );
  if (!OTHERWISE.has(verb) || plainness === 'foreign') return undefined;
  const title = plainness === 'title' && verb === 'complete' && obj.length <= LONGEST_DEED;
  if (!title && isBareOrder(clause, obj)) return result(found.target, 'strong', 'completes something');
  return result(
    found.target,
    title ? 'certain' : plainness === 'title' ? 'weak' : 'unsure',
    'completes something',
  );
}

const LONGEST_NAME = 4;
/** "complete waste of time" completes nothing. */
const NO_NAME = new Set('of utter utterly total with in'.split(' '));
/** "complete tea and jam": nothing but names behind the verb; or asked for ("would you mind completing buy milk"). */
function isBareOrder({ tokens, core, whole, moods }: Clause, obj: readonly Token[]): boolean {
  const { word } = tokens[core[0]]!;
  if (word === 'completing') return moods.has('request') && DEEDS.has(obj[0]!.word);
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
  const picture = clause.tokens[clause.core[0]]!.word === 'complete' ? pictureAfter(clause) : undefined;
  if (picture)
    return result({ references: [{ kind: 'title', text: picture }] }, 'strong', 'completes a task');
  const alone = DONE_ALONE.some((item) => matchAll(item, clause.tokens, clause.core));
  if (!alone || clause.question) return undefined;
  return result({ references: [{ kind: 'recent', text: 'it' }] }, 'weak', 'says that something is done');
}

/** "I did nothing", "I did my best". */
const NO_DEED = new Set('nothing best worst part well great so'.split(' '));
function readReport(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, REPORT);
  if (!found || clause.question) return undefined;
  const { plainness, references } = found.target;
  const anything = references[0]!.kind === 'all' && !namesTask(clause.tokens, clause.core);
  const obj = found.slots['obj']!;
  if (clause.tokens.slice(...obj).some(({ word }) => NO_DEED.has(word))) return undefined;
  if (clause.tokens.slice(...obj).every(({ word }) => isTimeHead(word))) return undefined;
  const doubtful = anything || (plainness !== 'task' && obj[1] - obj[0] > LONGEST_DEED);
  const strength = doubtful ? 'unsure' : plainness === 'task' ? 'strong' : 'weak';
  return result(found.target, strength, 'says that something is done');
}

/** Things that were new to the person are no tasks: "I bought a car". */
const INDEFINITE = new Set(
  `a an some something someone somebody nothing this these more another so you your myself many lots two three new way too him her them
   us everyone nobody`.split(/\s+/),
);
const LONGEST_DEED = 7;
const SHORT = 3;
function readDeed(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, DEED);
  const obj = found?.slots['obj'];
  if (!found || !obj || clause.question) return undefined;
  const first = clause.tokens[obj[0]]!.word;
  const length = obj[1] - obj[0];
  const nothing = clause.tokens.slice(...obj).some(({ word }) => NO_DEED.has(word));
  if (nothing || INDEFINITE.has(first) || length > LONGEST_DEED) return undefined;
  const definite = (DETERMINERS.has(first) || length <= SHORT) && found.target.plainness !== 'foreign';
  return result(
    found.target,
    namesTask(clause.tokens, obj) ? 'strong' : definite ? 'weak' : 'unsure',
    'says that it was done',
  );
}
