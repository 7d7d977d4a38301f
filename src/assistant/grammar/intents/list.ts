import { matchAll, type Phrase, type Slots, type Span } from '../../language/phrase.ts';
import { FOREIGN } from '../../language/words/foreign.ts';
import { listEnds, namesOwnList, namesTask } from '../../language/words/nouns.ts';
import { isTimeHead } from '../../language/words/times.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE } from '../../language/words/verbs.ts';
import { ABOUT_LIST, IDIOMS, LIST_NOUN, SHOW, WEAK_IDIOMS, WHETHER } from '../phrases/list.ts';
import type { Clause, Reading } from '../reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** With one of these the list is only mentioned. */
export const OFF_TOPIC = set(
  `how why ideas idea tips tip advice app apps template templates example examples software tool tools best feature features definition
   meaning joke jokes history story song essay poem recipe recipes you yourself yours longest shortest biggest ever average people everyone
   purpose bad good calendar divided private safe`,
);
/** Something is to be done with the list, not shown. */
const MOVES = set(
  `add put remove delete take move send email share order buy purchase export copy sync import upload organize organise manage prioritize print create
   make write change set`,
);

/** Commands that only ask, though they begin like commands of another kind. */
export function readWhether(clause: Clause): Reading | undefined {
  const asks = !clause.moods.has('negated') && find(clause, WHETHER, (slots) => isOnTopic(clause, slots));
  const rule = 'asks whether something is on the list';
  if (!asks) return undefined;
  return namesOwnList(clause.tokens, clause.whole)
    ? { ...listReading(rule), strength: 'certain' }
    : listReading(rule);
}

/** "Check off the milk on my list" does not ask to see it. */
function isTickingOff({ tokens, core }: Clause): boolean {
  return tokens[core[0]]?.word === 'check' && tokens[core[0] + 1]?.word === 'off';
}

export function readList(clause: Clause): Reading | undefined {
  if (isTickingOff(clause)) return undefined;
  if (clause.moods.has('negated')) return undefined;
  if (find(clause, SHOW, (slots) => isOnTopic(clause, slots) && staysPut(clause, slots['mid'])))
    return plainReading(clause, 'asks to see the tasks');
  if (find(clause, ABOUT_LIST, (slots) => isOnTopic(clause, slots) && isOwn(clause, slots)))
    return plainReading(clause, 'asks what is on the list');
  const isHere = (slots: Slots) => isOnTopic(clause, slots) && !hasForeign(clause, slots);
  if (find(clause, IDIOMS, (slots) => isTime(clause, slots['time']) && isHere(slots)))
    return listReading('asks what there is to do');
  if (!asksForRecipe(clause) && find(clause, WEAK_IDIOMS, isHere))
    return { ...listReading('asks what there is to do'), strength: 'weak' };
  return readNoun(clause) ?? readOwnList(clause);
}

/** What is asked about belongs to another program, and no task is named. */
function hasForeign(clause: Clause, { mid, rest }: Slots): boolean {
  if (namesTask(clause.tokens, clause.whole)) return false;
  return [...wordsOf(clause, mid), ...wordsOf(clause, rest)].some((word) => FOREIGN.has(word));
}

const COOKING = set('make cook bake brew build use become');
/** "What do I need to make pancakes?" */
function asksForRecipe({ tokens, whole }: Clause): boolean {
  return tokens
    .slice(...whole)
    .some(({ word }, i, all) => word === 'to' && COOKING.has(all[i + 1]?.word ?? ''));
}

export const NAMES_LIST = 'names the list';
const ORDERS: ReadonlySet<string> = new Set([...DELETE, ...CHANGE]);
const VERBS = new Set([...ADD, ...MAKE, ...CHANGE, ...DELETE, ...FINISH]);
function readNoun(clause: Clause): Reading | undefined {
  if (VERBS.has(clause.tokens[clause.core[0]]!.word)) return undefined;
  return find(clause, LIST_NOUN, ({ time }) => isTime(clause, time)) ? listReading(NAMES_LIST) : undefined;
}

