import { phrases } from '../../language/groups.ts';

/** Wishes to be reminded. They mean nothing else, whatever verbs follow in the text of the task. */
export const REMIND = phrases(`
  remind|reminder me|us|myself? when@when? to {what}
  remind me|us|myself? when@when? about|of|that|regarding|: {what}
  remind me|us|myself when@when
  remind me|us|myself for|on|at {what}
  remind me|us|myself {what}
  remind me|us|myself again|later|please*
  remind me|us
  be reminded when@when? to|about|of|that|regarding {what}
  be|get reminded when@when?
  dont-forget to|about|that {what}
  dont-forget : {what}
  dont-forget {what}
  remember to {what}
  remember that? i|we need|have|must|should|got to? {what}
  help me? remember to|about|that {what}
  help me? not forget to {what}
  make me remember to? {what}
  note to self :? {what}
  note : {what}
  save|add|note this|that : {what}
  keep track of? a|this|one task|todo|thing :? {what}
  make|take|leave|write me? a|quick|another? mental? note when@when? to|of|that|about|:|saying|for {what}
  make|take @a? quick? note {what}
  put|note|jot|write|mark|take down that|to|: {what}
  put|note|jot|write|mark|take it|this down that|to|: {what}
  note that i|we need|have|must|should to? {what}
  note|ensure|make that|sure that? i|we am|are|get reminded to|of|about {what}
  ping|nudge|notify|alert|prompt|poke|buzz|warn|bug|pester me|us when@when? to|about|that|of|when {what}
  tell|message|text me when@when? to {what}
  tell|let me know? when@when that|about {what}
  jot|write|note|put|take this|that|it down :? {what}
  give|send|shoot|drop me|us a|an|some notice|notification|alert|nudge|heads-up|ping|prompt|poke when@when? to|about|for|that|of {what}
  set @a? alarm|timer|notification|alert when@when? to remind me|us to|about|of {what}
  set @a? notification|alert when@when? to|for|about {what}
  keep in mind to {what}
  make sure i|we remember? to? {what}
  make sure i|we dont-forget to? {what}
  see that i {what}
  remind to|about|of|that {what}
`);
/** Somebody forgot to say whom. */
export const REMIND_BARE = phrases(`
  remind my|the|this|that|upcoming|next {what}
`);

/** Somebody else is to be reminded: the reminding is the task. */
export const REMIND_OTHER = phrases(`
  remind {who:3} when@when? to|about|that {what}
`);

export const MAKE_TASK = phrases(`
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when? to|about|of|that|called|named|titled|entitled|:|saying|which|regarding|labelled|labeled|with|as|so {what}
  @make @a* {kind?:4} @taskOnly for me|us to {what}
  @make @a* {kind?:4} @taskOnly for|on|at {what}
  @make @a* {kind?:4} @taskOnly in|up|down for|to|about|on|that {what}
  @make @a* {kind?:4} @taskOnly when@when {what}
  @make @a* {kind?:4} @taskOnly for? me|us? set? up? when@when?
  @make @a* {kind?:4} @taskOnly {what}
  @make @a* {kind?:2} entry|item :? {what}
  send|give|show|get @a? @taskOnly when@when to|about|for {what}
  send|give|show|get @a? @taskOnly about {what}
  send|give @a? @taskOnly to {what}
  set my reminder for? when@when to|for {what}
  @make for me @a* {kind?:3} @taskOnly to|:|called|for|about? {what}
  @make @a? {kind?:2} tasks|reminders|todos|items|chores for|about|to {what}
  i need|want|require|could|would use|like? @a {kind?:4} @taskOnly set? up? for? me? when@when? to|about|for|of|that|called|: {what}
  i need|want|require|could|would use|like? @a {kind?:4} @taskOnly set? up? for? me? when@when?
  @a {kind?:4} @taskOnly when@when? to|about|for|of|that|:|called|named {what}
  @a {kind?:3} @taskOnly when@when?
  new|another|next|quick|extra @taskOnly :? {what}
  one|another more? thing|one? : {what}
  new thing|one|item|entry|note : {what}
  @taskOnly : {what}
  @taskOnly to|for|about|that {what}
  when@when @taskOnly to|for|about|that|: {what}
  @taskOnly for? when@when to|for|about|that|: {what}
  @make {what} as @a* {kind?:2} @taskOnly
  add|save|create|put the|this|my {kind?:2} @taskOnly to|:|of|called|named|for|about {what}
  turn|make|convert that|this|it into @a* @taskOnly
  @make @a* {what} @taskOnly
`);

/** Several at once, after a colon. */
export const MAKE_TASKS = phrases(`
  @make two|three|four|five|2|3|4|5|some|several|these|the|a|following|few|new|more* tasks|reminders|todos|items|things|chores @onto? @list? : {what}
  tasks|todos|reminders : {what}
`);

export const ON_LIST = phrases(`
  @add @a* item|items|entry|thing|things|something|line|product|products|task|todo @onto @list :|called|named|for {what}
  @make @a* item|entry|thing|line|task|todo @onto @list :|called|named|for|that|saying {what}
  @add {what} down? @onto @list when@when?
  @add {what} down? @onto @list {rest:8}
  @onto @list please? @add {what}
  update|edit|change|extend @list by|with|and|to adding|add|including|include|putting? {what} on|to? it?
  there is something i|we need|want @onto @list :? {what}
  @add please|also? @onto @list :? {what}
  @add {what} on|in|to|onto there|it when@when?
  put {what} down for? me? when@when?
  @onto @list i need|want|would|have like? {what} added|put|placed|included|written?
  i need|want|would|have like? {what} added|put|placed|included|written|noted|listed|on|down down? @onto @list
  i need|want {what} @onto @list
  {what} should|must|needs|need|has|have|ought|can|could|to to? also? be|go|get added|put|placed|included|written|noted|listed|inserted|appended? @onto? @list
  {what} goes|belongs @onto @list
  sure? that? {what} is|are|gets|get added|put? @onto @list
  make sure that? {what} is|are|gets|get added|put? @onto @list
  @list : {what}
  @list needs {what}
  @list please? add {what}
  + {what}
  {what} + 1
  @list + {what}
`);
/** A thing and the list: it can also be said in a question or a story. */
export const ON_LIST_VERBLESS = phrases(`
  {what} to|on|onto|into @list
`);

export const ADD_ALONE = phrases(`
  @addAlone : {what}
  @addAlone {what}
  @addAlone
  todo|task|reminder {what}
`);
