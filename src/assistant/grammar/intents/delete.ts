import type { Token } from '../../language/token.ts';
import { matchAll, textOf } from '../../language/phrase.ts';
import { findTarget, type Target } from '../../language/reference.ts';
import { ACTION_VERBS } from '../../language/words/action-verbs.ts';
import { FOREIGN } from '../../language/words/foreign.ts';
import { isTimeHead } from '../../language/words/times.ts';
import { DETERMINERS, namesOwnList, namesTask, namesTaskList } from '../../language/words/nouns.ts';
import {
  DELETE,
  EMPTY_LIST,
  NOT_NEEDED,
  OFF_LIST,
  STOP_REMINDING,
  TASKS_NOT_NEEDED,
} from '../phrases/delete.ts';
import { emojiAfter, firstTarget, type TargetMatch } from '../targets.ts';
import type { Clause, Reading } from '../reading.ts';

/** Plain enough to be understood of something that is not called a task; the other verbs say many other things. */
const PLAIN = new Set(
  'delete remove erase scrap ditch trash bin deleting removing nix get scratch discard'.split(' '),
);
const LIST_WORDS = new Set(['list', 'lists', 'agenda', 'everything']);
const ELSEWHERE = new Set('from in on out using with inside into between by via'.split(' '));
const LONGEST_PLAIN = 6;
const LONGEST_CANCELLED = 4;

export function readDelete(clause: Clause): Reading | undefined {
  return readOffList(clause) ?? readEmpty(clause) ?? readPlain(clause);
}

function result(
  { references }: Pick<Target, 'references'>,
  strength: Reading['strength'],
  rule: string,
): Reading {
  return { intent: 'DELETE_TASK', strength, rule, references };
}

/** Tasks that are not wanted any more: said with a "not", so read before negations are rejected. */
export function readUnwanted(clause: Clause): Reading | undefined {
  const stop = firstTarget(clause, STOP_REMINDING, clause.whole);
  if (stop && /^(?:any|some|no)/.test(clause.tokens[stop.slots['obj']![0]]!.word)) return undefined;
  if (stop) return result(stop.target, 'certain', 'does not want to be reminded');
  const unneeded = firstTarget(clause, NOT_NEEDED, clause.whole);
  if (!unneeded) return readUnneededTasks(clause);
  const strength = namesTask(clause.tokens, clause.whole)
    ? 'strong'
    : unneeded.target.plainness === 'foreign'
      ? undefined
      : 'weak';
  return strength && result(unneeded.target, strength, 'is no longer needed');
}

const BEFORE_OBJECT = 4;
function readUnneededTasks(clause: Clause): Reading | undefined {
  const { clean, tokens, whole } = clause;
  if (!TASKS_NOT_NEEDED.some((item) => matchAll(item, tokens, whole))) return undefined;
  const target = findTarget(clean, tokens, [whole[0] + BEFORE_OBJECT, whole[1]]);
  return target && result(target, 'strong', 'is no longer needed');
}

function readOffList(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, OFF_LIST);
  return (
    found &&
    result(found.target, isAboutList(clause) ? plainly(clause) : 'unsure', 'takes something off the list')
  );
}

const LONGEST_CERTAIN = 16;
/** Says delete, and says task or list. */
function plainly({ tokens, core }: Clause): Reading['strength'] {
  const named = namesTask(tokens, core) || namesOwnList(tokens, core);
  const foreign =
    !namesTaskList(tokens, core) &&
    tokens.slice(...core).some(({ word, quoted }) => !quoted && FOREIGN.has(word));
  const certain =
    PLAIN.has(tokens[core[0]]!.word) && named && !foreign && core[1] - core[0] <= LONGEST_CERTAIN;
  return certain ? 'certain' : 'strong';
}

function isAboutList({ tokens, core }: Clause): boolean {
  return (
    namesTask(tokens, core) ||
    tokens.slice(...core).some(({ word, quoted }) => !quoted && LIST_WORDS.has(word))
  );
}

function readEmpty(clause: Clause): Reading | undefined {
  if (!EMPTY_LIST.some((item) => matchAll(item, clause.tokens, clause.core))) return undefined;
  const text = textOf(clause.clean, clause.tokens, clause.core);
  return result({ references: [{ kind: 'all', text }] }, 'strong', 'empties the list');
}