const ASKS = set(
  'what which how when is are was do does did any anything tell know read reading see hear look looking check remember show showing list if whether told pull bring find search',
);
/** Asks something about the person's list in an unforeseen way. */
function readOwnList(clause: Clause): Reading | undefined {
  const { tokens, whole } = clause;
  const own = tokens.findIndex(
    ({ word }, i) =>
      i >= whole[0] &&
      i < whole[1] &&
      (word === 'my' || word === 'our') &&
      listEnds(tokens, i, whole[1]).length > 0,
  );
  const words = wordsOf(clause, whole);
  const asks = clause.question || words.some((word) => ASKS.has(word));
  if (
    own < 0 ||
    !asks ||
    words.some((word) => MOVES.has(word) || OFF_TOPIC.has(word)) ||
    ORDERS.has(words[0]!)
  )
    return undefined;
  return { ...listReading('asks something of the list'), strength: 'unsure' };
}

const LONGEST_PLAIN = 10;
/** Short, and of the person's own list: nothing else is meant. */
function plainReading(clause: Clause, rule: string): Reading {
  const words = wordsOf(clause, clause.whole);
  const plain =
    words.length <= LONGEST_PLAIN &&
    namesOwnList(clause.tokens, clause.whole) &&
    !words.some((word) => FOREIGN.has(word) || MOVES.has(word));
  return { ...listReading(rule), strength: plain ? 'certain' : 'strong' };
}

function listReading(rule: string): Reading {
  return { intent: 'LIST_TASKS', strength: 'strong', rule };
}

function find(clause: Clause, list: readonly Phrase[], fits: (slots: Slots) => boolean): boolean {
  const spans = clause.core[0] === clause.whole[0] ? [clause.core] : [clause.core, clause.whole];
  return list.some((item) =>
    spans.some((span) => {
      const slots = matchAll(item, clause.tokens, span);
      return slots !== undefined && fits(slots);
    }),
  );
}

function wordsOf({ tokens }: Clause, span: Span | undefined): string[] {
  return span ? tokens.slice(...span).map(({ word, quoted }) => (quoted ? '' : word)) : [];
}

const OF_OWN = set('mine my our the today tomorrow this all things stuff mine ours');
function isOnTopic(clause: Clause, { mid, rest }: Slots): boolean {
  const [first, second] = wordsOf(clause, rest);
  if (first === 'of' && second !== undefined && !OF_OWN.has(second)) return false;
  return [...wordsOf(clause, mid), ...wordsOf(clause, rest)].every((word) => !OFF_TOPIC.has(word));
}

function staysPut(clause: Clause, mid: Span | undefined): boolean {
  return wordsOf(clause, mid).every((word) => !MOVES.has(word));
}

const AUXILIARIES = set('can could does do did is should would will may might');
/** "Which tasks should I automate?" asks for advice. */
const ADVICE = set('should can could would');
const TO_DO = set('do finish complete work start tackle focus get be see');
const MINE = set(
  `i we my our left due open pending on there remaining still overdue for done finished complete completed today tomorrow next not that
   important urgent have`,
);
/** "What is a task?" is about the word, "what tasks can an operator automate?" about somebody else. */
function isOwn(clause: Clause, { mid, rest }: Slots): boolean {
  if (asksForMeaning(wordsOf(clause, mid))) return false;
  const [first, second, third] = wordsOf(clause, rest);
  if (ADVICE.has(first ?? '') && third !== undefined && !TO_DO.has(third)) return false;
  return !AUXILIARIES.has(first ?? '') || second === undefined || MINE.has(second);
}

function asksForMeaning(words: readonly string[]): boolean {
  const [first, last] = [words[0] ?? '', words.at(-1) ?? ''];
  return (first === 'is' || first === 'a') && (last === 'a' || last === 'an') && words.length < 4;
}

const TIME_GLUE = set(
  `at on by in for before after until till this next the of my our a an i am get go leave home work house around then as so far first else right
   still left yet again with school bed to and time from store shop shops market supermarket`,
);
const LONGEST_TIME = 6;
function isTime(clause: Clause, span: Span | undefined): boolean {
  const words = wordsOf(clause, span);
  if (['before', 'after', 'until', 'by', 'ahead'].includes(words[0] ?? '') && words.length < LONGEST_TIME)
    return true;
  return words.length <= LONGEST_TIME && words.every((word) => isTimeHead(word) || TIME_GLUE.has(word));
}
