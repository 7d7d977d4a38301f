import type { Sentence, Token } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { findList, namesTask } from '../language/words/nouns.ts';
import { ADD, CHANGE, DELETE, FINISH } from '../language/words/verbs.ts';
import { isNotOrder } from './guards.ts';
import { OFF_TOPIC } from './intents/list.ts';
import type { TaskIntent } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** Words that let a sentence mean each intent, wherever they stand. */
const EVIDENCE: ReadonlyArray<readonly [TaskIntent, ReadonlySet<string>]> = [
  [
    'DELETE_TASK',
    set(
      `delete remove erase cancel clear wipe scrap drop rid bin trash ditch discard kill dump purge off anymore longer scrub axe nix empty out
       forget stop throw away needed go deleted removed erased cancelled canceled dropped scrapped gone lose omit deleting removing skip needing unneeded unwanted duplicate strike take
       keep bother need want`,
    ),
  ],
  [
    'COMPLETE_TASK',
    set(
      `done finished complete completed finish mark tick cross off did strike sorted taken close closed resolve resolved ticked crossed
       checked marked handled dealt walked paid bought sent washed cleaned called emailed posted fed happened accomplished through finishing`,
    ),
  ],
  [
    'UPDATE_TASK',
    set(
      `change update edit modify rename reschedule move postpone push shift replace swap instead should typo misspelled amend revise reword
       delay bump set make add correct fix bring extend earlier later changed updated edited renamed rescheduled moved postponed pushed shifted
       changing renaming moving rather priority turn spelling wording adjust reflect put lower raise alter meant spelled wrong stick include needs mention extended longer shorter earlier`,
    ),
  ],
  [
    'CREATE_TASK',
    set(
      `add create make set put write note new log open save record enter remind reminder reminded remember dont-forget stick jot include need want
       pop throw task todo register track gotta must chuck pencil another`,
    ),
  ],
  [
    'LIST_TASKS',
    set(
      `show see list read tell give what which how many any check left due pending anything view display hear do is are have overview summary know
       when did was were provide run walk talk through again`,
    ),
  ],
];
const BY_POINTING: ReadonlySet<TaskIntent> = new Set(['COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK']);
const POINTERS = set('it # them those both entry there deadline priority that meant');
const NEGATIONS = set('not never no without nobody nothing');
/** With one of these a "not" says that something is to go. */
const NOT_NEEDED = set('anymore longer more need needed needing keep bother');
const TOLD = set('said says told tells asked asks wants wanted claims thinks believes');

/** From this lead of the model on, the message need not name a task. */
const BOLD = 240;
const LONGEST_BOLD = 24;
const MOST_SENTENCES = 4;

/** The intents that the words of a message permit, if no rule reads it and the model has this lead. */
export function permittedIntents(sentences: readonly Sentence[], lead = 0): ReadonlySet<TaskIntent> {
  const orders = ordersIn(sentences);
  const tokens = orders.flatMap((sentence) => sentence.tokens);
  const words = new Set(tokens.filter(({ quoted }) => !quoted).map(({ word }) => word));
  if (asksOfSelf(tokens, words) || asksWhatIsOpen(tokens, words)) return new Set(['LIST_TASKS']);
  const own = !overlaps(FOREIGN, words);
  const points = own && (pointsAt(tokens, words) || tokens.some(({ quoted }) => quoted));
  const named = words.has('remind') || namesTasks(orders);
  const enough = named || (own && lead >= BOLD && tokens.length <= LONGEST_BOLD);
  const permitted = EVIDENCE.filter(
    ([intent, evidence]) => (enough || (points && BY_POINTING.has(intent))) && overlaps(evidence, words),
  )
    .map(([intent]) => intent)
    .filter((intent) => intent !== 'LIST_TASKS' || mayList(words, named));
  if (isToldOrDenied(words)) return new Set(permitted.filter((intent) => intent === 'LIST_TASKS'));
  // "No need to buy milk" adds nothing.
  return new Set(
    overlaps(NEGATIONS, words) ? permitted.filter((intent) => intent !== 'CREATE_TASK') : permitted,
  );
}

