import { phrases } from '../../language/groups.ts';

export const SHOW = phrases(`
  @show {mid?:6} @tasks {rest?}
  @show {mid?:8} @list {rest?}
  @show me|us? my|the {mid?:4} @taskOnly {rest?}
  @show me|us? my|the {mid?:4} @task {rest?}
  @show me|us? all|every|any task|todo|reminder {rest?}
  @show me|us? @my* agenda|plate|workload|backlog|docket|jobs|chores {rest?}
  @show me|us? @my* todo|to-do-list {rest?:3}
  @show me|us? @my* new|last|latest? grocery|groceries|shopping|todo|task note|notes {rest?:4}
  @show note|notes for|with|about|called|named|labeled|labelled|on grocery|groceries|shopping|todos|tasks {rest?:3}
  i need|want|would|have like? @list read|shown|displayed|listed|repeated {rest?}
`);

/** A question inside a command: "check if milk is on my list". */
export const WHETHER = phrases(`
  check|see|look|know|find|tell|confirm|verify|say|inform me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @list {rest?}
  check|see|look|know|find|tell|confirm|verify|say|inform me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @taskOnly {rest?}
  check|see|look|know|find|tell|confirm|verify|say|inform me|us|out|to|and|in|on* see|check|know? if|whether {mid?:12} @tasks {rest?}
  let me know|see if|whether {mid?:12} @list {rest?}
  confirm|verify|check|see that {mid:10} is|are|was|were already? on|in @list {rest?}
  did|have you already? put|add|added|place|placed|write|written|save|saved|note|noted|include|included|get {mid?:8} @onto @list {rest?}
  did|have you already? set|place|placed|save|saved|create|created|add|added|make|made {mid?:4} @taskOnly {rest?}
  let me know|see if|whether {mid?:12} @taskOnly {rest?}
  do|can|could you know|remember|recall|tell|say|see me? what|which things|items|stuff|else|all* i|we wanted|needed|had|have|need|asked|was {rest?:8}
  do you know|remember|recall|have what|which is|are? @onto? @list {rest?}
`);

export const ABOUT_LIST = phrases(`
  what|which {mid?:10} @list {rest?}
  what|which {mid?:10} @tasks {rest?}
  what|which {mid?:8} @taskOnly {rest?}
  how many|much {mid?:4} @tasks {rest?}
  how many|much task|todo|reminder|chore {rest?}
  how many|much {mid?:6} @list {rest?}
  how long|full|big is @list {rest?}
  how is|does|are @list {rest?}
  when|where is|are|was|does|did|do my|the|i {mid?:6} @taskOnly {rest?}
  when|where is|are|was|did|do my|the|i {mid?:6} @tasks {rest?}
  do|did|have|had|will|would|does i|we {mid?:12} @list {rest?}
  do|did|have|had|will i|we {mid?:6} @tasks {rest?}
  do|did|have|had|will i|we {mid?:8} @taskOnly {rest?}
  did i|we tell|ask you to remind {rest?}
  is|are|was|were|will|does|do|has {mid:8} on|in|off @list {rest?}
  does|do|has @list already|also? have|has|contain|include|say|show|consist|mention|hold|list {rest?}
  is|are|was|were there {mid?:6} @tasks {rest?}
  is|are|was|were there {mid?:6} @taskOnly {rest?}
  is|are|was|were my|the|any|all {mid?:4} @tasks done|complete|completed|finished|due|left|still|open|all|overdue|on|for|set|pending|there|scheduled|coming {rest?}
  is|are|was|were any|all {mid?:4} @tasks {rest?}
  is|are|was|were my|the|any {mid?:6} @taskOnly to|for|about {rest}
  is|are|was|were {mid?:6} @taskOnly done|complete|completed|finished|due|still|overdue|open {rest?}
  any|anything {mid?:4} @tasks {rest?}
  any|anything {mid?:4} @taskOnly {rest?}
  anything|something {mid?:4} @list {rest?}
  @list contains|has|includes {rest}
  @list {mid?:3} does|do have|contain|hold|include {rest?}
  @onto @list is|are|did|do|have|what|anything {rest?}
  got any|anything {mid?:4} @tasks {rest?}
`);

