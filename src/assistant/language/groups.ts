import { phraseMaker, wordsGroup, type Group } from './phrase.ts';
import { listEnds, taskNoun, tasksNoun } from './words/nouns.ts';
import { ACTION_VERBS, PAST_VERBS } from './words/action-verbs.ts';
import { ADD, ADD_ALONE, CHANGE, DELETE, FINISH, MAKE, SHOW } from './words/verbs.ts';
import { timeEnds } from './words/times.ts';

const words = (text: string) => wordsGroup(text.trim().split(/\s*[,\n]\s*/));

/** Words that may stand before "tasks" without changing what is meant; at most four of them. */
const NO_MODIFIER = new Set(
  `how what which to that a an i you me it is are do does did of with about for can could would will and or if when why who where be write
   have has add put not from on in at using your`.split(/\s+/),
);
const describedTasks: Group = (tokens, at, end) => {
  for (let i = at; i < end && i < at + 5; i++) {
    const ends = tasksNoun(tokens, i, end);
    if (ends.length > 0) return ends;
    const { word, quoted } = tokens[i]!;
    if (quoted || (NO_MODIFIER.has(word) && !(word === 'of' && i > at))) return [];
  }
  return [];
};

const describedTask: Group = (tokens, at, end) => {
  for (let i = at; i < end && i < at + 6; i++) {
    const ends = taskNoun(tokens, i, end);
    if (ends.length > 0) return ends;
    if (tokens[i]!.quoted || NO_MODIFIER.has(tokens[i]!.word)) return [];
  }
  return [];
};

const COUNTER = new Set(['task', 'todo', 'item', 'number', 'no', '#', 'reminder']);
const positionEnds: Group = (tokens, at, end) => {
  let i = at;
  while (i < end && i < at + 2 && COUNTER.has(tokens[i]!.word)) i++;
  return i < end && /^\d{1,2}$/.test(tokens[i]!.word) && !tokens[i]!.quoted ? [i + 1] : [];
};

/** All that stands in one pair of quotation marks, or as much of it as is left. */
const quoteEnds: Group = (tokens, at, end) => {
  let i = at;
  while (i < end && tokens[i]!.quoted) i++;
  return i > at ? [i] : [];
};

const GROUPS: Readonly<Record<string, Group>> = {
  a: words('a, an, another, one more, a new, another new, new, one, a quick, a little, some'),
  add: wordsGroup(ADD),
  addAlone: wordsGroup(ADD_ALONE),
  change: wordsGroup(CHANGE),
  deed: wordsGroup([...ACTION_VERBS]),
  delete: wordsGroup(DELETE),
  done: words(
    `done, complete, completed, finished, as done, as complete, as completed, as finished, is done, to done, to complete, to completed, as being done, off, all done, as all done, resolved, as resolved,
     closed, as closed, done and dusted, accomplished, as accomplished, checked, ticked, as checked, checked off, crossed off, as checked off, as ticked off, as ticked, sorted, as sorted, as already done, as fully done`,
  ),
  doneWord: words(
    `done, complete, completed, finished, all done, done and dusted, sorted, accomplished, taken care of, out of the way, in the bag, handled, wrapped up, checked off, already done, all finished, all set, finally done, ticked off, done with, over and done with, dealt with, squared away, a done deal, crossed off`,
  ),
  finish: wordsGroup(FINISH),
  its: words('its, their'),
  list: listEnds,
  make: wordsGroup(MAKE),
  my: words(
    'my, our, the, all, all of, all my, all the, all of my, any, any of my, every, this, these, those, me my, us our, your, of my, of the',
  ),
  onto: words(
    'to, on, onto, in, into, on to, at the top of, at the end of, at the bottom of, at top of, under, within, inside, as part of, up on, down on, down in, to the top of, to the bottom of, to the end of',
  ),
  position: (tokens, at, end) => positionEnds(tokens, at, end),
  order: words('delete, remove, erase, drop, cancel, check, tick, mark'),
  quote: quoteEnds,
  pastDeed: wordsGroup([...PAST_VERBS]),
  gone: words(
    'removed, deleted, erased, cleared, cancelled, canceled, dropped, taken, gone, scrapped, off, out',
  ),
  off: words('off, off of, from, out of, of, from off of, away from'),
  show: wordsGroup(SHOW),
  task: describedTask,
  taskOnly: taskNoun,
  tasks: describedTasks,
  when: timeEnds,
};

export const phrase = phraseMaker(GROUPS);
/** One phrase per line, or between commas. */
export function phrases(text: string): Array<ReturnType<typeof phrase>> {
  return text
    .trim()
    .split(/\s*[,\n]\s*/)
    .map(phrase);
}
