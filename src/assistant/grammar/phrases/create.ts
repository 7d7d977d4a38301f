import { phrases } from '../../language/groups.ts';

/** Wishes to be reminded. They mean nothing else, whatever verbs follow in the text of the task. */
export const REMIND = phrases(`
  remind|reminder me|us|myself? when@when? to {what}
  remind me|us|myself? when@when? about|of|that|regarding|: {what}
  remind me|us|myself when@when
  remind me|us|myself for|on|at {what}
  remind me|us|myself {what}
  remind me|us|myself again|later|please*
  be reminded when@when? to|about|of|that|regarding {what}
  dont-forget {what}
  remember to {what}
  note to self :? {what}
  make|take|leave|write me? a|quick|another? mental? note when@when? to|of|that|about|:|saying|for {what}
  put|note|jot|write|mark|take down that|to|: {what}
  note that i|we need|have|must|should to? {what}
  note|ensure|make that|sure that? i|we am|are|get reminded to|of|about {what}
  ping|nudge|notify|alert|prompt|poke|buzz|warn|bug|pester me|us when@when? to|about|that|of|when {what}
  tell|message|text me when@when? to {what}
  tell|let me know? when@when that|about {what}
  jot|write|note|put|take this|that|it down :? {what}
  make sure i|we remember? to? {what}
  see that i {what}
`);

/** Somebody else is to be reminded: the reminding is the task. */
export const REMIND_OTHER = phrases(`
  remind {who:3} when@when? to|about|that {what}
`);

export const MAKE_TASK = phrases(`
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when? to|about|of|that|called|named|titled|entitled|:|saying|which|regarding|labelled|labeled|with|as|so {what}
  @make @a* {kind?:4} @taskOnly for|on|at {what}
  @make @a* {kind?:4} @taskOnly in|up|down for|to|about|on|that {what}
  @make @a* {kind?:4} @taskOnly when@when {what}
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when?
  @make @a* {kind?:4} @taskOnly {what}
  @make @a* {kind?:2} entry|item :? {what}
  set my reminder for? when@when to|for {what}
  @make for me @a* {kind?:3} @taskOnly to|:|called|for|about? {what}
  @make @a? {kind?:2} tasks|reminders|todos|items|chores for|about|to {what}
  i need|want|require|could|would use|like? @a {kind?:4} @taskOnly set? up? for? me? when@when? to|about|for|of|that|called|: {what}
  @a {kind?:3} @taskOnly when@when?
  new|another|next|quick|extra @taskOnly :? {what}
  @taskOnly to|for|about|that {what}
  when@when @taskOnly to|for|about|that|: {what}
`);

/** Several at once, after a colon. */
export const MAKE_TASKS = phrases(`
  @make two|three|four|five|2|3|4|5|some|several|these|the|a|following|few|new|more* tasks|reminders|todos|items|things|chores @onto? @list? : {what}
`);

export const ON_LIST = phrases(`
  @add {what} down? @onto @list when@when?
  @add {what} down? @onto @list {rest:8}
  update|edit|change|extend @list by|with|and|to adding|add|including|include|putting? {what} on|to? it?
  there is something i|we need|want @onto @list :? {what}
  @add please|also? @onto @list :? {what}
  @add {what} on|in|to|onto there|it when@when?
  put {what} down for? me? when@when?
  i need|want|would|have like? {what} added|put|placed|included|written|noted|listed|on|down down? @onto @list
  i need|want {what} @onto @list
  @list : {what}
  @list needs {what}
  + {what}
  {what} + 1
`);
/** A thing and the list: it can also be said in a question or a story. */
export const ON_LIST_VERBLESS = phrases(`
  {what} to|on|onto|into @list
`);

export const ADD_ALONE = phrases(`
  @addAlone {what}
  @addAlone
  todo|task|reminder {what}
`);
