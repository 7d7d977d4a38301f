import type { Sentence, Token } from '../language/normalise.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { findList, namesTask } from '../language/words/nouns.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE } from '../language/words/verbs.ts';
import { clauseOf, readCore } from './grammar.ts';
import { isNoOrder } from './guards.ts';
import type { Reading, TaskIntent } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** Words that let a sentence mean each intent, wherever they stand. */
const EVIDENCE: ReadonlyArray<readonly [TaskIntent, ReadonlySet<string>]> = [
  [
    'DELETE_TASK',
    set(
      'delete remove erase cancel clear wipe scrap drop rid bin trash ditch discard kill dump purge off anymore longer scrub axe nix empty out forget stop throw away needed go',
    ),
  ],
  [
    'COMPLETE_TASK',
    set(
      'done finished complete completed finish mark check tick cross off did strike sorted taken close closed resolve resolved',
    ),
  ],
  [
    'UPDATE_TASK',
    set(
      'change update edit modify rename reschedule move postpone push shift replace swap instead should typo misspelled amend revise reword delay bump set make add correct fix bring extend earlier later',
    ),
  ],
  [
    'CREATE_TASK',
    set(
      'add create make set put write note new log open save record enter remind reminder reminded remember dont-forget stick jot include need want pop throw task todo',
    ),
  ],
  [
    'LIST_TASKS',
    set(
      'show see list read tell give what which how many any check left due pending anything view display hear do is are have overview summary know',
    ),
  ],
];
const BY_POINTING: ReadonlySet<TaskIntent> = new Set(['COMPLETE_TASK', 'UPDATE_TASK']);
const POINTERS = set('one it #');
const NEGATIONS = set('not never no without nobody nothing');
const NOT_NEEDED = set('anymore longer more');
const TOLD = set('said says told tells asked asks wants wanted claims thinks believes');

/** What the words of a sentence allow at most, where no rule reads it. Enough only if the model is sure. */
export function permittedIntents({ tokens }: Sentence): ReadonlySet<TaskIntent> {
  const words = new Set(tokens.filter(({ quoted }) => !quoted).map(({ word }) => word));
  const aboutTasks = isAboutTasks(tokens) || words.has('remind');
  if (asksOfSelf(tokens, words)) return new Set(['LIST_TASKS']);
  const points = overlaps(POINTERS, words);
  const permitted = EVIDENCE.filter(
    ([intent, evidence]) => (aboutTasks || (points && BY_POINTING.has(intent))) && overlaps(evidence, words),
  ).map(([intent]) => intent);
  const denied = overlaps(NEGATIONS, words) && !overlaps(NOT_NEEDED, words);
  const onlyRead = denied || overlaps(TOLD, words);
  return new Set(onlyRead ? permitted.filter((intent) => intent === 'LIST_TASKS') : permitted);
}

const ASKING = set('what which when do have am anything show tell');
const SELF = set('i we');
const OBLIGED = set('have need got supposed had needed');
/** A question of the person about what they have to do ("what do I still have to finish?"): reading the list may answer it. */
function asksOfSelf(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  const asks = tokens.slice(0, 2).some(({ word }) => ASKING.has(word));
  const deed = tokens.some(({ word }, i) => word === 'to' && DEEDS.has(tokens[i + 1]?.word ?? ''));
  return (
    asks &&
    deed &&
    overlaps(SELF, words) &&
    overlaps(OBLIGED, words) &&
    !overlaps(FOREIGN, words) &&
    !words.has('you')
  );
}

function isAboutTasks(tokens: readonly Token[]): boolean {
  return namesTask(tokens, [0, tokens.length]) || findList(tokens, [0, tokens.length]) !== undefined;
}

function overlaps(some: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  for (const word of words) if (some.has(word)) return true;
  return false;
}

const ORDERS: ReadonlySet<string> = new Set([...ADD, ...MAKE, ...CHANGE, ...DELETE, ...FINISH]);
const MOST_STARTS = 24;
const LONGEST_SEARCHED = 80;
/** The first place from which the rules read the wanted intent, for its parameters. */
/** In a sentence that begins with another order, a question is only part of its object. */
export function readSomewhere(clean: string, sentence: Sentence, wanted: TaskIntent): Reading | undefined {
  const { tokens } = sentence;
  if (tokens.length > LONGEST_SEARCHED || (wanted === 'LIST_TASKS' && ORDERS.has(tokens[0]!.word)))
    return undefined;
  for (let from = 0; from < Math.min(tokens.length, MOST_STARTS); from++) {
    const comma = tokens.findIndex((token, i) => i > from && token.afterComma);
    for (const to of comma > 0 ? [tokens.length, comma] : [tokens.length]) {
      const clause = clauseOf(clean, sentence, [from, to]);
      if (clause.moods.has('negated') || isNoOrder(tokens, clause.whole)) continue;
      const reading = readCore(clause);
      if (reading?.intent === wanted) return reading;
    }
  }
  return undefined;
}