const COUNTED = set('and or but with i want need like have only just no 2 two get is');
/** "The second one" points at something, "one with oat milk" counts. */
function pointsAt(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  if (overlaps(POINTERS, words)) return true;
  return tokens.some(
    ({ word }, i) => (word === 'one' || word === 'ones') && i > 0 && !COUNTED.has(tokens[i - 1]!.word),
  );
}

/** How far the words support the model if no rule reads a message. */
export type Support = 'named' | 'allowed' | 'own' | 'foreign' | 'none';

export function supportFor(sentences: readonly Sentence[], intent: TaskIntent, lead: number): Support {
  if (intent === 'LIST_TASKS' && sentences.some(beginsWithChange)) return 'foreign';
  if (permittedIntents(sentences, lead).has(intent)) return namesTasks(sentences) ? 'named' : 'allowed';
  return supportInWords(sentences, intent);
}

/** The support of the words alone, if they do not permit the intent. */
function supportInWords(sentences: readonly Sentence[], intent: TaskIntent): Support {
  const orders = ordersIn(sentences);
  const tokens = sentences.flatMap((sentence) => sentence.tokens).filter(({ quoted }) => !quoted);
  const words = new Set(tokens.map(({ word }) => word));
  const read = intent === 'LIST_TASKS';
  if (tokens.length > LONGEST_BOLD) return 'none';
  if (!read && (orders.length === 0 || refuses(sentences, words, intent))) return 'none';
  const doubtful = orders.length === 0 || isToldOrDenied(words) || (read && overlaps(OFF_TOPIC, words));
  return doubtful || overlaps(FOREIGN, words) ? 'foreign' : 'own';
}

const CHANGES: ReadonlySet<string> = new Set([...ADD, ...CHANGE, ...DELETE, ...FINISH]);
/** "Put what is playing on my list" is no wish to see one. */
function beginsWithChange({ tokens }: Sentence): boolean {
  const first = tokens[0];
  return first !== undefined && !first.quoted && first.word !== 'check' && CHANGES.has(first.word);
}

const REFUSALS = set('not never');
const FIRST_WORDS = 3;
/** "Never delete the milk task". A change may say what is not right any more ("at 5, not 6"), but not begin with it. */
function refuses(sentences: readonly Sentence[], words: ReadonlySet<string>, intent: TaskIntent): boolean {
  if (intent !== 'UPDATE_TASK') return isToldOrDenied(words);
  return sentences.some(({ tokens }) =>
    tokens.slice(0, FIRST_WORDS).some(({ word, quoted }) => !quoted && REFUSALS.has(word)),
  );
}

function ordersIn(sentences: readonly Sentence[]): Sentence[] {
  return sentences.slice(0, MOST_SENTENCES).filter(({ tokens }) => !isNotOrder(tokens, [0, tokens.length]));
}

function isToldOrDenied(words: ReadonlySet<string>): boolean {
  const denied = overlaps(NEGATIONS, words) && !overlaps(NOT_NEEDED, words);
  return denied || overlaps(TOLD, words);
}

const OF_LISTS = set(
  'left due do outstanding undone pending open list done finish finished remember supposed meant forgetting missing everything ticked added',
);
/** A question that names no task must at least ask what there is to do. */
function mayList(words: ReadonlySet<string>, named: boolean): boolean {
  return !overlaps(OFF_TOPIC, words) && (named || overlaps(OF_LISTS, words));
}

export function namesTasks(sentences: readonly Sentence[]): boolean {
  return sentences.slice(0, MOST_SENTENCES).some(({ tokens }) => isAboutTasks(tokens));
}

const ASKING = set('what which when do have am anything show tell');
const SELF = set('i we');
const OBLIGED = set('have need got supposed had needed');
/** A question of the person about what they have to do ("what do I still have to finish?"): reading the list may answer it. */
function asksOfSelf(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  const asks = tokens.slice(0, 2).some(({ word }) => ASKING.has(word));
  const deed = tokens.some(({ word }, i) => word === 'to' && ACTION_VERBS.has(tokens[i + 1]?.word ?? ''));
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
