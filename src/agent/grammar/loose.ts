import type { Sentence, Token } from '../language/normalise.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { textOf, type Span } from '../language/phrase.ts';
import { findTarget } from '../language/reference.ts';
import { DETERMINERS, findList, isTaskNoun, namesTask } from '../language/words/nouns.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE } from '../language/words/verbs.ts';
import { unquote } from './describe.ts';
import { clauseOf, readCore } from './grammar.ts';
import { isNoOrder } from './guards.ts';
import type { Reading, TaskIntent } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** Words that let a sentence mean each intent, wherever they stand. */
const EVIDENCE: ReadonlyArray<readonly [TaskIntent, ReadonlySet<string>]> = [
  [
    'DELETE_TASK',
    set(
      `delete remove erase cancel clear wipe scrap drop rid bin trash ditch discard kill dump purge off anymore longer scrub axe nix empty out
       forget stop throw away needed go deleted removed erased cancelled canceled dropped scrapped gone lose omit deleting removing skip`,
    ),
  ],
  [
    'COMPLETE_TASK',
    set(
      `done finished complete completed finish mark tick cross off did strike sorted taken close closed resolve resolved ticked crossed
       checked marked handled dealt`,
    ),
  ],
  [
    'UPDATE_TASK',
    set(
      `change update edit modify rename reschedule move postpone push shift replace swap instead should typo misspelled amend revise reword
       delay bump set make add correct fix bring extend earlier later changed updated edited renamed rescheduled moved postponed pushed shifted
       changing renaming moving rather priority turn spelling wording adjust reflect put lower raise`,
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
const BY_POINTING: ReadonlySet<TaskIntent> = new Set(['COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK']);
const POINTERS = set('one ones it # them those both entry there deadline priority that meant');
const NEGATIONS = set('not never no without nobody nothing');
const NOT_NEEDED = set('anymore longer more');
const TOLD = set('said says told tells asked asks wants wanted claims thinks believes');

/** What the words of a sentence allow at most, where no rule reads it. Enough only if the model is sure. */
export function permittedIntents({ tokens }: Sentence): ReadonlySet<TaskIntent> {
  const words = new Set(tokens.filter(({ quoted }) => !quoted).map(({ word }) => word));
  const aboutTasks = isAboutTasks(tokens) || words.has('remind');
  if (isNoOrder(tokens, [0, tokens.length])) return new Set();
  if (asksOfSelf(tokens, words) || asksWhatIsOpen(tokens, words)) return new Set(['LIST_TASKS']);
  const points =
    !overlaps(FOREIGN, words) && (overlaps(POINTERS, words) || tokens.some(({ quoted }) => quoted));
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
    tokens.filter(({ word }) => word === 'to').length === 1 &&
    overlaps(SELF, words) &&
    overlaps(OBLIGED, words) &&
    !overlaps(FOREIGN, words) &&
    !words.has('you')
  );
}

const OPEN_ONES = set(
  'undone outstanding unfinished pending overdue remaining left open due incomplete unticked',
);
const HEADS = set('what which how is are any anything show list remind tell give do have');
/** "What is still undone?", "how many are on there?": what else would be kept here. */
function asksWhatIsOpen(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  const asks = tokens.slice(0, 3).some(({ word }) => HEADS.has(word));
  const onThere = tokens.some(
    ({ word }, i) => word === 'there' && ['on', 'in'].includes(tokens[i - 1]?.word ?? ''),
  );
  return (
    asks &&
    (onThere || overlaps(OPEN_ONES, words)) &&
    !overlaps(FOREIGN, words) &&
    !words.has('you') &&
    tokens.length <= LONGEST_ASKED
  );
}
const LONGEST_ASKED = 12;

function isAboutTasks(tokens: readonly Token[]): boolean {
  return namesTask(tokens, [0, tokens.length]) || findList(tokens, [0, tokens.length]) !== undefined;
}

function overlaps(some: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  for (const word of words) if (some.has(word)) return true;
  return false;
}

/** What is left where the model is sure and the words allow it, but no rule reads the sentence: the intent, and the task if one is named. */
export function readLoosely(clean: string, { tokens }: Sentence, intent: TaskIntent): Reading {
  const reading: Reading = { intent, strength: 'unsure', rule: 'sounds like it, and speaks of tasks' };
  if (intent === 'LIST_TASKS') return reading;
  if (intent === 'CREATE_TASK') {
    const text = statedText(clean, tokens);
    return text ? { ...reading, descriptions: [text] } : reading;
  }
  const references = mentioned(clean, tokens);
  return references ? { ...reading, references } : reading;
}

/** The text of a new task where it is set off from the rest: quoted, or behind a colon. */
function statedText(clean: string, tokens: readonly Token[]): string | undefined {
  const quote = quotedSpan(tokens);
  if (quote) return unquote(textOf(clean, tokens, quote));
  const colon = tokens.findIndex(({ word }) => word === ':');
  return colon >= 0 && colon + 1 < tokens.length
    ? textOf(clean, tokens, [colon + 1, tokens.length])
    : undefined;
}

function quotedSpan(tokens: readonly Token[]): Span | undefined {
  const from = tokens.findIndex(({ quoted }) => quoted);
  if (from < 0) return undefined;
  const after = tokens.findIndex(({ quoted }, i) => i > from && !quoted);
  return [from, after < 0 ? tokens.length : after];
}

const LONGEST_NAME = 6;
/** A task that is named as one, or the place of one, anywhere in the sentence. */
function mentioned(clean: string, tokens: readonly Token[]): Reading['references'] {
  for (let to = 1; to <= tokens.length; to++) {
    const { word, quoted } = tokens[to - 1]!;
    if (quoted || !(isTaskNoun(word) || word === 'one' || word === 'entry')) continue;
    let from = to - 1;
    while (from > 0 && to - from < LONGEST_NAME && !DETERMINERS.has(tokens[from]!.word)) from--;
    if (!DETERMINERS.has(tokens[from]!.word)) continue;
    const target = findTarget(clean, tokens, [from, to]);
    if (target?.plainness === 'task') return target.references;
  }
  const quote = quotedSpan(tokens);
  return quote && [{ kind: 'title', text: unquote(textOf(clean, tokens, quote)) }];
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
