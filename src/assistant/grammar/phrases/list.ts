import { phrases } from '../../language/groups.ts';

export const SHOW = phrases(`
  @show {mid?:8} @list {rest?}
  @show me|us? @my* todo|to-do-list {rest?:3}
`);

/** A question inside a command: "check if milk is on my list". */
export const WHETHER = phrases(`
  confirm|verify|check|see that {mid:10} is|are|was|were already? on|in @list {rest?}
`);

export const ABOUT_LIST = phrases(`
  how many|much {mid?:4} @tasks {rest?}
  how long|full|big is @list {rest?}
  any|anything {mid?:4} @tasks {rest?}
`);

/** Ways to ask what there is to do without a word for the list. What may follow is a time; `rest` may be anything. */
export const IDIOMS = phrases(`
  what all|else|exactly|stuff|things* should|must|shall i|we still|really|actually* do {time}
  what all|else* is|are on|in|for|at my|our|the plate|agenda|docket|schedule|radar|card|cards|horizon|diary|planner {time?}
  what is my|our next? plan|plans|schedule|agenda|day|workload|priority|priorities|deadlines {time?}
  what am|are i|we supposed|meant|doing|due|up|to|scheduled to|for? do|be|doing? {time?}
  am|are i|we forgetting|missing something|anything|any deadlines? {time?}
  did|have i|we already|ever? finish|finished|complete|completed|add|added|put|set|create|created|done {rest:8}
  @show what i still|actually|really* have|need|got|must|should|want|had|am|was|ought|gotta|forgot|added|put {rest?}
  @show me|us? everything|all|stuff|things of|it|still|left|due|pending|open|outstanding|remaining|to|there|on|is* do? {time?}
  how am i doing on|with @list {rest?}
`);

/** The same, in words that are also said of other things. */
export const WEAK_IDIOMS = phrases(`
  what was|is|were|are that|the|those thing|things|stuff i|we had|have|needed|need|wanted|was to @deed {rest?:4}
`);

/** Only names the list. */
export const LIST_NOUN = phrases(`
  @my* @list {time?}
  show|list|view all|everything|finished|completed|done|pending|open|overdue|unfinished ones|tasks?
  pending|outstanding|overdue|remaining|unfinished|incomplete tasks|items|things|stuff?
`);
