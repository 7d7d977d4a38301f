import { phrases } from '../../language/groups.ts';
import { matchAll, type Span } from '../../language/phrase.ts';
import { ACTION_VERBS } from '../../language/words/action-verbs.ts';
import { listEnds } from '../../language/words/nouns.ts';
import { findWhen } from '../../language/words/times.ts';
import { isNounPhrase } from '../guards.ts';
import { firstMatch, LONGEST_CERTAIN, newTaskReading } from './new-task.ts';
import { REMIND, REMIND_OTHER } from '../phrases/create.ts';
import type { Clause, Reading } from '../reading.ts';

/** What is there already, as a whole. */
const OF_LIST = phrases(`
  of|about? @my* things|items|stuff|tasks|todos|reminders|ones on|in|from|off @list {rest?}
  of|about? @my* things|items|stuff|tasks|todos|reminders|ones that|which? i|we {rest}
`);
const set = (text: string) => new Set(text.split(/\s+/));
const QUESTION_WORDS = set('what when where who how why which if whether whose');

const WISH = 'asks to be reminded';

export function readRemind(clause: Clause): Reading | undefined {
  const found = firstMatch(clause, REMIND, ({ what }) => !what || isOwn(clause, what));
  if (found) return newTaskReading(clause, found.slots, { strength: plainlyReminds(clause), rule: WISH });
  const other = firstMatch(
    clause,
    REMIND_OTHER,
    ({ who }) => isNounPhrase(clause.tokens, who) && clause.tokens[who![0]]!.word !== 'your',
  );
  const rule = 'asks to remind somebody';
  return other && newTaskReading(clause, { what: clause.core }, { strength: 'strong', rule });
}

const SELF = set('me us myself');
/** Also said of news, calls and deliveries. */
const ALERTS = set('notify alert prompt buzz warn ping poke tell message text let give send shoot drop set');
function plainlyReminds({ tokens, core: [at, end] }: Clause): Reading['strength'] {
  const to =
    tokens.slice(at, end).some(({ word }) => word === 'to') || ACTION_VERBS.has(tokens[at + 2]?.word ?? '');
  const plain = tokens[at]!.word === 'remind' && SELF.has(tokens[at + 1]?.word ?? '') && to && end - at > 3;
  if (plain && end - at <= LONGEST_CERTAIN) return 'certain';
  return ALERTS.has(tokens[at]!.word) ? 'weak' : 'strong';
}

/** Not a question, not the list, and not about somebody else ("don't forget your coat"). */
function isOwn(clause: Clause, what: Span): boolean {
  return !isAsked(clause, what) && !isList(clause, what) && clause.tokens[what[0]]!.word !== 'your';
}

/** "remind me who directed it" asks; "remind me when I get home to …" says when. */
function isAsked({ tokens }: Clause, [from, to]: Span): boolean {
  const words = tokens.slice(from, to).map(({ word }) => word);
  if (!QUESTION_WORDS.has(words[0]!)) return false;
  const occasion =
    words.some((word, i) => word === 'to' && ACTION_VERBS.has(words[i + 1] ?? '')) ||
    ['i', 'we', 'it'].includes(words[1] ?? '');
  return !((words[0] === 'when' || words[0] === 'if') && occasion);
}

/** "remind me of my tasks", "remind me of the items on my list" asks to see them, unless it says when. */
function isList({ tokens }: Clause, [from, to]: Span): boolean {
  if (listEnds(tokens, from, to)[0] === to) return true;
  return OF_LIST.some((item) => matchAll(item, tokens, [from, to])) && !findWhen(tokens, [from, to]);
}