function readPlain(clause: Clause): Reading | undefined {
  const verb = clause.tokens[clause.core[0]]!;
  const plain = PLAIN.has(verb.word);
  const found = firstTarget(clause, DELETE);
  if (!found) {
    const picture = plain ? emojiAfter(clause) : undefined;
    if (picture)
      return result({ references: [{ kind: 'title', text: picture }] }, 'strong', 'deletes a task');
    const bare = plain && verb.word !== 'get' && clause.core[1] - clause.core[0] === 1;
    return bare
      ? { intent: 'DELETE_TASK', strength: 'unsure', rule: 'deletes, without saying what' }
      : undefined;
  }
  const strength =
    found.target.plainness === 'task'
      ? strengthOfTask(clause, found.target, plain)
      : strengthOfThing(clause, found, plain);
  return strength && result(found.target, strength, 'deletes a task');
}

function strengthOfTask(clause: Clause, { references }: Target, plain: boolean): Reading['strength'] {
  if (isAboutList(clause)) return plainly(clause);
  if (!plain) return 'unsure';
  return references[0]!.kind === 'recent' ? 'weak' : 'strong';
}

const CANCELS = new Set(['cancel', 'forget']);
type Strength = Reading['strength'];

/** A typo must not turn a message about something else into a delete. */
function strengthOfThing(
  clause: Clause,
  { target, slots }: TargetMatch,
  plain: boolean,
): Strength | undefined {
  const verb = clause.tokens[clause.core[0]]!;
  const thing = clause.tokens.slice(...slots['obj']!);
  if (target.plainness === 'title') return strengthOfTitle(verb, thing, plain);
  if (verb.corrected) return undefined;
  const cancels = CANCELS.has(verb.word);
  if (cancels && isNamed(thing)) return 'certain';
  if (target.plainness !== 'foreign') return strengthOfNoun(clause, thing, plain);
  if (!cancels || !isAppointment(thing)) return undefined;
  return thing[0]!.word === 'the' ? 'strong' : 'weak';
}

function strengthOfTitle({ word, corrected }: Token, thing: readonly Token[], plain: boolean): Strength {
  if (corrected || !(plain || CANCELS.has(word))) return 'unsure';
  if (ACTION_VERBS.has(thing[0]!.word) && (plain || !thing.some(isForeign))) return 'strong';
  return plain ? 'weak' : 'unsure';
}

function strengthOfNoun(
  { tokens, core }: Clause,
  thing: readonly Token[],
  plain: boolean,
): Strength | undefined {
  const verb = tokens[core[0]]!.word;
  const forgets = verb === 'forget' && DETERMINERS.has(thing[0]!.word);
  if (!(plain || forgets || verb === 'cancel') || isKeptElsewhere(verb, thing)) return undefined;
  return plain && isRowOfNames(thing) && (core[0] === 0 || verb === 'deleting') ? 'strong' : 'unsure';
}

/** What has a place, or a day, is more often in a file or a calendar; so is what takes many words. */
function isKeptElsewhere(verb: string, thing: readonly Token[]): boolean {
  if (thing.some(({ word, quoted }) => !quoted && ELSEWHERE.has(word))) return true;
  if (verb !== 'cancel') return thing.length > LONGEST_PLAIN;
  return thing.length > LONGEST_CANCELLED || thing.some(({ word, quoted }) => !quoted && isTimeHead(word));
}

const PERSONS = new Set('yourself myself him her me us you everyone them'.split(' '));
/** "running", "tea and jam": single words, and nothing between them but an "and". */
function isRowOfNames(thing: readonly Token[]): boolean {
  return thing.every(({ word }, i) =>
    i % 2 === 0 ? !DETERMINERS.has(word) && !PERSONS.has(word) : word === 'and' || word === '&',
  );
}

function isForeign({ word, quoted }: Token): boolean {
  return !quoted && FOREIGN.has(word);
}

/** The assistant cannot reach these services, so cancelling one means the task. */
const SERVICES = new Set(
  'netflix spotify youtube hulu disney+ audible dropbox paypal amazon prime adobe icloud linkedin'.split(' '),
);
function isNamed(thing: readonly Token[]): boolean {
  return thing.length <= 2 && thing.every(({ word }) => SERVICES.has(word));
}

/** "The dentist appointment" says with whom; an "appointment" alone is one of the calendar's. */
function isAppointment(thing: readonly Token[]): boolean {
  const at = thing.findIndex(({ word }) => word === 'appointment');
  const whose = thing.slice(0, at).filter(({ word }) => !DETERMINERS.has(word));
  return (
    at === thing.length - 1 &&
    whose.length > 0 &&
    !whose.some((token) => isForeign(token) || isTimeHead(token.word))
  );
}
