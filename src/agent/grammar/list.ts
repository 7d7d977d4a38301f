import { matchAll, type Slots, type Span } from '../phrase.ts';
import { phrases } from '../words/groups.ts';
import { findList, namesTask } from '../words/nouns.ts';
import { isTimeHead } from '../words/times.ts';
import type { Clause, Reading } from './reading.ts';

const SHOW = phrases(`
  @show {mid?:6} @tasks {rest?}
  @show {mid?:8} @list {rest?}
  @show me|us? my|the {mid?:4} @taskOnly {rest?}
  @show me|us? my|the {mid?:4} @task {rest?}
  @show me|us? @my* agenda|plate|workload|backlog|docket {rest?}
  i need|want|would|have like? @list read|shown|displayed|listed|repeated {rest?}
`);
/** Questions that have nothing to do with what is on the list, though they name it. */
const OFF_TOPIC = new Set(
  `how why ideas idea tips tip advice app apps template templates example examples software tool tools best feature features definition meaning
   joke jokes history story song essay poem recipe you yourself yours`.split(/\s+/),
);
/** A question inside an order: "check if milk is on my list". */
const WHETHER = phrases(`
  check|see|look|know|find|tell|confirm|verify|say|inform me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @list {rest?}
  check|see|look|know|find|tell|confirm|verify|say me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @taskOnly {rest?}
  check|see|look|know|find|tell|confirm|verify|say me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @tasks {rest?}
  let me know|see if|whether {mid?:12} @list {rest?}
  let me know|see if|whether {mid?:12} @taskOnly {rest?}
  do|can|could you know|remember|recall|tell|say|see me? what|which {mid?:3} i|we wanted|needed|had|have|need|asked|was {rest?:8}
  do you know|remember|recall|have what|which is|are? @onto? @list {rest?}
`);
const WHAT = phrases(
  `
  what|which {mid?:10} @list {rest?}
  what|which {mid?:10} @tasks {rest?}
  what|which {mid?:8} @taskOnly {rest?}
  how many|much {mid?:4} @tasks {rest?}
  how many|much {mid:6} @list {rest?}
  how long|full|big is @list {rest?}
  how is|does|are @list {rest?}
  when|where is|are|was|does|did|do my|the|i {mid?:6} @taskOnly {rest?}
  when|where is|are|was|did|do my|the|i {mid?:6} @tasks {rest?}
  do|did|have|had|will|would|does i|we {mid?:12} @list {rest?}
  do|did|have|had|will i|we {mid?:6} @tasks {rest?}
  do|did|have|had|will i|we {mid?:8} @taskOnly {rest?}
  did i|we tell|ask you to remind {rest?}
  is|are|was|were|will|does|do|has {mid:8} @list {rest?}
  is|are|was|were there {mid?:6} @tasks {rest?}
  is|are|was|were there {mid?:6} @taskOnly {rest?}
  is|are|was|were my|the|any|all {mid?:4} @tasks {rest?}
  is|are|was|were {mid?:6} @taskOnly done|complete|completed|finished|due|still|overdue|open {rest?}
  any|anything {mid?:4} @tasks {rest?}
  any|anything {mid?:4} @taskOnly {rest?}
  anything|something {mid?:4} @list {rest?}
  @list contains|has|includes {rest}
  @list {mid?:3} does|do have|contain|hold|include {rest?}
  @onto @list is|are|did|do|have|what|anything {rest?}
  got any|anything {mid?:4} @tasks|taskOnly {rest?}
`.replace('@tasks|taskOnly', '@tasks'),
);

