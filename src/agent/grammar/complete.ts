import { findTarget, type Target } from '../reference.ts';
import { matchAll, type Slots, type Span } from '../phrase.ts';
import { phrases } from '../words/groups.ts';
import { DETERMINERS, namesTask } from '../words/nouns.ts';
import { DOING } from '../words/verbs.ts';
import { isNounPhrase } from './guards.ts';
import type { Clause, Reading } from './reading.ts';

const MARK = phrases(`
  mark|flag|label|tag|set|put|move|log|record|consider|call|note|list|show|change|update|switch|toggle|register|count|make|put|report|have|get {obj} down? @done on|in? @list?
  mark|flag|set|update|change {obj} status|state? to|as done|complete|completed|finished
  mark|flag|set|update|change|move the? status|state of {obj} to|as done|complete|completed|finished
  mark as|off|down? done|complete|completed|finished|: {obj}
  mark done|complete|completed|finished {obj}
  check|tick|cross|strike|scratch|mark|knock|rule|checkmark {obj} off|out|through of? from? @list?
  check|tick|cross|strike|scratch|mark|knock|rule off|out {obj} of? off? from? on? @list?
  put a|the tick|check|checkmark|cross|line next|beside|through|on|by|against to? {obj}
  tick|checkmark {obj}
`);
const FINISH = phrases(`
  @finish {obj}
`);
const REPORT = phrases(`
  i|we have|did? just|already|finally|now|also|actually|successfully* finished|completed|done|accomplished|did|finish|complete up|off|with|doing* {obj}
  i|we have|am|are|was? just|already|finally|now|all|also* done|finished|through|complete with|doing {obj}
  i|we just|already|finally|have|now* got|get|gotten|have|had {obj} done|finished|sorted|completed|out of? the? way?
  i|we just|already|finally|have|now* wrapped|finished|closed|knocked|ticked|checked|crossed|polished|sorted|took|taken up|off|out|care of? {obj}
  i|we just|already|finally|have|now* wrapped|knocked|ticked|checked|crossed {obj} up|out|off
  just|already|finally? finished|completed|done|did with|up|off|doing* {obj}
  {obj} is|are|was|were|has|have|got|am now|all|been|finally|already|just|also* @doneWord now|today|already|yesterday|thanks|too* when@when?
  {obj} now|all|been|finally|already|just? @doneWord when@when?
  done|finished|completed : {obj}
  emoji-yes {obj}
  {obj} emoji-yes
  that is {obj} done|finished|sorted|completed
  all done|finished with {obj}
  done and dusted : {obj}
  consider {obj} done|finished|handled|completed
`);
/** Reports without the word "done": the deed itself, in the past. */
const DEED = phrases(`
  i|we? have? just|already|finally|now|also* bought|called|phoned|emailed|texted|mailed|paid|cleaned|washed|vacuumed|hoovered|mopped|swept|mowed|fed|walked|watered|submitted|sent|returned|booked|renewed|folded|ironed|fixed|filed|signed|printed|packed|ordered|scheduled|cooked|baked|dusted|raked|shovelled|emptied|refilled|replaced|repaired|collected|invoiced|deployed|reviewed|rescheduled|posted|donated|wrapped|deposited|tidied|unpacked|changed|installed|assembled|painted|trimmed|scrubbed|registered|drafted|proofread|cancelled|canceled|confirmed {obj}
  i|we have? just|already|finally|now|also* picked|dropped|took|turned|filled|handed|put|cleared|hung|threw|backed|signed up|off|out|in|away {obj}
  i|we have? just|already|finally|now|also* picked|dropped|took|turned|filled|handed|put|cleared|hung|threw|signed {obj} up|off|out|in|away
  i|we have? just|already|finally|now|also* did|got|made|grabbed {obj}
  {obj} has|have|is|are|was|got been? bought|paid|sent|cleaned|washed|fixed|submitted|mailed|emailed|posted|returned|booked|renewed|ordered|filed|signed|mowed|fed|walked|watered|delivered|picked|dropped|taken|called|repaired|replaced|shipped|deployed|merged|sorted|handled up|off|out|in|care? of?
`);
const DONE_ALONE = phrases(
  `
  done|finished|completed|complete
  all? done
  mark|check|tick it|that|this|them? done|off|complete|completed|finished? 
  it|that|this is done|finished|complete|completed
  i|we have? did|done|finished|completed it|that|this
  i am done|finished with it|that|this
`.replace('finished? \n', 'finished?\n'),
);

