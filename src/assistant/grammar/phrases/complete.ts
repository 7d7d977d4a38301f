import { phrases } from '../../language/groups.ts';

export const MARK = phrases(`
  mark|flag|label|tag|set|put|move|log|record|consider|note|change|update|switch|toggle|register|count|report {obj} down? @done on|in? @list?
  mark|flag|set|put|log {obj} like done|complete|finished
  mark|flag|set|update|change {obj} status|state? to|as done|complete|completed|finished
  mark|flag|set|update|change|move the? status|state of {obj} to|as done|complete|completed|finished
  mark as|off|down? done|complete|completed|finished|: {obj}
  mark done|complete|completed|finished {obj}
  tick|cross|strike|scratch|mark|knock|rule|checkmark {obj} off|out|through of? from? @list?
  check {obj} off of? from? @list?
  tick|cross|strike|scratch|mark|knock|check {obj} off then|now|already*
  tick|cross|strike|scratch|mark|knock|rule off|out {obj} of? off? from? on? @list?
  check off {obj} of? off? from? on? @list?
  put a|the tick|check|checkmark|cross|line next|beside|through|on|by|against to? {obj}
  tick the box for|of|next|on to? {obj}
  check|tick|complete|finish|mark {obj} from @list
  mark {obj} on|in @list
  tick|checkmark {obj}
  note|record|register|log that {obj} is|was|has been? @doneWord
`);

export const FINISH = phrases(`
  @finish {obj} instead|rather
  @finish {obj}
`);

export const REPORT = phrases(`
  i|we have|did? just|already|finally|now|also|actually|successfully* finished|completed|done|accomplished|did|finish|complete up|off|with|doing|already* {obj}
  i|we have|am|are|was? just|already|finally|now|all|also* done|finished|through|complete|finish with|doing {obj}
  i am|have finish|finished {obj}
  i|we just|already|finally|have|now* got|get|gotten|have|had {obj} done|finished|sorted|completed|out of? the? way?
  i|we just|already|finally|have|now* wrapped|finished|closed|knocked|ticked|checked|crossed|polished|sorted|took|taken|dealt|handled up|off|out|care|with of? {obj}
  i|we just|already|finally|have|now* wrapped|knocked|ticked|checked|crossed|sorted|handled|finished {obj} up|out|off?
  just|already|finally? finished|completed|done|did with|up|off|doing* {obj}
  {obj} is|are|was|were|has|have|got|am now|all|been|finally|already|just|also* @doneWord now|today|already|yesterday|thanks|too|finally* when@when?
  {obj} is finish|ready
  {obj} now|all|been|finally|already|just? @doneWord finally? when@when?
  {obj} : @doneWord
  task|todo|chore|item? done|finished|completed|complete : {obj}
  task|todo|chore|item done|finished|completed|complete {obj}
  {obj} : check|checked|tick|ticked
  emoji-yes {obj}
  {obj} emoji-yes
  that is {obj} done|finished|sorted|completed
  all done|finished with {obj}
  consider {obj} done|finished|handled|completed
`);

/** Reports without the word "done": the action itself, in the past. */
export const PAST_ACTION = phrases(`
  i|we? have? just|already|finally|now|also* bought|taken|called|phoned|emailed|texted|mailed|paid|cleaned|washed|vacuumed|hoovered|mopped|swept|mowed|fed|walked|watered|submitted|sent|returned|booked|renewed|folded|ironed|fixed|filed|signed|printed|packed|ordered|scheduled|cooked|baked|dusted|raked|shovelled|emptied|refilled|replaced|repaired|collected|invoiced|deployed|shipped|merged|reviewed|rescheduled|posted|donated|wrapped|deposited|tidied|unpacked|changed|installed|assembled|painted|trimmed|scrubbed|registered|drafted|proofread|cancelled|canceled|confirmed {obj}
  i|we have? just|already|finally|now|also* picked|dropped|took|turned|filled|handed|put|cleared|hung|threw|backed|signed up|off|out|in|away {obj}
  i|we have? just|already|finally|now|also* picked|dropped|took|turned|filled|handed|put|cleared|hung|threw|signed {obj} up|off|out|in|away
  i|we? have? just|already|finally|now|also* did|got|made|grabbed {obj}
  i|we have? just|already|finally? took|taken my {obj}
  i|we want|need|would|like* {obj} marked|checked|ticked|crossed as|off|done|complete|completed|finished*
  i|we went ahead and? bought|called|sent|did|paid|cleaned|submitted|booked|ordered|finished {obj}
  {obj} has|have|is|are|was|got been? bought|paid|sent|cleaned|washed|fixed|submitted|mailed|emailed|posted|returned|booked|renewed|ordered|filed|signed|mowed|fed|walked|watered|delivered|picked|dropped|taken|called|repaired|replaced|shipped|deployed|merged|sorted|handled up|off|out|in|care? of?
  {obj} sent|paid|bought|submitted|delivered|cleaned|booked|ordered
`);

/** Nothing but that it is done. */
export const DONE_ALONE = phrases(`
  done|finished|completed|complete
  all? done
  task done|complete|completed|finished
  mark|check|tick it|that|this|them done|off|complete|completed|finished?
  mark|check|tick done|off|complete|completed|finished
  it|that|this is done|finished|complete|completed
  i|we have? did|done|finished|completed it|that|this
  i am done|finished with it|that|this
`);