const IDIOMS = phrases(
  `
  what all|else|exactly|stuff|things|now* do|did|should|must|shall|can i|we still|really|actually|all|even* need|have|got|want|get|plan? to do|get done|finish? done? left? yet? {time?}
  what all|else|exactly|stuff|things* do|did|should|must|shall i|we still|really|actually* do {time}
  what all|else* do i|we still? have|got left|due|planned|scheduled|going|pending|outstanding|remaining|coming|open|lined on|up|to|do|for* {time?}
  what all|else* do i|we have|got {time}
  what all|else* have i|we still? got? to do|left|on|planned|due|pending|scheduled|going|lined on|up|do* {time?}
  what all|else* have i|we got {time}
  what all|else* have i|we {time}
  what all|else* is|are still? left|due|pending|remaining|outstanding|overdue|unfinished|incomplete|todo|next|urgent to|for|on|up* do|me|us* {time?}
  what all|else* is|are still|left|there|remaining|outstanding* to do {time?}
  what all|else* is|are still|left|there|remaining|outstanding* to be? done|finished|completed {time?}
  what all|else* is|are on|in|for|at my|our|the plate|agenda|docket|schedule|radar|card|cards|horizon|diary|planner {time?}
  what all|else* is|are up|planned|scheduled|coming|happening|in next|up|store for|on me|us? {time}
  what all|else* is|are up next
  what is my|our plan|plans|schedule|agenda|day|workload|priority|priorities|deadlines {look?:3} {time?}
  what are my|our plans|priorities|deadlines|obligations|commitments|duties|responsibilities|assignments {time?}
  what do|does|is my|our|the day|week|weekend|schedule|agenda|plate|morning|afternoon|evening|workload|plan look|looking like? {time?}
  how does|is my|our day|week|weekend|schedule|agenda|plate|morning|afternoon|workload look|looking|shaping up? {time?}
  what am|are i|we supposed|meant|doing|due|up|to|scheduled to|for? do|be|doing? {time?}
  what was|were i|we supposed|meant|going|planning|trying to do|remember|get|buy {time?}
  what did i|we want|need|ask|tell|say|plan you? to? do|remember|remind|buy|get {rest?:4}
  what {mid:3} did|was|were i|we want|need|trying|supposed|meant to remember|do|buy|get {rest?:2}
  what were|was|are those|the|these {mid?:2} things? that? i was|wanted|needed|have|had|need|am trying|going|supposed|meant? to|for remember|do|buy|get|forget? {rest?:3}
  what should i|we do|tackle|start|work|focus|finish on|with? {time}
  what needs|has to be? done|do|doing|finishing|finished|completing|completed {time?}
  what needs|has to get done {time?}
  what needs doing|finishing|completing|attention {time?}
  what still|else needs|has to be? done|do|doing {time?}
  what have i|we done|finished|completed|accomplished|ticked off? {time?}
  what did i|we finish|complete|accomplish|get done? {time?}
  am|are i|we free|busy|done|booked {time}
  am|are i|we all? done|finished {time?}
  am|are i|we forgetting|missing something|anything|any deadlines? {time?}
  do|have i|we still? have|got|need? anything|something|stuff|things|much|a lot|left|else|more* to do|finish|buy|get|remember {time?}
  do|have i|we still? have|got? anything|something|stuff|much|anything|else* due|left|planned|scheduled|going|pending|on|open on|up? {time?}
  do i|we have plans|deadlines {time?}
  is|are there anything|something|stuff|things|much|else|more* left|due|pending|planned|scheduled|that|i|we|have|need|still|can* to do|finish|buy? {time?}
  is there anything|something {mid?:4} due|left|pending|overdue {time?}
  anything|something else|more* due|left|pending|planned|outstanding|overdue|scheduled|urgent|on|coming up? {time?}
  anything|something|much|more|what else|more|left|for|me|i|need|should|have|still* to do|finish|remember {time?}
  have|did i|we forget|forgotten|miss|missed anything|something {time?}
  did|have i|we finish|finished|complete|completed|done|do everything|all|it|them|anything {rest?:4}
  did|have i|we already|ever? finish|finished|complete|completed|add|added|put|set|create|created|done {rest:8}
  where did i leave off
  where do i stand {rest?:4}
  where was i
  whats|what is next
  next|upcoming task|todo|item|thing to? do?
  @my* to do {time}
  @show what i still|actually|really* have|need|got|must|should|want|had|am|was|ought|gotta|forgot|added|put {rest?}
  @show me|us? what|everything|all|anything|whatever|stuff|things that? i|we still|actually|really* have|need|got|must|should|am|was|had|wanted|asked|added|want|supposed|put|forgot {rest?}
  @show me|us? what is|are still? left|due|pending|next|outstanding|remaining|overdue|todo|coming|up|on|planned|scheduled|there {rest?:5}
  @show me|us? what needs|has {rest?:6}
  @show me|us? everything|all|stuff|things still|left|due|pending|open|outstanding|remaining|to|there|on|is* do? {time?}
  @show me|us? my|our|the plan|plans|priorities|deadlines|schedule|agenda|day|week|progress|plate|workload|commitments|assignments {time?}
  @show me|us? @when agenda|schedule|plan|plans|workload
  tell|remind me|us|myself when@when? what i|we {rest?}
  @when agenda|plan|plans
  how|what is my progress
  how am i doing on|with @list {rest?}
  how much work|stuff|more|left* do|is|have i|there|we? have|got|left|to|do* left|to|do* {time?}
  how many things|items|more|left* do i|we still? have|need|got left|to|do|finish|on* {rest?:4}
`.replace('  whats|what is next\n', '  what is next\n'),
);

/** Only names the list. */
const NOUN = phrases(
  `
  @my* @tasks {time?}
  @my* @list {time?}
  @my* @list what is? on? it?
  @my* {mid?:1} @tasks please|status|overview|summary|update|left|due|pending|remaining|now|list|again* {time?}
  list
  ls
  my day|plate|agenda|plan
  pending|outstanding|overdue|remaining|unfinished|incomplete tasks|items|things|stuff?
  what about? @tasks {time?}
  show all|everything
  list all|everything
  tasks|todos|reminders ?
`.replace('  tasks|todos|reminders ?\n', ''),
);