export function readComplete(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated')) return undefined;
  return (
    readMark(clause) ?? readFinish(clause) ?? readAlone(clause) ?? readReport(clause) ?? readDeed(clause)
  );
}

function targets(
  clause: Clause,
  list: ReturnType<typeof phrases>,
): { target: Target; slots: Slots } | undefined {
  for (const item of list) {
    const slots = matchAll(item, clause.tokens, clause.core);
    const obj = slots?.['obj'];
    if (!slots || !obj || !fits(clause, obj, item.source.startsWith('{obj}'))) continue;
    const target = findTarget(clause.clean, clause.tokens, obj);
    if (target) return { target, slots };
  }
  return undefined;
}

function fits(clause: Clause, obj: Span, leads: boolean): boolean {
  if (leads)
    return isNounPhrase(clause.tokens, obj) && !['to', 'be', 'get'].includes(clause.tokens[obj[1] - 1]!.word);
  return isNounPhrase(clause.tokens, obj) || namesTask(clause.tokens, obj);
}

function result(target: Target, strength: Reading['strength'], rule: string): Reading {
  return { intent: 'COMPLETE_TASK', strength, rule, references: target.references };
}

function readMark(clause: Clause): Reading | undefined {
  const found = targets(clause, MARK);
  if (!found) return undefined;
  return result(
    found.target,
    found.target.plainness === 'foreign' ? 'unsure' : 'strong',
    'marks something as done',
  );
}

function readFinish(clause: Clause): Reading | undefined {
  const found = targets(clause, FINISH);
  const verb = clause.tokens[clause.core[0]]!.word;
  if (!found || clause.moods.has('duty') || verb === 'mark') return undefined;
  const { plainness, references } = found.target;
  if (plainness === 'task' && references.every(({ kind }) => kind !== 'recent' || verb !== 'check')) {
    const checks = ['check', 'cross', 'strike', 'tick'].includes(verb);
    return result(
      found.target,
      checks && references[0]!.kind === 'all' ? 'unsure' : 'strong',
      'completes a task',
    );
  }
  if (!['complete', 'completing', 'finish'].includes(verb)) return undefined;
  return plainness === 'foreign'
    ? undefined
    : result(found.target, plainness === 'title' ? 'weak' : 'unsure', 'completes something');
}

function readAlone(clause: Clause): Reading | undefined {
  const alone = DONE_ALONE.some((item) => matchAll(item, clause.tokens, clause.core));
  if (!alone || clause.question) return undefined;
  return result(
    { references: [{ kind: 'recent', text: 'it' }], plainness: 'task' },
    'weak',
    'says that something is done',
  );
}

function readReport(clause: Clause): Reading | undefined {
  const found = targets(clause, REPORT);
  if (!found || clause.question) return undefined;
  const { plainness } = found.target;
  return result(found.target, plainness === 'task' ? 'strong' : 'weak', 'says that something is done');
}

const INDEFINITE = new Set([
  'a',
  'an',
  'some',
  'something',
  'this',
  'these',
  'more',
  'another',
  'so',
  'you',
  'your',
  'myself',
  'many',
  'lots',
  'two',
  'three',
  'new',
]);
const LONGEST_REPORT = 7;
function readDeed(clause: Clause): Reading | undefined {
  const found = targets(clause, DEED);
  const obj = found?.slots['obj'];
  if (!found || !obj || clause.question) return undefined;
  const first = clause.tokens[obj[0]]!.word;
  const short = obj[1] - obj[0] <= LONGEST_REPORT;
  if (INDEFINITE.has(first) || !short) return undefined;
  const sure = found.target.plainness === 'task' && namesTask(clause.tokens, obj);
  const definite = DETERMINERS.has(first) || obj[1] - obj[0] <= 3;
  return result(
    found.target,
    sure ? 'strong' : definite && found.target.plainness !== 'foreign' ? 'weak' : 'unsure',
    'says that it was done',
  );
}

export function isGerund(word: string): boolean {
  return DOING.has(word);
}