/** Ways to ask what there is to do without a word for the list. What may follow is a time; `rest` may be anything. */
export const IDIOMS = phrases(`
  what all|else|exactly|stuff|things|now* do|did|should|must|shall|can i|we still|really|actually|all|even* need|have|got|want|get|plan? to do|finish|complete|get|handle|buy done? left? yet? {time?}
  what i|we have|need|must to do {time?}
  what all|else|exactly|stuff|things* should|must|shall i|we still|really|actually* do {time}
  what all|else* do i|we still? have|got left|due|planned|scheduled|going|pending|outstanding|remaining|coming|open|lined on|up|to|do|for* {time?}
  what all|else* do i|we have|got {time}
  what all|else* do i|we have
  what all|else* do|have i|we still? have|got on|in my|our|the plate|agenda|schedule|docket|diary|planner {time?}
  is there anything|something i|we have|did not finished|done|completed|finish|complete|do yet? {time?}
  what all|else* have i|we still? got? still? to|left|on|planned|due|pending|outstanding|remaining|open|scheduled|going|lined on|up|do* {time?}
  what all|else* have i|we got {time}
  what all|else* have i|we {time}
  what all|else* is|are still? left|due|pending|remaining|outstanding|overdue|unfinished|incomplete|todo|next|urgent to|for|on|up* do|me|us* {time?}
  what all|else* is|are still|left|there|remaining|outstanding* to do {time?}
  what all|else* is|are still|left|there|remaining|outstanding* to be? done|finished|completed {time?}
  what all|else* is|are on|in|for|at my|our|the plate|agenda|docket|schedule|radar|card|cards|horizon|diary|planner {time?}
  what all|else* is|are up|planned|scheduled|coming|happening|in next|up|store for|on me|us? {time}
  what all|else* is|are up next
  what is|are still? not done|finished|complete|completed yet? {time?}
  what is my|our next? plan|plans|schedule|agenda|day|workload|priority|priorities|deadlines {time?}
  what are my|our plans|priorities|deadlines|obligations|commitments|duties|responsibilities|assignments|jobs {time?}
  what do|does|is my|our|the day|week|weekend|schedule|agenda|plate|morning|afternoon|evening|workload|plan look|looking like? {time?}
  how does|is my|our day|week|weekend|schedule|agenda|plate|morning|afternoon|workload look|looking|shaping up? {time?}
  what am|are i|we supposed|meant|doing|due|up|to|scheduled to|for? do|be|doing? {time?}
  when am i supposed|meant|due to {rest:8}
  what was|were i|we supposed|meant|going|planning|trying to do|remember|get|buy {time?}
  what did i|we want|need|ask|tell|say|plan you? to? do|remember|remind|buy|get {rest?:4}
  what|which things|items|stuff did|was|were|am|do i|we want|need|trying|supposed|meant|have|forgetting to? remember|do|buy|get? {time?}
  what were|was|are those|the|these {mid?:2} things? that? i was|wanted|needed|have|had|need|am trying|going|supposed|meant? to|for remember|do|buy|get|forget? {rest?:3}
  what should i|we do|tackle|start|work|focus|finish on|with? {time}
  what needs|has to be? done|do|doing|finishing|finished|completing|completed {time?}
  what needs|has to get done {time?}
  what needs doing|finishing|completing|attention {time?}
  what still|else needs|has to be? done|do|doing {time?}
  what have i|we finished|completed|accomplished|ticked off? {time?}
  what have i|we done {time}
  what did i|we finish|complete|accomplish|get done? {time?}
  am|are i|we done {time}
  am i all? done|finished {time?}
  what did i|we add|put|create|set|save {time?}
  am|are i|we forgetting|missing something|anything|any deadlines? {time?}
  do|have i|we still? have|got|need? anything|something|stuff|things|much|a lot|left|else|more* to do|finish|buy|get|remember {time?}
  do|have i|we still? have|got? anything|something|stuff|much|anything|else* due|left|planned|scheduled|going|pending|on|open on|up? {time?}
  do i|we have plans|deadlines {time?}
  do|have i|we have|got? a|quite? lot|much|loads|plenty|tons on|going|planned|scheduled|left|ahead on? {time}
  what am i going to do|tackle {time}
  do i|we still? need|have to do anything|something|more else? {time?}
  is|are there anything|something|stuff|things|much|else|more* left|due|pending|planned|scheduled|that|i|we|have|need|still|can* to do|finish|buy? {time?}
  is there anything|something {mid?:4} due|left|pending|overdue {time?}
  anything|something else|more* due|left|pending|planned|outstanding|overdue|scheduled|urgent|on|coming up? {time?}
  anything|something|much|more|what else|more|left|for|me|i|need|should|have|still* to do|finish|remember {time?}
  anything|something i|we am|are forgetting|missing|forgot
  have|did i|we forget|forgotten|miss|missed anything|something {time?}
  did|have i|we finish|finished|complete|completed|done|do everything|all|it|them|anything {rest?:4}
  did|have i|we already|ever? finish|finished|complete|completed|add|added|put|set|create|created|done {rest:8}
  where did i leave off
  where do i|we stand {rest?:4}
  where was i
  what is next
  am|are i|we supposed|meant to remember|do|buy|get|finish anything|something {time?}
  i|we forgot|forget what i|we wanted|had|needed|have|need|was|am {rest?:6}
  what is|was it that? i|we need|have|needed|had|wanted|was to? remember|do|buy|get|finish {time?}
  what stuff|things|all|else* did i|we say i|we need|needed|have|had|want|wanted to do|buy|get|remember {time?}
  what was|were|are it|you|things that? you? were|was|are going|supposed|meant|gonna to? remind me of|about? {time?}
  do you have any|my|some {mid?:2} @tasks for|of me|mine {time?}
  tell me what to do {time}
  remind|tell me|us of|about? @my* things|items|stuff|tasks|todos|ones that|which? i|we {rest}
  what is|are waiting|coming|lined|in|up|scheduled for|up|store|next for? me|us? {time}
  what did i|we have planned|scheduled|lined|going up|on? {time?}
  what were|was my plans|plan|schedule|agenda {time?}
  what is the plan|agenda|schedule for @when
  what have i|we not done|finished|completed yet? {time?}
  what all|else* needs|has to be? done|do|doing {time?}
  what needs my|our attention {time?}
  what am i supposed|meant to @deed {rest?:5}
  what groceries|shopping|errands|chores|food do|have|am i|we still? need|have|got|to? buy|get|do|run? {time?}
  which ones? is|are still? left|due|pending|remaining|outstanding|overdue|unfinished|incomplete|open|done|urgent {time?}
  next|upcoming task|todo|item|thing to? do?
  to do {time}
  @show what i still|actually|really* have|need|got|must|should|want|had|am|was|ought|gotta|forgot|added|put {rest?}
  @show me|us? what|everything|all|anything|whatever|stuff|things that? i|we still|actually|really* have|need|got|must|should|am|was|had|wanted|asked|added|want|supposed|put|forgot {rest?}
  @show me|us? what|everything|all that? is|are still? left|due|pending|next|outstanding|remaining|overdue|todo|coming|up|on|planned|scheduled|there {rest?:5}
  @show me|us? what needs|has {rest?:6}
  @show me|us? everything|all|stuff|things still|left|due|pending|open|outstanding|remaining|to|there|on|is* do? {time?}
  @show me|us? my|our|the plan|plans|priorities|deadlines|schedule|agenda|day|week|progress|plate|workload|commitments|assignments {time?}
  @show me|us? @when agenda|schedule|plan|plans|workload
  tell|remind me|us|myself when@when? what i|we still|really* have|need|had|was|am|should|put|added|wanted|asked|must|got|forgot|needed|want|were|set|wrote {rest?}
  @when agenda|plan|plans
  how is my progress
  how am i doing on|with @list {rest?}
  how much work|stuff|more|left* do|is|have i|there|we? have|got|left|to|do* left|to|do* {time?}
  how many things|items|more|left* do i|we still? have|need|got left|to|do|finish|on* {rest?:4}
  everything|all that? i need|have|should|must to do|buy|get|finish {time?}
`);

/** The same, in words that are also said of other things. */
export const WEAK_IDIOMS = phrases(`
  do|have i|we still? have|got? anything|something|things|stuff else? to @deed {rest?:4}
  what was|is|were|are that|the|those thing|things|stuff i|we had|have|needed|need|wanted|was to @deed {rest?:4}
  what else? do|did i|we still? need|have to @deed {rest?:4}
  what i|we need|have to @deed {rest?:4}
  what do i|we still? need
  how many|much jobs|things|items|stuff have|do i|we still? got|have left {time?}
  @show me|us? what i|we need {rest?:4}
`);

/** Only names the list. */
export const LIST_NOUN = phrases(`
  @my* @tasks {time?}
  @my* @list {time?}
  @my* @list what is? on? it?
  @my* {mid?:1} @tasks please|status|overview|summary|update|left|due|pending|remaining|now|list|again* {time?}
  list|ls
  todo|to-do-list
  to do
  show|list|view all|everything|finished|completed|done|pending|open|overdue|unfinished ones|tasks?
  my day|plate|agenda|plan
  pending|outstanding|overdue|remaining|unfinished|incomplete tasks|items|things|stuff?
`);