/** Orders that only ask, though they begin like orders of another kind. */
export function readWhether(clause: Clause): Reading | undefined {
  const matched =
    !clause.moods.has('negated') &&
    find(clause, WHETHER, ({ mid, rest }) => onTopic(clause, mid) && onTopic(clause, rest));
  return matched
    ? { intent: 'LIST_TASKS', strength: 'strong', rule: 'asks whether something is on the list' }
    : undefined;
}

export function readList(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated')) return undefined;
  const rule = showRule(clause) ?? questionRule(clause) ?? idiomRule(clause) ?? nounRule(clause);
  return rule && { intent: 'LIST_TASKS', ...rule };
}

type Rule = Pick<Reading, 'strength' | 'rule'>;

function find(clause: Clause, list: ReturnType<typeof phrases>, fits: (slots: Slots) => boolean): boolean {
  return list.some((item) => {
    const slots = matchAll(item, clause.tokens, clause.core) ?? matchAll(item, clause.tokens, clause.whole);
    return slots !== undefined && fits(slots);
  });
}

function onTopic(clause: Clause, span: Span | undefined): boolean {
  return !span || clause.tokens.slice(...span).every(({ word, quoted }) => quoted || !OFF_TOPIC.has(word));
}

const MOVES = new Set(
  'add put remove delete take move send email share order buy export copy sync import upload organize organise manage prioritize print create make write change set'.split(
    ' ',
  ),
);
function showRule(clause: Clause): Rule | undefined {
  const still = (span: Span | undefined) =>
    !span || clause.tokens.slice(...span).every(({ word }) => !MOVES.has(word));
  const matched = find(
    clause,
    SHOW,
    ({ mid, rest }) => onTopic(clause, mid) && onTopic(clause, rest) && still(mid),
  );
  return matched ? { strength: 'strong', rule: 'asks to see the tasks' } : undefined;
}

function questionRule(clause: Clause): Rule | undefined {
  const matched = find(
    clause,
    WHAT,
    ({ mid, rest }) =>
      isAboutMe(clause, rest) && onTopic(clause, mid) && onTopic(clause, rest) && isOwn(clause, mid),
  );
  return matched ? { strength: 'strong', rule: 'asks what is on the list' } : undefined;
}

const AUX = new Set(['can', 'could', 'does', 'do', 'did', 'is', 'should', 'would', 'will', 'may', 'might']);
const ME = new Set(
  'i we my our left due open pending on there remaining still overdue for done finished complete completed today tomorrow next not that the important urgent'.split(
    ' ',
  ),
);
/** "What tasks can an operator automate?" is about somebody else. */
function isAboutMe(clause: Clause, rest: Span | undefined): boolean {
  if (!rest) return true;
  const [first, second] = clause.tokens.slice(...rest).map(({ word }) => word);
  return !AUX.has(first ?? '') || second === undefined || ME.has(second);
}

/** "What is a task?" is about the word. */
function isOwn(clause: Clause, mid: Span | undefined): boolean {
  const words = mid ? clause.tokens.slice(...mid).map(({ word }) => word) : [];
  return !(words[0] === 'is' && ['a', 'an'].includes(words.at(-1) ?? '') && words.length < 4);
}

function idiomRule(clause: Clause): Rule | undefined {
  const matched = find(clause, IDIOMS, ({ time, rest }) => isTime(clause, time) && onTopic(clause, rest));
  return matched ? { strength: 'strong', rule: 'asks what there is to do' } : undefined;
}

const TIME_GLUE = new Set(
  'at on by in for before after until till this next the of my our a an i am get go leave home work house around then as so far first else right still left yet again here with school bed everything to and time'.split(
    ' ',
  ),
);
function isTime(clause: Clause, span: Span | undefined): boolean {
  if (!span) return true;
  const words = clause.tokens.slice(...span).map(({ word }) => word);
  if (['before', 'after', 'until', 'by', 'ahead'].includes(words[0] ?? '') && words.length <= 5) return true;
  return words.length <= 6 && words.every((word) => isTimeHead(word) || TIME_GLUE.has(word));
}

function nounRule(clause: Clause): Rule | undefined {
  const matched = find(clause, NOUN, ({ time }) => isTime(clause, time));
  return matched &&
    (namesTask(clause.tokens, clause.core) ||
      findList(clause.tokens, clause.core) ||
      clause.core[1] - clause.core[0] < 3)
    ? { strength: 'strong', rule: 'names the list' }
    : undefined;
}
