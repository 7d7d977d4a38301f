import { phrase } from '../../language/groups.ts';
import type { Phrase } from '../../language/phrase.ts';

/** A way to ask for a change of a task. */
export interface ChangeForm {
  intent: 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';
  phrase: Phrase;
  /** It says more than its verb: the list, or what is done with a task. */
  isPlain: boolean;
  /** Tells that something is done. */
  isReport: boolean;
  change?: 'text' | 'append';
}

/** Each line begins with C, U or D for the intent; "!" if only said of tasks, "." for a report, "=" or "+" for a new text or more of it. */
function forms(text: string): ChangeForm[] {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .map((line) => {
      const [, letter = '', marks = '', source = ''] = /^([CUD])([!.=+]*) (.+)$/.exec(line)!;
      const change = marks.includes('=') ? 'text' : marks.includes('+') ? 'append' : undefined;
      return {
        intent: letter === 'C' ? 'COMPLETE_TASK' : letter === 'D' ? 'DELETE_TASK' : 'UPDATE_TASK',
        phrase: phrase(source),
        isPlain: marks.includes('!'),
        isReport: marks.includes('.'),
        ...(change && { change }),
      } as const;
    });
}

/** The order is part of the grammar: "check milk off my list" is a tick before it takes something away. */
export const CHANGES = forms(`
  C! mark|check|tick|set|put|flag|record|log|count|label|show|move|change|update|consider|call {obj} as|to|is|off|down* @done
  C! check|tick|cross|strike|mark|scratch|knock {obj} off|out @off? @list? instead|then?
  C! check|tick|cross|strike|mark|scratch|knock off|out {obj} @off? @list?
  C! mark|check|tick|cross off|out|as? @done? : {obj}
  C!. i|we|am|have|just|already|finally|now* finished|completed|done with|up|off|doing* {obj}
  C!. {obj} is|are|was|were|has|have|got|now|all|been|finally|already|just* @doneWord now|today|already|yesterday|thanks|too|finally* when@when?
  C!. {obj} : @doneWord
  C!. emoji-yes {obj}
  C!. {obj} emoji-yes
  C. i|we? have? just|already|finally|now|also|actually* took|taken|did|dealt|do care|with of? {obj} already?
  C!. task|todo|chore|item? @doneWord : {obj}
  C. i|we? have? just|already|finally|now|also* wrapped|knocked|ticked|checked|crossed|sorted|handled|finished {obj} up|out|off?
  C. i|we have? just|already|finally|now|also* did|got|made|grabbed {obj}
  C. i|we? have? just|already|finally|now|also* picked|dropped|took|turned|filled|handed|put|cleared|hung|threw up|off|out|in|away {obj}
  C. i|we? have? just|already|finally|now|also* @pastDeed {obj} up|off|out|in|away?
  C. {obj} has|have|is|are|was|got been? @pastDeed
  C! it|that|this is done|finished|complete|completed
  C. done|finished|completed|complete with? it|that|this?
  D! take|pull|get|strip|knock|leave|keep|kick|drop|move|strike|scratch|cut {obj} off|out|from of? @list
  D! @delete {obj} @off @list
  D! {obj} should|can|could|must|needs|to|be|i|we|want|would|like* @gone off|from|out* of? from? @list?
  D! @list :? @order {obj}
  D take|pull|get|knock|kick {obj} off
  D! wipe|clear|clean|blank|empty|flush|reset @list out|clean|up|blank?
  C! check|tick|cross|strike {obj} @off @list
  C @finish {obj} instead|then|too?
  U= change|update|edit|modify|set|move|switch|alter {obj} from {old:8} to|into {new}
  U= replace|swap|change|switch|substitute {old:5} with|for|to|by|into {new:6} in|on|of|for {obj}
  U+ @change {obj} to|by|and|so also|it? include|includes|including|adding|add|mention|mentions|cover {new}
  U= @change the|a|new|my|due* title|name|description|text|wording|date|deadline|time|day|hour|priority|status|details|content|notes of|for|on|in {obj} to|as|with|into|for|: {new}
  U= @change {obj} to|into|as|with|by|: {new}
  U= @change {obj} over|back|forward|up|out|off to|until|till|by|for {new}
  U= @change {obj} back|forward|off|out|up|by|earlier|later* new@when
  U= make|set|turn {obj} new@when
  U= make|set|turn|have {obj} say|read|be|due|into? {new}
  U= {obj} should|must|needs to? now|actually? be|say|read {new} instead?
  U+ add|append|include|attach|put|insert|tack {new} to|in|into|on|onto {obj}
  U make|set|flag|mark|give {obj} as|to|more|a|an|the* high|low|top|medium|urgent|important priority?
  U! @change {obj} as|to|back|is* undone|unfinished|incomplete|unchecked|pending|open again?
  U reopen|uncheck|unmark|undo|untick {obj}
  U @change {obj}
  D @delete {obj} completely|entirely|forever|permanently|instead|then|already|too?
`);

export const UNWANTED = forms(`
  D! do not|stop|quit remind|reminding me? when@when? to|about|of {obj}
  D! i|we? do not want|need|have to be reminded to|about|of {obj} any|anymore more|longer?
  D! no more|need reminder|reminders|task|tasks for|about|to|of {obj}
  D! i|we? do not need|want|require {obj} on @list any? more|longer|anymore?
  D! i|we? do not need|want|require {obj} any|anymore more|longer?
  D! i|we? no longer need|want|require|have|wish to|do|be|reminded|of|about* {obj}
  D! {obj} is|are no longer|more needed|necessary|relevant|required
  D! {obj} is|are not needed|necessary|relevant|required any|anymore more|longer?
  D! never mind about? the|my|that {rest?:8} @taskOnly {obj}
`);

/** Said as a question. */
export const ASKED = forms(`
  D! can|could|may|should {obj} please|also|just? be|get @gone off|from|out* of? from? @list?
  C! can|could|may|should {obj} please|also|just? be|get marked|ticked|checked|crossed|set as|off|out* @done?
`);
