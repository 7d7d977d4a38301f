import type { TaskReference } from '../../contract/chat.ts';
import type { Token } from './token.ts';
import { matchAll, textOf, type Span } from './phrase.ts';
import { readPositions } from './positions.ts';
import { FOREIGN } from './words/foreign.ts';
import { phrases } from './groups.ts';
import { DETERMINERS, isTaskNoun, LOOSE_TASK } from './words/nouns.ts';
import { isTimeHead } from './words/times.ts';
import { ACTION_VERBS, DOING } from './words/action-verbs.ts';

/**
 * How plainly a phrase means a task:
 *   task     names one as such, or its place in the list       title   could be the title of one ("buy milk")
 *   plain    some other noun                                   foreign belongs to another program
 */
export type Plainness = 'task' | 'title' | 'plain' | 'foreign';
export interface Target {
  references: TaskReference[];
  plainness: Plainness;
}

const RECENT = phrases(`
  it|this|that|them|those|these|its|their, both of? them|those|these|tasks|reminders?, those|these|the two|three|ones tasks|reminders?
  that|this|the same? one|task|todo|reminder|item|entry|chore, the one|task|todo|reminder|chore
  one|task|todo|reminder of these|those|them, a|my|one|some task|todo|reminder|chore|item, task|todo|reminder
  the|my newest|latest|current task|todo|reminder|one, the|my newest|latest|most recent? task|todo|reminder|one
  the one i just added|created|made|mentioned, that last one|task|reminder|thing, the last thing i added|said
`);
const ALL = phrases(`
  all|everything, all of|my? them|it|those|these, every single? one|thing, everything @onto @list, everything @off @list
  all @onto @list, all @off @list, the? whole|entire|full|complete thing|lot|list
  all|every|each of? my|the|these|those? {kind?:3} @taskOnly {rest?}, @list, @list for|on|from|until|due when@when, everything {rest:6}
  all of? my|the|those? stuff|things|items|entries @onto? @list?, all of? my|the|those? stuff|things|items|entries
`);
/** Several at once, by what they have in common. */
const SOME = phrases(`
  @tasks {rest?}
`);
const SOME_THINGS = phrases(`
  all|any|every|both|each of? my|the|these|those? {rest:6}
`);
const NAMED = phrases(`
  {lead?:2} @taskOnly to|for|about|called|named|titled|regarding|saying|labelled|labeled|marked|concerning|with|of|on|: {title}
  {lead?:2} @taskOnly that|which says|reads|is|said|was called|named|for|about? {title}, {lead?:2} @taskOnly {title}
  {title:8} @taskOnly when@when?, {title:8} @taskOnly for|on|at|from {rest:4}, {title:8} @taskOnly @onto @list
  {title:8} @taskOnly @off @list, the one|thing about|called|for|named|with {title}, the one|thing that says|is about? {title}
  {title:6} one|item|entry
`);
const FROM_LIST = phrases(`
  {title} @off @list, {title} on|in @list
`);

/** Reads a noun phrase as the task (or tasks) that it means. */
export function findTarget(clean: string, tokens: readonly Token[], span: Span): Target | undefined {
  const onList = fromList(tokens, span);
  const inner = onList ?? span;
  if (inner[1] <= inner[0]) return undefined;
  const positions = readPositions(clean, tokens, inner);
  if (positions) return { references: positions, plainness: 'task' };
  const text = textOf(clean, tokens, inner);
  const kind = pronounKind(tokens, inner);
  if (kind) return { references: [{ kind, text }], plainness: 'task' };
  const one = byName(clean, tokens, inner) ?? byTitle(clean, tokens, inner);
  if (!one) return undefined;
  return {
    references: meansSeveral(tokens, inner) ? [{ kind: 'all', text }] : one.references,
    plainness: onList ? 'task' : one.plainness,
  };
}

/** "All of them", "it": words that point at tasks without naming one. */
function pronounKind(tokens: readonly Token[], span: Span): 'all' | 'recent' | undefined {
  if (anyMatch(ALL, tokens, span)) return 'all';
  if (anyMatch(RECENT, tokens, span)) return 'recent';
  return anyMatch(SOME, tokens, span) && !isTaskNoun(tokens[span[0]]!.word + 's') ? 'all' : undefined;
}

/** "Both" before a pair only names the two. */
function meansSeveral(tokens: readonly Token[], span: Span): boolean {
  const isPair = tokens[span[0]]!.word === 'both' && tokens.slice(...span).some(({ word }) => word === 'and');
  return !isPair && anyMatch(SOME_THINGS, tokens, span);
}

function anyMatch(list: ReturnType<typeof phrases>, tokens: readonly Token[], span: Span): boolean {
  return list.some((item) => matchAll(item, tokens, span) !== undefined);
}

/** "milk from my shopping list": what is meant is milk. */
function fromList(tokens: readonly Token[], span: Span): Span | undefined {
  for (const item of FROM_LIST) {
    const title = matchAll(item, tokens, span)?.['title'];
    if (title) return title;
  }
  return undefined;
}

function byName(clean: string, tokens: readonly Token[], span: Span): Target | undefined {
  for (const item of NAMED) {
    const slots = matchAll(item, tokens, span);
    const title = slots?.['title'];
    if (!slots || !title || !isLead(tokens, slots['lead'])) continue;
    const bare = withoutDeterminer(tokens, title);
    if (bare[1] > bare[0])
      return { references: [{ kind: 'title', text: textOf(clean, tokens, bare) }], plainness: 'task' };
  }
  return undefined;
}

function isLead(tokens: readonly Token[], lead: Span | undefined): boolean {
  return (
    !lead ||
    tokens
      .slice(...lead)
      .every(({ word }) => DETERMINERS.has(word) || word === 'recurring' || word === 'daily')
  );
}

function byTitle(clean: string, tokens: readonly Token[], span: Span): Target | undefined {
  const bare = withoutDeterminer(tokens, span);
  if (bare[1] <= bare[0]) return undefined;
  const words = tokens.slice(...bare);
  const references: TaskReference[] = [{ kind: 'title', text: textOf(clean, tokens, bare) }];
  if (words.every(({ quoted }) => quoted)) return { references, plainness: 'title' };
  const foreign = words.some(({ word, quoted }) => FOREIGN.has(word) && !quoted);
  const verb = bare[0] === span[0] && ACTION_VERBS.has(words[0]!.word);
  if (words.length > 1 && (verb || (DOING.has(words[0]!.word) && !foreign)))
    return { references, plainness: 'title' };
  const onlyTime = words.every(({ word }) => isTimeHead(word) || LOOSE_TASK.has(word));
  return { references, plainness: foreign || onlyTime ? 'foreign' : 'plain' };
}

function withoutDeterminer(tokens: readonly Token[], [from, to]: Span): Span {
  let start = from;
  while (start < to && DETERMINERS.has(tokens[start]!.word) && !tokens[start]!.quoted) start++;
  return [start, to];
}
