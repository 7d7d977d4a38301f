import { phrases } from '../../language/groups.ts';

/** One word or time for another. */
export const SWAP = phrases(`
  change|update|edit|modify|set|move|switch|alter|amend {obj} from {old:8} to|into {new}
  replace|swap|change|switch|substitute {old:5} with|for|to|by|into {new:6} in|on|of|for {obj}
`);

/** Only tasks have these. */
export const DUE = phrases(`
  @change the|a|new|my* due date of|for|on {obj} to|as|: {new}
  @change the|a|new|my* deadline|priority of|for|on {obj} to|as|: {new}
`);

/** A new text, or a new time. */
export const REPLACE = phrases(`
  @change the|a|due|title|name|description|text|wording|date|deadline|time|day|hour|priority|status|label|details|content|notes* of|for|on|in {obj} to|as|with|into|for|: {new}
  @change {obj} title|name|description|text|wording|due|date|deadline|time|day|priority|status|label|details* to|as|into|with|: {new}
  @change {obj} so that? it say|says|read|reads|is {new}
  @change {obj} to|into|as|with|by|: {new}
  @change {obj} over|back|forward|up|out|off to|until|till|by|for {new}
  rename|retitle|relabel|call|name|title {obj} new@quote
  make|set|turn {obj} say|read|be|due|into? {new}
  give {obj} a|the new? title|name|description|deadline|due date? :|of {new}
  {obj} should|must|needs to? now? be|say|read {new} instead
  {obj} should now|actually|really? be|say|read {new}
  obj@position to|: {new}
  obj@quote to|: {new}
  {obj} to say|read|be {new:8} instead|rather of|than {rest:6}
`);

/** The word itself says that a task is meant. */
export const PRIORITY_OF = phrases(`
  raise|lower|increase|decrease|reduce|bump|change|set|drop|up|update|adjust the|its? priority of|on|for {obj} up|down? to? high|low|medium|urgent|top|normal?
`);

/** How pressing it is. */
export const PRIORITY = phrases(`
  make|set|flag|mark|call|give {obj} as|to|more|a|an|the* high|low|top|medium|highest|lowest|urgent|important|priority|specific|critical priority? {rest?:6}
`);

/** The time is all that follows. */
export const RETIME = phrases(`
  move|push|shift|bump|reschedule|postpone|delay|defer|snooze|put|bring|extend|set|make|schedule {obj} back|forward|off|out|up|over|later|earlier? new@when
  @change {obj} back|forward|off|out|up|by|earlier|later* new@when
  push|put|move|bump|bring back|off|forward|up|out {obj} to|until|till|by|for? new@when
`);

/** Before the plain replacement, which would take "include milk" for the new text. */
export const INCLUDE = phrases(`
  @change {obj} to|by|and|so also|it? include|includes|including|adding|add|mention|mentions|mentioning|cover {new}
`);

export const APPEND = phrases(`
  add|append|include|attach|put|insert|tack {new} to|in|into|on|onto {obj}
  add a|the? note|detail|details|comment to|on|in {obj} :|that|saying|about {new}
`);

/** Tells that it is otherwise now; a command only together with one. */
export const TOLD = phrases(`
  {obj} got|was|is|has|have been? pushed|moved|rescheduled|postponed|changed|delayed|shifted back|forward? to|until|till|by {new}
  {obj} is|are|starts|goes at|on|in|for|to? {new:4} not {old:4}
`);

/** It is to be changed, but not how. */
export const OPEN = phrases(`
  @change {obj}
  reopen|uncheck|unmark|undo|untick {obj}
`);

/** Takes back that it is done. */
export const UNDONE = phrases(`
  mark|set|flag|put|change|update|move {obj} as|to|back|is* undone|unfinished|incomplete|uncompleted|unchecked|pending|open again?
`);

/** Corrects what was just said. */
export const CORRECTION = phrases(`
  i meant {new}
`);
